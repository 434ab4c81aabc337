// Statement traces of tasks, made by one driver. The most recently used are kept.
import type { ReplayDriver } from '../replay-process/replay-driver.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import type { StatementTrace } from '../replay-process/statement-trace.ts';

const MAX_CACHED_STATEMENTS = 4_000_000;
/** Maximum number of statement lists in tasks that are traced together. */
const MAX_BATCH_LISTS = 100_000;

export class TraceCache {
  readonly #graph: TaskGraph;
  readonly #driver: ReplayDriver;
  /** Traces by task, the most recently used last. */
  readonly #traces = new Map<number, StatementTrace>();
  #cachedStatements = 0;

  constructor(graph: TaskGraph, driver: ReplayDriver) {
    this.#graph = graph;
    this.#driver = driver;
  }

  /** @param since task from which on the runs of frames must be known */
  has(order: number, since = order): boolean {
    const { since: knownSince = Infinity } = this.#traces.get(order) ?? {};
    return knownSince <= since;
  }

  /**
   * The trace of a task.
   * @param around first and last task that are needed next; they are traced too, if short
   * @param since task from which on the runs of frames must be known
   */
  async load(
    order: number,
    signal: AbortSignal,
    around: readonly [number, number],
    since = order,
  ): Promise<StatementTrace> {
    const known = this.has(order, since) ? this.#traces.get(order) : undefined;
    if (known !== undefined) {
      this.#traces.delete(order);
      this.#traces.set(order, known);
      return known;
    }
    const [from, to] = this.#batchAround(order, around, since);
    const all = await this.#driver.traceTasks(from, to, signal, since);
    all.forEach((trace, i) => {
      const earlier = this.#traces.get(from + i);
      if (earlier !== undefined && earlier.since <= trace.since) return;
      this.#cachedStatements -= earlier?.count ?? 0;
      this.#traces.set(from + i, trace);
      this.#cachedStatements += trace.count;
    });
    for (const [oldest, trace] of this.#traces) {
      if (this.#cachedStatements <= MAX_CACHED_STATEMENTS || (oldest >= from && oldest <= to)) break;
      this.#traces.delete(oldest);
      this.#cachedStatements -= trace.count;
    }
    return this.#traces.get(order) as StatementTrace;
  }

  /** The range of untraced tasks around a task, from `first` to `last` at most, and up to a limit of statements. */
  #batchAround(order: number, [first, last]: readonly [number, number], since: number): [from: number, to: number] {
    const { runIndex, count } = this.#graph;
    let [from, to, lists] = [order, order, runIndex.task(order).statementLists];
    const isWanted = (each: number): boolean => {
      if (each < 1 || each > count || this.has(each, Math.min(each, since))) return false;
      lists += runIndex.task(each).statementLists;
      return lists <= MAX_BATCH_LISTS;
    };
    while (to < last && isWanted(to + 1)) to++;
    while (from > first && isWanted(from - 1)) from--;
    return [from, to];
  }
}
