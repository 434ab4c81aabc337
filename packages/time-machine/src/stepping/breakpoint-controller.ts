// The breakpoints of a recording, and the search for the nearest stop at them. Stops at statements come from a replay
// (breakpoint-hit-cache.ts); stops at tasks come from the run index.
import type { BreakpointSearch } from '../replay-process/breakpoint-search.ts';
import type { BreakpointSpec } from '../replay-process/process-options.ts';
import { findDestination, type Direction, type Move } from '../moves/move.ts';
import { MOVES } from '../moves/moves.ts';
import { comparePositions, isTaskStart, taskStart, type Position } from '../position.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { BreakpointHitCache } from './breakpoint-hit-cache.ts';
import type { BreakpointKind } from './breakpoint-kinds.ts';
import {
  breakpointTargets,
  type Breakpoint,
  type BreakpointChanges,
  type BreakpointOptions,
  type BreakpointTargets,
  type FunctionLocator,
} from './breakpoints.ts';
import type { OperationContext } from './operation-context.ts';
import type { Watchpoint } from './watchpoint.ts';

/** What a move has used up so far. Breakpoints change only when the move has arrived. */
export interface StopHistory {
  /** Number of ignored hits by breakpoint. */
  readonly ignored: ReadonlyMap<number, number>;
  /** Temporary breakpoints at which the move has stopped. */
  readonly removed: ReadonlySet<number>;
}

export interface BreakpointStop {
  /** Undefined if no breakpoint is hit. */
  readonly position: Position | undefined;
  /** Ids of the breakpoints that stop here. */
  readonly breakpoints: readonly number[];
  /** Values of watched expressions, for users. */
  readonly note?: string | undefined;
  readonly history: StopHistory;
  /** Must be called when a move has arrived: removes temporary breakpoints, and counts ignored hits. */
  readonly arrive: () => void;
}

export interface BreakpointControllerDeps {
  readonly graph: TaskGraph;
  readonly searchBreakpoints: (specs: readonly BreakpointSpec[], from: Position) => BreakpointSearch;
  readonly locateFunction: FunctionLocator;
  /** Creates the watchpoint of an expression at a position. */
  readonly createWatchpoint: (expression: string, at: Position) => Watchpoint;
}

/** Number of tasks before a step in which its breakpoints are searched, too, for later steps back. */
const NEAR_TASKS = 64;

interface StoredBreakpoint {
  breakpoint: Breakpoint;
  readonly targets: BreakpointTargets;
  /** Present if the targets are writes. */
  readonly watchpoint?: Watchpoint | undefined;
}

export class BreakpointController {
  readonly #deps: BreakpointControllerDeps;
  readonly #stored = new Map<number, StoredBreakpoint>();
  #lastId = 0;
  /** Breakpoints whose failed conditions have been reported. */
  readonly #reportedFailures = new Set<number>();
  /** Hits of the current set of breakpoints, from the start of the recording on. */
  #hits: BreakpointHitCache | undefined;
  /** The same in a part of the recording, where a search from the start would take long. */
  #nearHits: BreakpointHitCache | undefined;

  constructor(deps: BreakpointControllerDeps) {
    this.#deps = deps;
  }

  get breakpoints(): Breakpoint[] {
    return [...this.#stored.values()].map(({ breakpoint }) => breakpoint);
  }

  /** Adds a breakpoint; returns the problem, for users, if it is invalid. @param at position of a watched expression */
  async add(options: BreakpointOptions, at: Position, context: OperationContext): Promise<Breakpoint | string> {
    const targets = breakpointTargets(options, this.#deps.locateFunction);
    if (typeof targets === 'string') return targets;
    const watchpoint = 'watch' in targets ? this.#deps.createWatchpoint(targets.watch, at) : undefined;
    if (watchpoint !== undefined && at.order > this.#deps.graph.count)
      return 'nothing runs at the end of the recording; go to a statement first';
    try {
      await watchpoint?.check(context);
    } catch (error) {
      watchpoint?.close();
      throw error;
    }
    const breakpoint = { ...options, isEnabled: options.isEnabled ?? true, id: ++this.#lastId };
    this.#stored.set(breakpoint.id, { breakpoint, targets, watchpoint });
    if ('specs' in targets) this.#discardHits();
    return breakpoint;
  }

  /** Changes a breakpoint; returns the problem if that is impossible. */
  update(id: number, { isEnabled, condition, ignoreCount }: BreakpointChanges): Breakpoint | string {
    const stored = this.#stored.get(id);
    if (stored === undefined) return `there is no breakpoint ${id}`;
    const { breakpoint: previous } = stored;
    const breakpoint: Breakpoint = {
      ...previous,
      isEnabled: isEnabled ?? previous.isEnabled,
      condition: condition === undefined ? previous.condition : condition === '' ? undefined : condition,
      ignoreCount: ignoreCount ?? previous.ignoreCount,
    };
    if (breakpoint.condition === previous.condition) {
      stored.breakpoint = breakpoint;
      return breakpoint;
    }
    const targets = breakpointTargets(breakpoint, this.#deps.locateFunction);
    if (typeof targets === 'string') return targets;
    this.#stored.set(id, { breakpoint, targets });
    this.#discardHits();
    return breakpoint;
  }

  /** Removes a breakpoint; false if it does not exist. */
  remove(id: number): boolean {
    const stored = this.#stored.get(id);
    if (stored === undefined) return false;
    stored.watchpoint?.close();
    if ('specs' in stored.targets) this.#discardHits();
    return this.#stored.delete(id);
  }

  /**
   * The nearest stop in a direction.
   * @param history that of the previous stop, if a move stops several times
   * @param limit position after which, in the direction, no stop is searched
   */
  async next(
    from: Position,
    direction: Direction,
    context: OperationContext,
    history?: StopHistory,
    limit?: Position,
  ): Promise<BreakpointStop> {
    const ignored = new Map(history?.ignored);
    const removed = new Set(history?.removed);
    let [position, ids]: [Position | undefined, readonly number[]] = [from, []];
    while (position !== undefined && ids.length === 0) {
      position = await this.#nextPosition(position, direction, context, limit);
      if (position !== undefined)
        ids = this.idsAt(position).filter((id) => !removed.has(id) && !this.#passIgnored(id, ignored));
    }
    for (const id of ids) if (this.#stored.get(id)?.breakpoint.isTemporary === true) removed.add(id);
    const newHistory = { ignored, removed };
    return {
      position,
      breakpoints: ids,
      note: joinNotes([...(position === undefined ? [] : this.#writesAt(position, ids)), ...this.#newFailures()]),
      history: newHistory,
      arrive: () => this.#arrive(newHistory),
    };
  }

  /** The changes of watched values at a position. */
  #writesAt(position: Position, ids: readonly number[]): string[] {
    return ids.flatMap((id) => {
      const { breakpoint, watchpoint } = this.#stored.get(id) ?? {};
      const write = watchpoint?.writeAt(position);
      if (write === undefined) return [];
      if (write.note !== undefined) return [write.note];
      const change = write.change === undefined ? 'is written here' : `changes here: ${write.change.join(' -> ')}`;
      return [`${breakpoint?.watch ?? ''} ${change}`];
    });
  }

  /** Conditions that failed in the searched tasks. Each is reported once. */
  #newFailures(): string[] {
    const withSpecs = [...this.#stored.values()].filter(({ targets }) => 'specs' in targets);
    return withSpecs.flatMap(({ breakpoint: { id, isEnabled } }, index) => {
      const failures = this.#hits?.failuresOf(index) ?? this.#nearHits?.failuresOf(index);
      if (failures === undefined || !isEnabled || this.#reportedFailures.has(id)) return [];
      this.#reportedFailures.add(id);
      const times = failures.count === 1 ? 'once' : `${failures.count} times`;
      return [`the condition of breakpoint ${id} has failed ${times}: ${failures.error}`];
    });
  }

  /** Whether a hit is ignored; counts it in this case. */
  #passIgnored(id: number, ignored: Map<number, number>): boolean {
    const { ignoreCount = 0 } = this.#stored.get(id)?.breakpoint ?? {};
    const passed = ignored.get(id) ?? 0;
    if (passed >= ignoreCount) return false;
    ignored.set(id, passed + 1);
    return true;
  }

  #arrive({ ignored, removed }: StopHistory): void {
    for (const [id, count] of ignored) {
      const stored = this.#stored.get(id);
      if (stored === undefined) continue;
      const { breakpoint } = stored;
      stored.breakpoint = { ...breakpoint, ignoreCount: Math.max(0, (breakpoint.ignoreCount ?? 0) - count) };
    }
    for (const id of removed) this.remove(id);
  }

  /** Ids of the enabled breakpoints that are known to stop at a position. */
  idsAt(position: Position): number[] {
    const hitIndexes = new Set(
      [this.#hits, this.#nearHits].flatMap((hits) => [...(hits?.breakpointsAt(position) ?? [])]),
    );
    let index = 0;
    return [...this.#stored.values()].flatMap(({ breakpoint, targets, watchpoint }) => {
      const isHit =
        'kind' in targets
          ? this.#isTaskStop(breakpoint, targets.kind, position)
          : 'watch' in targets
            ? watchpoint?.writeAt(position) !== undefined
            : hitIndexes.has(index++);
      return isHit && breakpoint.isEnabled ? [breakpoint.id] : [];
    });
  }

  async #nextPosition(
    from: Position,
    direction: Direction,
    context: OperationContext,
    limit: Position | undefined,
  ): Promise<Position | undefined> {
    const lastTask = limit === undefined || direction === 'backward' ? this.#deps.graph.count : limit.order;
    const statement = await this.#nextStatement(from, direction, context, limit);
    const taskStops = this.#enabled.flatMap(({ breakpoint, targets }) =>
      'kind' in targets ? (this.#nextTaskStop(breakpoint, targets.kind, from, direction) ?? []) : [],
    );
    const writes: Position[] = [];
    for (const { watchpoint } of this.#enabled) {
      const write = await watchpoint?.next(from, direction, context, lastTask);
      if (write !== undefined) writes.push(write.position);
    }
    const nearest = nearestPosition(
      [...(statement === undefined ? [] : [statement]), ...taskStops, ...writes],
      direction,
    );
    const isPast = nearest !== undefined && limit !== undefined && isAfter(nearest, limit, direction);
    return isPast ? undefined : nearest;
  }

  get #enabled(): StoredBreakpoint[] {
    return [...this.#stored.values()].filter(({ breakpoint }) => breakpoint.isEnabled);
  }

  /** The nearest statement at which an enabled breakpoint is hit. @param limit position up to which hits are searched */
  async #nextStatement(
    from: Position,
    direction: Direction,
    { signal, progress }: OperationContext,
    limit: Position | undefined,
  ): Promise<Position | undefined> {
    if (!this.#enabled.some(({ targets }) => 'specs' in targets)) return undefined;
    const { graph } = this.#deps;
    const hits = limit === undefined ? (this.#hits ??= this.#createHitCache(1)) : this.#hitsBetween(from, limit);
    const lastTask = limit === undefined ? graph.count : Math.max(from.order, limit.order);
    const reportProgress = (done: number): void => progress(done, graph.count);
    try {
      for (let at = from; ;) {
        const found = await (direction === 'forward'
          ? hits.nextAfter(at, signal, reportProgress, lastTask)
          : hits.lastBefore(at, signal, reportProgress));
        if (found === undefined || this.idsAt(found).length > 0) return found;
        at = found;
      }
    } catch (error) {
      // An aborted search may have lost hits.
      if (this.#hits === hits || this.#nearHits === hits) this.#discardHits();
      throw error;
    }
  }

  /** Hits in a part of the recording. */
  #hitsBetween(from: Position, limit: Position): BreakpointHitCache {
    const [first, last] = [from.order, limit.order].toSorted((a, b) => a - b) as [number, number];
    const isCounted = this.#enabled.some(({ breakpoint }) => breakpoint.hitNumber !== undefined);
    if (isCounted || this.#hits?.covers(first, last) === true || first <= NEAR_TASKS)
      return (this.#hits ??= this.#createHitCache(1));
    if (this.#nearHits?.reaches(first) === true) return this.#nearHits;
    this.#nearHits?.close();
    return (this.#nearHits = this.#createHitCache(first - NEAR_TASKS));
  }

  #createHitCache(firstTask: number): BreakpointHitCache {
    const { graph, searchBreakpoints } = this.#deps;
    const withSpecs = [...this.#stored.values()].flatMap(({ breakpoint, targets }) =>
      'specs' in targets ? [{ breakpoint, specs: targets.specs }] : [],
    );
    return new BreakpointHitCache({
      openSearch: () =>
        searchBreakpoints(
          withSpecs.flatMap(({ specs }) => specs),
          taskStart(firstTask),
        ),
      owners: withSpecs.flatMap(({ specs }, index) => specs.map(() => index)),
      hitNumbers: withSpecs.map(({ breakpoint }) => breakpoint.hitNumber),
      firstTask,
      taskCount: graph.count,
    });
  }

  #nextTaskStop(
    { text, hitNumber }: Breakpoint,
    kind: BreakpointKind,
    from: Position,
    direction: Direction,
  ): Position | undefined {
    const isInTask = !isTaskStart(from);
    if (hitNumber === undefined) {
      const order = this.#findTask(kind, text, { task: from.order, isInTask }, direction);
      return order === undefined ? undefined : taskStart(order);
    }
    let order: number | undefined = 0;
    for (let count = 0; count < hitNumber && order !== undefined; count++)
      order = this.#findTask(kind, text, { task: order, isInTask: false }, 'forward');
    if (order === undefined) return undefined;
    const isAhead = comparePositions(taskStart(order), from) * (direction === 'forward' ? 1 : -1) > 0;
    return isAhead ? taskStart(order) : undefined;
  }

  #isTaskStop(breakpoint: Breakpoint, kind: BreakpointKind, position: Position): boolean {
    if (!isTaskStart(position)) return false;
    const found = this.#nextTaskStop(breakpoint, kind, taskStart(position.order - 1), 'forward');
    return found?.order === position.order;
  }

  #findTask(
    { taskMove }: BreakpointKind,
    text: string | undefined,
    from: { readonly task: number; readonly isInTask: boolean },
    direction: Direction,
  ): number | undefined {
    const move = MOVES.find(({ id }) => id === taskMove) as Move;
    const [parameter] = move.parameters;
    const args = new Map(text === undefined || parameter === undefined ? [] : [[parameter.name, text]]);
    const search = findDestination(move, { graph: this.#deps.graph, from, direction, args });
    for (let step = search.next(); ; step = search.next())
      if (step.done === true) return 'task' in step.value ? step.value.task : undefined;
  }

  #discardHits(): void {
    this.#hits?.close();
    this.#nearHits?.close();
    this.#hits = this.#nearHits = undefined;
    this.#reportedFailures.clear();
  }

  close(): void {
    for (const { watchpoint } of this.#stored.values()) watchpoint?.close();
    this.#discardHits();
  }
}

function joinNotes(notes: readonly string[]): string | undefined {
  return notes.length === 0 ? undefined : notes.join('; ');
}

function isAfter(position: Position, other: Position, direction: Direction): boolean {
  return comparePositions(position, other) * (direction === 'forward' ? 1 : -1) > 0;
}

/** The nearest of some positions, all of which are in the direction. */
export function nearestPosition(positions: readonly Position[], direction: Direction): Position | undefined {
  const sign = direction === 'forward' ? 1 : -1;
  return positions.toSorted((first, second) => comparePositions(first, second) * sign)[0];
}
