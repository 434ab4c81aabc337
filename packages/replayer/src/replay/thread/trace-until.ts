// A worker's trace up to an event, or to the first that came later than some time: what was behind is not there, as if its recording had been cut off.
import type { TraceEvent, TraceSource } from '@turntable/recording';
import type { Clock } from '../../trace/timeline.ts';
import type { Until } from '../until.ts';

export class TraceUntil implements TraceSource {
  readonly #source: TraceSource;
  readonly #events: number;
  readonly #time: number;
  readonly #clock: Clock;
  /** The last whose time was looked at. */
  #looked: TraceEvent | undefined;
  #isOver = false;

  /** @param clock by which the trace's times are read */
  constructor(source: TraceSource, until: Extract<Until, { what: 'event' | 'time' }>, clock: Clock) {
    this.#source = source;
    this.#events = until.what === 'event' ? until.event : Infinity;
    this.#time = until.what === 'time' ? until.time : Infinity;
    this.#clock = clock;
  }

  get next(): TraceEvent | undefined {
    if (this.#isOver) return undefined;
    const { next } = this.#source;
    if (next === undefined || this.#source.taken < this.#events) {
      if (next === undefined || next === this.#looked) return next;
      this.#looked = next;
      if ((this.#clock.read(next) ?? 0) <= this.#time) return next;
    }
    this.#isOver = true;
    return undefined;
  }

  /** Whether it ends here and not where the recording does. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get taken(): number {
    return this.#source.taken;
  }

  get end(): 'ended' | 'cut off' {
    return this.#isOver ? 'cut off' : this.#source.end;
  }

  take(): void {
    if (!this.#isOver) this.#source.take();
  }
}
