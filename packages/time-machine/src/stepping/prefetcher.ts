// Prefetches the traces for the next move, when the position has not changed for a moment. At the start of a task, the
// task is traced and the current driver seeks there; inside a task, the tasks up to the worker's next one are traced.
// Only running processes near the task are used: while the user moves by turns, no process is needed at all.
import type { ReplayDriver } from '../replay-process/replay-driver.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { isTaskStart, type Position } from '../position.ts';

export interface PrefetcherDeps {
  readonly graph: TaskGraph;
  /** The driver that traces statements. */
  readonly scout: ReplayDriver;
  readonly current: ReplayDriver;
  /** The next task of the same worker; undefined after its last one. */
  readonly nextTaskOfWorker: (order: number) => number | undefined;
  readonly trace: (from: number, to: number) => Promise<unknown>;
  readonly seek: (position: Position) => Promise<unknown>;
  /** Starts what the first step needs. */
  readonly prepare: (() => void) | undefined;
  readonly delay: Delay;
}

/** Calls a function after a delay; returns a function that cancels the call. */
export type Delay = (run: () => void, milliseconds: number) => () => void;

/** Delay after which the requests that immediately follow a move have been answered. */
const PREFETCH_DELAY_MS = 50;
/** Delay after which a new user is reading, and not a script running. */
const PREPARE_DELAY_MS = 300;
/** Limits for tracing ahead, in tasks and in statement lists. Within them, it takes less time than reading a line. */
const MAX_TASKS_AHEAD = 200;
const MAX_LISTS_AHEAD = 20_000;

export const timerDelay: Delay = (run, milliseconds) => {
  const timer = setTimeout(run, milliseconds).unref();
  return () => clearTimeout(timer);
};

export class Prefetcher {
  readonly #deps: PrefetcherDeps;
  #cancel: () => void = () => {};
  #tracing: Promise<unknown> = Promise.resolve();
  #isPrepared = false;

  constructor(deps: PrefetcherDeps) {
    this.#deps = deps;
  }

  cursorMoved(position: Position): void {
    this.#cancel();
    this.#cancel = this.#deps.delay(() => this.#prefetch(position), PREFETCH_DELAY_MS);
  }

  /** Prepares the first step, unless the user moves first. */
  clientConnected(): void {
    const { prepare, delay } = this.#deps;
    if (this.#isPrepared || prepare === undefined) return;
    this.#isPrepared = true;
    this.#cancel = delay(prepare, PREPARE_DELAY_MS);
  }

  /** Settles when the prefetched trace is complete, or at once if there is none. */
  whenTraced(): Promise<unknown> {
    return this.#tracing;
  }

  close(): void {
    this.#cancel();
  }

  #prefetch(position: Position): void {
    const { graph, scout, current, nextTaskOfWorker, trace, seek } = this.#deps;
    const { order } = position;
    if (order > graph.count) return;
    const isAtTaskStart = isTaskStart(position);
    if (isAtTaskStart && this.#isNear(current, order)) void seek(position).catch(() => {});
    const to = isAtTaskStart ? order : nextTaskOfWorker(order);
    if (to === undefined || !this.#isNear(scout, to + 1)) return;
    this.#tracing = trace(isAtTaskStart ? order : order + 1, to).catch(() => {});
  }

  /** Whether a driver's process is close before a task. @param end the first task that the process need not run */
  #isNear({ pausePoint }: ReplayDriver, end: number): boolean {
    const from = pausePoint.position.order;
    if (from <= 1 || from > end || end - from > MAX_TASKS_AHEAD) return false;
    let lists = 0;
    for (let each = from; each < end; each++) lists += this.#deps.graph.runIndex.task(each).statementLists;
    return lists <= MAX_LISTS_AHEAD;
  }
}
