// Trace of a worker up to its first damage, where it ends as if it had been cut off. The damage is reported with the
// outcome and never thrown into the program.
import { RecordingError, type TraceEnd, type TraceEvent, type TraceSource } from '@turntable/recording';

/** Trace of a worker whose process was killed before the worker recorded anything. */
const EMPTY_TRACE: TraceSource = {
  next: undefined,
  takenCount: 0,
  end: { reason: 'cut off', lastRound: 0 },
  take: () => undefined,
};

export class ReadableTrace implements TraceSource {
  readonly #source: TraceSource;
  readonly #check: ((next: TraceEvent | undefined) => void) | undefined;
  #damage: RecordingError | undefined;

  /**
   * @param open returns undefined if the worker has no trace
   * @param check throws a `RecordingError` at an event that cannot be replayed
   */
  constructor(open: () => TraceSource | undefined, check?: (next: TraceEvent | undefined) => void) {
    this.#check = check;
    this.#source = this.#read(open) ?? EMPTY_TRACE;
  }

  /** The damage at which the trace has ended. */
  get damage(): string | undefined {
    return this.#damage?.message;
  }

  get next(): TraceEvent | undefined {
    return this.#damage === undefined ? this.#read(() => this.#checkedNext) : undefined;
  }

  get #checkedNext(): TraceEvent | undefined {
    const { next } = this.#source;
    this.#check?.(next);
    return next;
  }

  get takenCount(): number {
    return this.#source.takenCount;
  }

  get end(): TraceEnd {
    return this.#damage === undefined ? this.#source.end : { reason: 'cut off' };
  }

  take(): void {
    this.#source.take();
  }

  #read<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      this.#damage = error;
      return undefined;
    }
  }
}
