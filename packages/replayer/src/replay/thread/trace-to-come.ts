// The trace of a thread that does not know yet with which snapshot it is to begin: what a thread asks before anything of its program is there stands at the beginning of each segment, so it is had from any of them.
import type { TraceEvent, TraceSource } from '@turntable/recording';

export class TraceToCome implements TraceSource {
  #source: TraceSource;
  #hasCome = false;

  /** @param any trace of this thread, or of another one that was told the same at its beginning */
  constructor(any: TraceSource) {
    this.#source = any;
  }

  /** This one it is, from behind what was taken of the other. */
  comes(source: TraceSource): void {
    for (let left = this.#source.taken; left > 0; left--) source.take();
    this.#source = source;
    this.#hasCome = true;
  }

  get next(): TraceEvent | undefined {
    const { next } = this.#source;
    return this.#hasCome || next?.what === 'outcome' ? next : undefined;
  }

  get taken(): number {
    return this.#source.taken;
  }

  get end(): 'ended' | 'cut off' {
    return this.#hasCome ? this.#source.end : 'ended';
  }

  take(): void {
    this.#source.take();
  }
}
