// Trace of a worker up to its first damage, where it ends as if it had been cut off. The damage is reported with the
// outcome and never thrown into the program.
import { RecordingError, type OutputSum, type TraceEvent, type TraceSource } from '@turntable/recording';

/** Trace of a worker whose process was killed before the worker recorded anything. */
const EMPTY_TRACE: TraceSource = {
  next: undefined,
  takenCount: 0,
  end: 'cut off',
  lastRound: 0,
  take: () => undefined,
};

export class ReadableTrace implements TraceSource {
  readonly #source: TraceSource;
  #damage: RecordingError | undefined;

  /** @param open returns undefined if the worker has no trace */
  constructor(open: () => TraceSource | undefined) {
    this.#source = this.#read(open) ?? EMPTY_TRACE;
  }

  /** The damage at which the trace has ended. */
  get damage(): string | undefined {
    return this.#damage?.message;
  }

  get next(): TraceEvent | undefined {
    return this.#damage === undefined ? this.#read(() => this.#source.next) : undefined;
  }

  get takenCount(): number {
    return this.#source.takenCount;
  }

  get end(): 'ended' | 'cut off' {
    return this.#damage === undefined ? this.#source.end : 'cut off';
  }

  get lastRound(): number | undefined {
    return this.#damage === undefined ? this.#source.lastRound : undefined;
  }

  get isWhole(): boolean {
    return this.#damage === undefined && this.#source.isWhole === true;
  }

  get lastOutput(): readonly OutputSum[] | undefined {
    return this.#source.lastOutput;
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
