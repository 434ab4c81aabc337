// A worker's trace up to an event, or to the first that came later than some time: what was behind is not there, as if its recording had been cut off.
import type { TraceEvent, TraceSource } from '@turntable/recording';
import type { TraceClock } from '../../trace/timeline.ts';
import type { ReplayLimit } from '../replay-limit.ts';

export class LimitedTrace implements TraceSource {
  readonly #source: TraceSource;
  readonly #maxEvents: number;
  readonly #maxTime: number;
  readonly #clock: TraceClock;
  /** The last whose time was looked at. */
  #lastChecked: TraceEvent | undefined;
  #isLimitReached = false;

  /** @param clock by which the trace's times are read */
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

  /** Whether it ends here and not where the recording does. */
  get isLimitReached(): boolean {
    return this.#isLimitReached;
  }

  get takenCount(): number {
    return this.#source.takenCount;
  }

  get end(): 'ended' | 'cut off' {
    return this.#isLimitReached ? 'cut off' : this.#source.end;
  }

  take(): void {
    if (!this.#isLimitReached) this.#source.take();
  }
}
