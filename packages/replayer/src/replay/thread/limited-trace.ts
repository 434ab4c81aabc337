// Trace of a worker that ends after a given event, or before the first event after a given time, as if the recording
// had been cut off there.
import type { TraceEnd, TraceEvent, TraceSource } from '@turntable/recording';
import type { TraceClock } from '../../trace/timeline.ts';
import type { ReplayLimit } from '../replay-limit.ts';

export class LimitedTrace implements TraceSource {
  readonly #source: TraceSource;
  readonly #maxEvents: number;
  readonly #maxTime: number;
  readonly #clock: TraceClock;
  /** The last event whose time was compared. */
  #lastChecked: TraceEvent | undefined;
  #isLimitReached = false;

  /** @param clock reads times of the trace */
  constructor(source: TraceSource, limit: Extract<ReplayLimit, { kind: 'event' | 'time' }>, clock: TraceClock) {
    this.#source = source;
    this.#maxEvents = limit.kind === 'event' ? limit.event : Infinity;
    this.#maxTime = limit.kind === 'time' ? limit.time : Infinity;
    this.#clock = clock;
  }

  get next(): TraceEvent | undefined {
    if (this.#isLimitReached) return undefined;
    const { next } = this.#source;
    if (next === undefined || this.#source.takenCount < this.#maxEvents) {
      if (next === undefined || next === this.#lastChecked) return next;
      this.#lastChecked = next;
      if ((this.#clock.read(next) ?? 0) <= this.#maxTime) return next;
    }
    this.#isLimitReached = true;
    return undefined;
  }

  /** Whether the trace has ended at the limit, not at its own end. */
  get isLimitReached(): boolean {
    return this.#isLimitReached;
  }

  get takenCount(): number {
    return this.#source.takenCount;
  }

  get end(): TraceEnd {
    return this.#isLimitReached ? { reason: 'cut off' } : this.#source.end;
  }

  take(): void {
    if (!this.#isLimitReached) this.#source.take();
  }
}
