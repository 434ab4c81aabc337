// Whoever has gone back once, will again: from then on a process waits a little behind where the engine stands, and follows it as it goes forward. It may be begun anew at any time.
import { taskStart, type Position } from '../position.ts';
import type { CoordinatorLink } from './coordinator-link.ts';
import type { RunLimit } from './protocol.ts';

export interface SeekableProcess {
  readonly coordinator: Pick<CoordinatorLink, 'isLost' | 'end' | 'run'>;
  /** The task that it has begun with. */
  readonly startOrder: number;
  position: Position;
}

/** Tasks. */
const DISTANCE_TASKS = 32;

export class TrailingProcess<P extends SeekableProcess> {
  readonly #start: (order: number) => P;
  readonly #limits: (order: number, startOrder: number) => readonly RunLimit[];
  #process: P | undefined;
  #seek: Promise<unknown> = Promise.resolve();
  #isSeeking = false;
  #seekStart = 0;

  /**
   * @param start one that stands before the task, or before the snapshot before that
   * @param limits how far threads may go for it to stand before a task
   */
  constructor(start: (order: number) => P, limits: (order: number, startOrder: number) => readonly RunLimit[]) {
    this.#start = start;
    this.#limits = limits;
  }

  /** It may still be on its way to where it says that it is. */
  get process(): P | undefined {
    return this.#process?.coordinator.isLost === true ? undefined : this.#process;
  }

  /** For so many milliseconds; nothing, if it is there. */
  get seekingForMs(): number | undefined {
    return this.#isSeeking ? performance.now() - this.#seekStart : undefined;
  }

  /** It is the caller's from now on, who hears when it is there, or what is wrong with it. */
  take(): Promise<unknown> {
    this.#process = undefined;
    return this.#seek;
  }

  /** Has one wait behind a task, if there is none that would do. */
  prepare(order: number): void {
    const target = Math.max(1, order - DISTANCE_TASKS);
    let process = this.process;
    if (process !== undefined && process.position.order > order) {
      process.coordinator.end();
      process = undefined;
    }
    if (process !== undefined && process.position.order > target - DISTANCE_TASKS) return;
    if (process === undefined) this.#seek = Promise.resolve();
    const started = (this.#process = process ?? this.#start(target));
    started.position = taskStart(target);
    const seek = this.#seek.then(() => started.coordinator.run(this.#limits(target, started.startOrder), undefined));
    this.#seek = seek;
    if (process === undefined) this.#seekStart = performance.now();
    this.#isSeeking = true;
    seek.then(
      () => (this.#isSeeking = this.#seek !== seek),
      // Whoever takes it hears of it.
      () => undefined,
    );
  }

  /** Somebody has other use for the time that it takes on its way. */
  abandonSeek(): void {
    if (this.#isSeeking) this.close();
  }

  close(): void {
    this.#process?.coordinator.end();
    this.#process = undefined;
    this.#isSeeking = false;
  }
}
