// Trace of a standby thread before its snapshot is known. What a thread reads before the program is loaded is the same
// at the beginning of every segment, so any trace can supply it.
import type { TraceEvent, TraceSource } from '@turntable/recording';

export class StandbyTrace implements TraceSource {
  #source: TraceSource;
  #isAssigned = false;

  /** @param anyTrace trace of this thread, or of another one with the same beginning */
  constructor(anyTrace: TraceSource) {
    this.#source = anyTrace;
  }

  /** Sets the actual trace, which continues after the events taken so far. */
  assign(source: TraceSource): void {
    for (let remaining = this.#source.takenCount; remaining > 0; remaining--) source.take();
    this.#source = source;
    this.#isAssigned = true;
  }

  get next(): TraceEvent | undefined {
    const { next } = this.#source;
    return this.#isAssigned || next?.type === 'outcome' ? next : undefined;
  }

  get takenCount(): number {
    return this.#source.takenCount;
  }

  get end(): 'ended' | 'cut off' {
    return this.#isAssigned ? this.#source.end : 'ended';
  }

  take(): void {
    this.#source.take();
  }
}
