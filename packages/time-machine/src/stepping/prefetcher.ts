// What whoever goes on will ask for next is made before that, when nobody has gone anywhere for a moment, as far as it is near: the statements of the tasks up to the worker's next one, and a process that stands
// where all have come to by turns. Nothing begins a process for it: who only looks at turns has no use for any.
import type { ReplayDriver } from '../replay-process/replay-driver.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { isTaskStart, type Position } from '../position.ts';

export interface PrefetcherDeps {
  readonly graph: TaskGraph;
  /** Has noted statements already, if it has been anywhere. */
  readonly scout: ReplayDriver;
  readonly current: ReplayDriver;
  /** The worker's next task; nothing, if that was its last. */
  readonly nextTaskOfWorker: (order: number) => number | undefined;
  readonly trace: (from: number, to: number) => Promise<unknown>;
  readonly seek: (position: Position) => Promise<unknown>;
  readonly delay: Delay;
}

/** Runs something after a moment; answers what keeps it from that. */
export type Delay = (run: () => void) => () => void;

/** Milliseconds in which what is asked for at once has been answered. */
const PREFETCH_DELAY_MS = 50;
/** Tasks, and lists of statements in them, that take no longer than somebody takes to read a line. */
const MAX_TASKS_AHEAD = 200;
const MAX_LISTS_AHEAD = 20_000;

export const shortDelay: Delay = (run) => {
  const timer = setTimeout(run, PREFETCH_DELAY_MS).unref();
  return () => clearTimeout(timer);
};

export class Prefetcher {
  readonly #deps: PrefetcherDeps;
  #cancel: () => void = () => {};
  #tracing: Promise<unknown> = Promise.resolve();

  constructor(parts: PrefetcherDeps) {
    this.#deps = parts;
  }

  /** All stand there now. */
  cursorMoved(position: Position): void {
    this.#cancel();
    this.#cancel = this.#deps.delay(() => this.#prefetch(position));
  }

  /** When there is nothing that it makes. */
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

  /** Whether it has been somewhere from where it is not far. @param end the first task that it need not run */
  #isNear({ pausePoint: stop }: ReplayDriver, end: number): boolean {
    const from = stop.position.order;
    if (from <= 1 || from > end || end - from > MAX_TASKS_AHEAD) return false;
    let lists = 0;
    for (let each = from; each < end; each++) lists += this.#deps.graph.runIndex.task(each).statementLists;
    return lists <= MAX_LISTS_AHEAD;
  }
}
