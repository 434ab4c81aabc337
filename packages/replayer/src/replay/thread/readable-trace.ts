// A worker's trace as far as it can be read. Where a file of it is damaged it goes no further, as if it had been cut off there, and why is told with what
// came of the run: to the program it would be an error out of nowhere.
import { RecordingError, type TraceEvent, type TraceSource } from '@turntable/recording';

/** Of a worker that had just begun when its process was killed. */
const EMPTY_TRACE: TraceSource = { next: undefined, takenCount: 0, end: 'cut off', take: () => undefined };

export class ReadableTrace implements TraceSource {
  readonly #source: TraceSource;
  #damage: RecordingError | undefined;

  /** @param open answers nothing if there is none */
  constructor(open: () => TraceSource | undefined) {
    this.#source = this.#read(open) ?? EMPTY_TRACE;
  }

  /** What is wrong with it, if it ends for that. */
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
