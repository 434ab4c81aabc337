// A replay process that follows the cursor at a short distance. A move backward is often followed by another one, and
// then this process is already before the target. It only runs forward; if the target is before it, a new one starts.
import { taskStart, type Position } from '../position.ts';
import type { CoordinatorLink } from './coordinator-link.ts';
import type { RunLimit } from './protocol.ts';

export interface SeekableProcess {
  readonly coordinator: Pick<CoordinatorLink, 'isLost' | 'end' | 'run'>;
  /** The first task that the process runs. */
  readonly startOrder: number;
  position: Position;
}

/** Minimum number of tasks between the process and the cursor. */
const DISTANCE_TASKS = 32;

export class TrailingProcess<P extends SeekableProcess> {
  readonly #start: (order: number) => P;
  readonly #limits: (order: number, startOrder: number) => readonly RunLimit[];
  #process: P | undefined;
  /** Settles when the process has reached its position or failed to reach it. */
  #seek: Promise<unknown> = Promise.resolve();
  #isSeeking = false;
  #seekStart = 0;

  /**
   * @param start starts a process from the last snapshot before a task
   * @param limits returns the number of tasks that each thread must run for the process to be at the start of a task
   */
  constructor(start: (order: number) => P, limits: (order: number, startOrder: number) => readonly RunLimit[]) {
    this.#start = start;
    this.#limits = limits;
  }

  /** The process, if it is alive. It may still be on its way to its `position`: see `seekingForMs`. */
  get process(): P | undefined {
    return this.#process?.coordinator.isLost === true ? undefined : this.#process;
  }

  /** Milliseconds since the process began to seek; undefined if it has reached its position. */
  get seekingForMs(): number | undefined {
    return this.#isSeeking ? performance.now() - this.#seekStart : undefined;
  }

  /** Hands the process over to the caller. The promise settles when the process has reached its position. */
  take(): Promise<unknown> {
    this.#process = undefined;
    return this.#seek;
  }

  /** Makes sure that a process is paused, or on its way, a short distance before a task. */
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
      // An error is reported to the caller of `take`.
      () => undefined,
    );
  }

  /** Ends the process if it has not reached its position, because the caller needs the processor time. */
  abandonSeek(): void {
    if (this.#isSeeking) this.close();
  }

  close(): void {
    this.#process?.coordinator.end();
    this.#process = undefined;
    this.#isSeeking = false;
  }
}
