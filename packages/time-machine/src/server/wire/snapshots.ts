// Answers to requests about snapshots. The embedder's catalog reads a snapshot once; its classes are sorted, compared
// and split into pages here.
import { patternMatcher } from '../../moves/pattern.ts';
import type { TaskGraph } from '../../run-index/task-graph.ts';
import { type ParamsOf, type ResultOf } from '../../protocol.ts';
import { invalidParams } from '../protocol-error.ts';

export interface SnapshotSummary {
  readonly phase: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Size on disk. */
  readonly bytes: number;
  readonly workers: readonly number[];
}

/** Totals over all objects of a class. */
export interface ClassSize {
  readonly name: string;
  /** File that defines the class; undefined for a class that is not of the program. */
  readonly module: string | undefined;
  readonly count: number;
  readonly bytes: number;
  readonly retained: number;
}

export interface SnapshotCatalog {
  all(): readonly SnapshotSummary[];
  /** Sizes by class in the snapshot of a phase. Rejects if the snapshot cannot be read. */
  classes(phase: number): Promise<readonly ClassSize[]>;
  close(): void;
}

type ClassesResult = ResultOf<'classes'>;
type ClassInfo = ClassesResult['classes'][number];
type ClassOrder = NonNullable<ParamsOf<'classes'>['sort']>;

const MAX_CACHED_SNAPSHOTS = 8;

export class SnapshotQueries {
  readonly #catalog: SnapshotCatalog | undefined;
  readonly #graph: TaskGraph;
  readonly #cache = new Map<number, Promise<readonly ClassSize[]>>();

  constructor(snapshots: SnapshotCatalog | undefined, graph: TaskGraph) {
    this.#catalog = snapshots;
    this.#graph = graph;
  }

  all(): ResultOf<'snapshots'> {
    const summaries = (this.#catalog?.all() ?? []).map(({ phase, time, bytes, workers }) => ({
      phase,
      time,
      bytes,
      workers,
      firstTask: this.#graph.phases.find((each) => each.phase === phase)?.firstTask,
    }));
    return { snapshots: summaries };
  }

  async classes(params: ParamsOf<'classes'>, signal: AbortSignal): Promise<ClassesResult> {
    const { phase, baselinePhase, matching, sort = 'retained', from = 0, count } = params;
    const current = await this.#classesOf(phase, signal);
    const baseline = baselinePhase === undefined ? undefined : await this.#classesOf(baselinePhase, signal);
    const matches = matching === undefined ? () => true : patternMatcher(matching);
    const rows = joinClasses(current, baseline ?? [])
      .filter(({ name, module = '' }) => matches(name) || matches(module))
      .toSorted((first, second) => sortKey(second, sort) - sortKey(first, sort) || (first.name < second.name ? -1 : 1));
    return {
      classes: rows.slice(from, from + count),
      total: rows.length,
      current: totalSize(current),
      baseline: baseline && totalSize(baseline),
    };
  }

  async #classesOf(phase: number, signal: AbortSignal): Promise<readonly ClassSize[]> {
    const all = this.#catalog?.all() ?? [];
    if (this.#catalog === undefined || !all.some((each) => each.phase === phase)) {
      const knownPhases = all.map((each) => each.phase).join(', ');
      throw invalidParams(`there is no snapshot ${phase}${knownPhases === '' ? '' : `; available: ${knownPhases}`}`);
    }
    let found = this.#cache.get(phase);
    if (found === undefined) {
      found = this.#catalog.classes(phase);
      this.#cache.set(phase, found);
      found.catch(() => this.#cache.delete(phase));
      const [oldest] = this.#cache.keys();
      if (this.#cache.size > MAX_CACHED_SNAPSHOTS && oldest !== undefined) this.#cache.delete(oldest);
    }
    return Promise.race([found, rejectOnAbort(signal)]);
  }

  close(): void {
    this.#catalog?.close();
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const end = (): void => reject(signal.reason as Error);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  return promise;
}

function joinClasses(current: readonly ClassSize[], baseline: readonly ClassSize[]): ClassInfo[] {
  const classes = new Map<string, ClassInfo>();
  const keyOf = ({ name, module }: ClassSize): string => `${name}\n${module ?? ''}`;
  for (const each of current)
    classes.set(keyOf(each), { name: each.name, module: each.module, current: sizeOf(each), baseline: undefined });
  for (const each of baseline) {
    const key = keyOf(each);
    classes.set(key, {
      name: each.name,
      module: each.module,
      current: classes.get(key)?.current,
      baseline: sizeOf(each),
    });
  }
  return [...classes.values()];
}

function sizeOf({ count, bytes, retained }: ClassSize): NonNullable<ClassInfo['current']> {
  return { count, bytes, retained };
}

function sortKey({ current, baseline }: ClassInfo, sort: ClassOrder): number {
  if (sort === 'grown') return (current?.retained ?? 0) - (baseline?.retained ?? 0);
  return current?.[sort] ?? 0;
}

function totalSize(all: readonly ClassSize[]): ClassesResult['current'] {
  return all.reduce((sum, { count, bytes }) => ({ count: sum.count + count, bytes: sum.bytes + bytes }), {
    count: 0,
    bytes: 0,
  });
}
