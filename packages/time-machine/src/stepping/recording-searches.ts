// Searches over a range of the recording that do not depend on the user's position.
import type { BreakpointHit } from '../replay-process/breakpoint-search.ts';
import type { ValueChange } from '../replay-process/change-search.ts';
import type { StateOwner } from '../replay-process/actor-states.ts';
import type { FoundParts, Page, PartsQuery } from '../replay-process/inspected-values.ts';
import type { LineBreakpointSpec, WatchedExpression } from '../replay-process/process-options.ts';
import type { ThreadName } from '../replay-process/thread-name.ts';
import type { ReplayDriver } from '../replay-process/replay-driver.ts';
import { comparePositions, taskStart, type Position } from '../position.ts';
import type { OperationContext } from './operation-context.ts';
import { diffStates, type PartDifference } from './state-difference.ts';

export interface LogPointQuery extends LineBreakpointSpec {
  /** The first task to search. */
  readonly from: number;
  /** Maximum number of hits. */
  readonly count: number;
}

interface TaskRange {
  readonly from: number;
  readonly to: number;
  /** Number of results after which a search may end. */
  readonly count: number;
}

const MAX_STATE_PARTS = 20_000;
const FIRST_BATCH_TASKS = 256;

export class RecordingSearches {
  readonly #scout: ReplayDriver;
  readonly #taskCount: number;

  constructor(scout: ReplayDriver, taskCount: number) {
    this.#scout = scout;
    this.#taskCount = taskCount;
  }

  /** Values of an expression at the hits of a line. `next`: the task to continue from, if any is left. */
  async logPointHits(
    { count, from, ...location }: LogPointQuery,
    { signal, progress }: OperationContext,
  ): Promise<{ readonly hits: readonly BreakpointHit[]; readonly next: number | undefined }> {
    const all = this.#taskCount;
    const search = this.#scout.searchBreakpoints([location], taskStart(from));
    search.onProgress = (done) => progress(done, all);
    try {
      const runTo = (order: number): Promise<readonly BreakpointHit[]> => search.runTo(taskStart(order), signal);
      const { found: hits, next } = await searchInBatches({ from, to: all, count }, runTo, progress);
      const last = hits[count];
      if (last === undefined) return { hits, next };
      // Only whole tasks are returned, so that the caller can continue with the next. An oversized first task is cut.
      const wholeTasks = hits.filter(({ position }) => position.order < last.position.order);
      if (wholeTasks.length > 0) return { hits: wholeTasks, next: last.position.order };
      return { hits: hits.slice(0, count), next: last.position.order + 1 };
    } finally {
      search.close();
    }
  }

  /** Parts of a value at a position, which the user does not go to. */
  partsAt(position: Position, query: PartsQuery, page: Page, signal: AbortSignal): Promise<FoundParts> {
    return this.#scout.partsAt(position, query, page, signal);
  }

  /** The tasks in which the value of an expression changed. `next`: the task to continue from, if any is left. */
  async valueChanges(
    options: WatchedExpression & ThreadName,
    range: TaskRange,
    { signal, progress }: OperationContext,
  ): Promise<{ readonly changes: readonly ValueChange[]; readonly next: number | undefined }> {
    const search = this.#scout.searchChanges(options, taskStart(range.from));
    try {
      const runTo = (order: number): Promise<readonly ValueChange[]> => search.runTo(order, signal);
      const { found, next } = await searchInBatches(range, runTo, progress);
      return { changes: found.slice(0, range.count), next: found[range.count]?.position.order ?? next };
    } finally {
      search.close();
    }
  }

  /** Parts of states that differ between two positions. `isTruncated`: there may be more. */
  async stateDifference(
    owners: readonly StateOwner[],
    [from, to]: readonly [Position, Position],
    signal: AbortSignal,
  ): Promise<{
    readonly found: readonly (PartDifference & Pick<StateOwner, 'actor'>)[];
    readonly isTruncated: boolean;
  }> {
    const isForward = comparePositions(from, to) <= 0;
    // The earlier state comes first, since seeking forward is faster.
    const first = await this.#scout.states(isForward ? from : to, owners, MAX_STATE_PARTS, signal);
    const second = await this.#scout.states(isForward ? to : from, owners, MAX_STATE_PARTS, signal);
    const [before, after] = isForward ? [first, second] : [second, first];
    return {
      found: owners.flatMap(({ actor }, i) => diffStates(before[i], after[i]).map((each) => ({ actor, ...each }))),
      isTruncated: [...first, ...second].some((each) => each?.isTruncated === true),
    };
  }
}

/**
 * Searches tasks in batches of doubling size until there are enough results.
 * @param runTo searches up to a task, and returns the new results
 * @returns all results, possibly more than requested, and the first task that was not searched
 */
async function searchInBatches<R>(
  { from, to, count }: TaskRange,
  runTo: (order: number) => Promise<readonly R[]>,
  progress: OperationContext['progress'],
): Promise<{ readonly found: readonly R[]; readonly next: number | undefined }> {
  const found: R[] = [];
  let order = from;
  for (let batch = FIRST_BATCH_TASKS; order <= to && found.length < count; batch *= 2) {
    order = Math.min(order + batch, to + 1);
    found.push(...(await runTo(order)));
    progress(order, to);
  }
  return { found, next: order <= to ? order : undefined };
}
