// Trace of a standby thread whose snapshot is not assigned yet. Every segment starts with the events that a thread
// takes before it loads the program, and they are the same in all segments. So any trace can supply them.
import type { TraceEnd, TraceEvent, TraceSource } from '@turntable/recording';

export class StandbyTrace implements TraceSource {
  #source: TraceSource;
  #isAssigned = false;

  /** @param anyTrace a trace of this thread, or of another one with the same first events */
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

  get end(): TraceEnd {
    return this.#isAssigned ? this.#source.end : { reason: 'ended' };
  }

  take(): void {
    this.#source.take();
  }
}
