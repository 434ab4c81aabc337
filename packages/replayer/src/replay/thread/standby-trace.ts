// The trace of a thread that does not know yet with which snapshot it is to begin: what a thread asks before anything of its program is there stands at the beginning of each segment, so it is had from any of them.
import type { TraceEvent, TraceSource } from '@turntable/recording';

export class StandbyTrace implements TraceSource {
  #source: TraceSource;
  #isAssigned = false;

  /** @param anyTrace trace of this thread, or of another one that was told the same at its beginning */
  constructor(anyTrace: TraceSource) {
    this.#source = anyTrace;
  }

  /** This one it is, from behind what was taken of the other. */
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
