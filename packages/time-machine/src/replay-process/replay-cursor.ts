// Where an engine of a recording stands, and how it goes elsewhere. Forward its process goes on; back its program goes in place, as far as its threads can. Further, or where what was evaluated may have
// changed something, another one goes on that was left before there, or one begins anew with the last snapshot before. Who asks does not notice but by the time it takes.
import { taskStart, comparePositions, isTaskStart, type Position } from '../position.ts';
import { CoordinatorLink, type ReplayProcess, type Urgency } from './coordinator-link.ts';
import { divergenceIn, hasFailedToUndo } from './divergence.ts';
import { ReplayError } from './replay-error.ts';
import type { SeekPlan } from './seek-plan.ts';
import { PausedProcessPool } from './paused-process-pool.ts';
import { SeekEstimator, type StartMode } from './seek-estimator.ts';
import { TrailingProcess } from './trailing-process.ts';
import {
  type EvaluationResult,
  MAIN_THREAD,
  MAX_UNDONE_TASKS,
  type ProcessOptions,
  type StatementLocation,
  type ThreadName,
  type ThreadRequestName,
  type ThreadRequests,
  type ThreadStatus,
  type TrackingMode,
} from './protocol.ts';

export interface PausePoint {
  readonly position: Position;
  /** Whose task it is; of none behind the last. */
  readonly worker: number | undefined;
  readonly epoch: number | undefined;
  /** Undefined before a task, and behind the last. */
  readonly location: StatementLocation | undefined;
}

export interface ReplayCursorDeps {
  readonly plan: SeekPlan;
  /** Starts a process, with a snapshot or from where the run index begins; its threads stand before their first tasks. */
  readonly start: (from: number | undefined, options?: ProcessOptions, urgency?: Urgency) => ReplayProcess;
  /** How one would begin now that somebody waits for. */
  readonly startMode: () => StartMode;
  /** Bytes that processes may take which stand where the engine has been. */
  readonly memoryBudget: number;
  /** Nobody has gone anywhere for a while: something may be prepared. `isLong`: to run all of the recording takes longer than a process needs to begin. */
  readonly onIdle: (isLong: boolean) => void;
}

export interface CursorProcess {
  readonly coordinator: CoordinatorLink;
  /** The task that it has begun with. */
  readonly startOrder: number;
  readonly startMode: StartMode;
  /** Whether it can tell of statements that have begun before in the task where it stands. */
  readonly hasCallHistory: boolean;
  position: Position;
  /** Where its threads have come to, if the program is where it has been. */
  furthest: Position | undefined;
  hasUndone: boolean;
  hasRun: boolean;
  threads: readonly ThreadStatus[];
}

/** What is done after so many milliseconds in which nobody goes anywhere. */
type IdleTask = readonly [after: number, prepare: () => void];

interface StatementTarget {
  readonly list: number;
  readonly statement: number;
}

/** A list that no task has. */
const BEYOND_ALL_LISTS = 2 ** 30;
/** Milliseconds after which nobody waits for the end of a task in which one is to go back. */
const UNDO_TIMEOUT_MS = 2000;
/** Milliseconds after which it is taken that somebody looks at where he stands, and for long: who goes on at once has use for the machine's time. */
const IDLE_MS = 300;
const LONG_IDLE_MS = 1500;

export class ReplayCursor {
  readonly #deps: ReplayCursorDeps;
  #current: CursorProcess | undefined;
  readonly #trailing: TrailingProcess<CursorProcess>;
  #idleTimer: NodeJS.Timeout | undefined;
  /** So many ways that somebody waits for. */
  #activeSeeks = 0;
  readonly #estimator = new SeekEstimator();
  readonly #pool: PausedProcessPool<CursorProcess>;
  #hasGoneBack = false;
  /** A process has begun for where it is about to be. */
  #isNewProcess = false;
  /** What was evaluated may have changed it. */
  #hasSideEffects = false;
  /** Something has been evaluated where it stands that is to be taken back. */
  #hasEvaluated = false;
  /** So often it has gone back in place, and begun anew. */
  readonly seekCounts: { inPlace: number; restarts: number } = { inPlace: 0, restarts: 0 };
  pausePoint: PausePoint;
  #isClosed = false;

  constructor(parts: ReplayCursorDeps) {
    this.#deps = parts;
    this.#pool = new PausedProcessPool(parts.memoryBudget);
    this.#trailing = new TrailingProcess(
      (order) => this.#startProcess(order, {}, 'later'),
      (order, startOrder) => this.#plan.limitsFor(order, false, startOrder),
    );
    this.pausePoint = this.#taskBoundary(1);
    // It has just been opened.
    this.#scheduleIdleTasks([[IDLE_MS, () => this.#reportIdle()]]);
  }

  get #plan(): SeekPlan {
    return this.#deps.plan;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#trailing.close();
    this.endProcess();
  }

  /** Where it stands nobody knows then. */
  endProcess(): void {
    this.#current?.coordinator.end();
    this.#current = undefined;
    if (this.#isClosed) this.#pool.close();
  }

  /** Before a task, or at the end. */
  #taskBoundary(order: number): PausePoint {
    const thread = this.#plan.threadOf(order);
    return {
      position: taskStart(order),
      worker: thread?.worker,
      epoch: thread?.epoch,
      location: undefined,
    };
  }

  /** A process that stands where the engine does. */
  async currentProcess(): Promise<CursorProcess> {
    const { position } = this.pausePoint;
    const process = this.#current;
    const isThere = process !== undefined && !process.coordinator.isLost && isSamePosition(process.position, position);
    // What was evaluated may be looked at as long as it stands there.
    if (isThere) return process;
    await this.seek(position);
    return this.#current as unknown as CursorProcess;
  }

  async request<Q extends ThreadRequestName>(
    request: Q,
    params: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const { coordinator } = await this.currentProcess();
    const thread = this.#plan.threadOf(this.pausePoint.position.order) ?? MAIN_THREAD;
    return coordinator.request(thread, request, params);
  }

  async seek(position: Position): Promise<PausePoint> {
    return (await this.#undoTo(position)) ?? (await this.#seekForward(position)) ?? this.seekExecuting(position);
  }

  /** So that what comes behind runs: of a program that is where it has been it is done again as it was. */
  async seekExecuting(position: Position): Promise<PausePoint> {
    return (await this.#seekForward(position, true)) as PausePoint;
  }

  /** Forward, in the process that comes there soonest; nothing if it was one that is not the same any more. */
  #seekForward(position: Position, mustExecute = false): Promise<PausePoint | undefined> {
    return this.#plan.runOrRestart(() => this.#trySeekForward(position, mustExecute));
  }

  async #trySeekForward(position: Position, mustExecute: boolean): Promise<PausePoint | undefined> {
    const process = await this.#nearestProcess(position, mustExecute);
    // One that has not been anywhere yet has not said that it is there.
    if (isSamePosition(process.position, position) && process.threads.length > 0) {
      if (this.#hasEvaluated) await this.request('undoEvaluation', undefined);
      this.#hasEvaluated = false;
      return this.#pausePointOf(process);
    }
    return this.#runTo(process, position.order, statementTargetOf(position));
  }

  /** In place; nothing if the process that runs is not behind there, or cannot. @param tracking of the task that is run once more; to be noted it is even if the process stands there */
  async #undoTo(position: Position, tracking: TrackingMode = 'nothing'): Promise<PausePoint | undefined> {
    const process = this.#current;
    if (process === undefined || this.#hasSideEffects || process.coordinator.isLost) return undefined;
    const { position: at } = process;
    const distance = comparePositions(position, at);
    if (distance > 0 || (distance === 0 && tracking === 'nothing') || process.threads.length === 0) return undefined;
    // A task that it is in the midst of it runs to its end first.
    const furthest = process.furthest ?? (isTaskStart(at) ? at : taskStart(at.order + 1));
    if (this.#plan.maxTasksOfOneThread(position.order, furthest.order) > MAX_UNDONE_TASKS) return undefined;
    process.hasUndone = true;
    process.furthest = furthest;
    const timer = setTimeout(() => process.coordinator.end(), UNDO_TIMEOUT_MS);
    try {
      const stop = await this.#runTo(process, position.order, statementTargetOf(position), tracking);
      if (stop !== undefined) this.seekCounts.inPlace++;
      return stop;
    } catch (error) {
      // Unless it is who has asked that does not want it any more.
      if (this.#current !== process || !(error instanceof ReplayError)) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Each task of those is run, and what passes in it is noted: the process has it. */
  async runTraced(from: number, to: number): Promise<CursorProcess> {
    await this.seekExecuting(taskStart(from));
    const process = this.#current as unknown as CursorProcess;
    this.pausePoint = (await this.#runTo(process, to + 1, undefined, 'statements')) as PausePoint;
    return process;
  }

  /** The task where it stands is run once more in place, up to there, and all that it writes is noted: the process has it. Nothing, if it cannot be. */
  async trackCurrentTask(): Promise<CursorProcess | undefined> {
    await this.currentProcess();
    return this.#track(this.pausePoint.position);
  }

  /** The same of one before, to its end. */
  trackTask(order: number): Promise<CursorProcess | undefined> {
    return this.#track({ order, list: BEYOND_ALL_LISTS, statement: 0 });
  }

  async #track(position: Position): Promise<CursorProcess | undefined> {
    const stop = await this.#undoTo(position, 'writes');
    return stop === undefined ? undefined : this.#current;
  }

  /** One that stands where this does and keeps what probes have passed on a thread, which takes longer. */
  async withCallHistory(thread: ThreadName): Promise<CursorProcess> {
    const process = await this.currentProcess();
    if (process.hasCallHistory) return process;
    const { pausePoint: stop } = this;
    this.#leaveProcess();
    const other = (this.#current = this.#startProcess(stop.position.order, { writeTracking: thread }));
    await this.#runTo(other, stop.position.order, stop.position);
    return other;
  }

  /** The process that stands here, which is the caller's from now on. */
  async release(): Promise<CoordinatorLink> {
    const { coordinator } = await this.currentProcess();
    this.#current = undefined;
    return coordinator;
  }

  noteEvaluation({ isPure, isUndone }: Pick<EvaluationResult, 'isPure' | 'isUndone'>): void {
    if (isPure) return;
    this.#hasEvaluated = true;
    if (!isUndone) this.#hasSideEffects = true;
  }

  async stepForward(): Promise<PausePoint> {
    if (this.#hasSideEffects) await this.seek(this.pausePoint.position);
    const process = await this.currentProcess();
    while (process.position.order < this.#plan.endOrder) {
      const stop = await this.#runTo(process, process.position.order, { next: true });
      if (stop === undefined) {
        await this.seek(this.pausePoint.position);
        return this.stepForward();
      }
      if (stop.location !== undefined || !isTaskStart(stop.position)) return stop;
    }
    return this.#taskBoundary(process.position.order);
  }

  /** Somebody looks at where it stands, perhaps for a while. */
  arrive(stop: PausePoint): PausePoint {
    this.pausePoint = stop;
    // From afar the next way is as likely to be far as near, and a far one takes so much longer.
    const firstIdleTask = this.#isNewProcess ? 0 : IDLE_MS;
    this.#isNewProcess = false;
    const prepareIf = (isWanted: boolean): void => {
      if (isWanted) this.#trailing.prepare(this.pausePoint.position.order);
    };
    this.#scheduleIdleTasks([
      [firstIdleTask, () => this.#reportIdle()],
      // It has run nothing yet, and takes all ways back there.
      [IDLE_MS, () => prepareIf(this.#plan.isModuleEvaluation(this.pausePoint.position.order))],
      [LONG_IDLE_MS, () => prepareIf(this.#hasGoneBack)],
    ]);
    return stop;
  }

  #reportIdle(): void {
    this.#deps.onIdle(this.#estimator.isSlowerThanStart(this.#plan.workBetween(1, this.#plan.endOrder)));
  }

  /** One behind the other, unless somebody is on the way then, who will rest, too. */
  #scheduleIdleTasks([firstIdleTask, ...laterIdleTasks]: readonly IdleTask[], since = 0): void {
    clearTimeout(this.#idleTimer);
    if (firstIdleTask === undefined) return;
    const [after, prepare] = firstIdleTask;
    this.#idleTimer = setTimeout(() => {
      if (this.#activeSeeks > 0 || this.#isClosed) return;
      prepare();
      this.#scheduleIdleTasks(laterIdleTasks, after);
    }, after - since).unref();
  }

  /** A process that comes there soonest: the one that runs, one that waits, or a new one. @param mustExecute none whose program is where it has been */
  async #nearestProcess(position: Position, mustExecute: boolean): Promise<CursorProcess> {
    const { order } = position;
    const process = this.#hasSideEffects || this.#current?.coordinator.isLost === true ? undefined : this.#current;
    const isBackward = process === undefined || comparePositions(position, process.position) < 0;
    if (this.#current !== undefined && isBackward) this.#hasGoneBack = true;
    const trailing = this.#trailing.process;
    let best: CursorProcess | undefined;
    for (const each of [process, trailing, this.#pool.nearestBefore(position)])
      if (
        each !== undefined &&
        comparePositions(each.position, position) <= 0 &&
        !(mustExecute && each.furthest !== undefined)
      )
        if (best === undefined || comparePositions(each.position, best.position) > 0) best = each;
    const startOrder = this.#plan.firstTaskOfPhase(this.#plan.snapshotBefore(order));
    const isLong = (at: number, before: number): boolean =>
      this.#estimator.isSlowerThanStart(this.#plan.workBetween(at, startOrder), this.#deps.startMode(), before);
    if (best !== undefined && isLong(best.position.order, best === trailing ? this.#trailingDelayMs() : 0))
      best = undefined;
    if (best !== undefined && best === process) return best;
    // Before another one is kept, for which it might have to go.
    if (best !== undefined) this.#pool.remove(best);
    this.#leaveProcess();
    if (best === undefined) return this.#restart(order);
    // Whoever gives up ends it.
    this.#current = best;
    if (best === trailing) {
      await this.#trailing.take();
      best.hasRun = true;
    }
    return best;
  }

  /** Milliseconds until it is where it says that it is, as far as that is known. */
  #trailingDelayMs(): number {
    const { process, seekingForMs } = this.#trailing;
    if (process === undefined || seekingForMs === undefined) return 0;
    const seekMs = this.#estimator.seekMs(this.#plan.workBetween(process.startOrder, process.position.order));
    return Math.max(0, this.#estimator.startMs('cold') + seekMs - seekingForMs);
  }

  /** One that is still on the way to where the engine stood takes time that the new one has use for. */
  #restart(order: number): CursorProcess {
    this.seekCounts.restarts++;
    this.#isNewProcess = true;
    this.#trailing.abandonSeek();
    return (this.#current = this.#startProcess(order));
  }

  /** It stays where it is, for whoever comes by again; but not what was changed by what was evaluated. */
  #leaveProcess(): void {
    const process = this.#current;
    this.#current = undefined;
    if (process !== undefined && !this.#hasSideEffects && !process.coordinator.isLost) this.#pool.add(process);
    else process?.coordinator.end();
    this.#hasSideEffects = false;
  }

  /** One that stands before the first task of a snapshot. */
  #startProcess(order: number, options: ProcessOptions = {}, urgency: Urgency = 'now'): CursorProcess {
    const phase = this.#plan.snapshotBefore(order);
    const startOrder = this.#plan.firstTaskOfPhase(phase);
    const process = this.#deps.start(phase, options, urgency);
    return {
      coordinator: new CoordinatorLink(process),
      startOrder,
      startMode: process.startMode,
      hasCallHistory: options.writeTracking !== undefined,
      position: taskStart(startOrder),
      furthest: undefined,
      hasUndone: false,
      hasRun: false,
      threads: [],
    };
  }

  /** To a task, or into it; nothing if it cannot go back there, or is not the same any more since it has been back. */
  async #runTo(
    process: CursorProcess,
    order: number,
    statementTarget: StatementTarget | { readonly next: true } | undefined,
    tracking: TrackingMode = 'nothing',
  ): Promise<PausePoint | undefined> {
    const thread = statementTarget === undefined ? undefined : this.#plan.threadOf(order);
    const isInTask = thread !== undefined;
    const limits = this.#plan.limitsFor(order, isInTask, process.startOrder);
    const target = isInTask && statementTarget !== undefined ? { ...thread, ...statementTarget } : undefined;
    let threads: readonly ThreadStatus[];
    this.#activeSeeks++;
    const startedAt = performance.now();
    try {
      threads = await process.coordinator.run(limits, target, tracking);
      if (tracking === 'nothing') this.#recordTiming(process, order, performance.now() - startedAt);
    } catch (error) {
      // Nobody knows where it stands.
      process.coordinator.end();
      throw error;
    } finally {
      this.#activeSeeks--;
    }
    process.threads = threads;
    const divergence = divergenceIn(threads, ({ startedTasks }) => `after ${startedTasks} of its tasks`);
    if (divergence !== undefined) {
      this.endProcess();
      if (process.hasUndone) return undefined;
      throw divergence;
    }
    const { furthest } = process;
    const ownStatus = threads.find((each) => each.worker === thread?.worker && each.epoch === thread.epoch);
    const isBackward = furthest !== undefined && order < furthest.order;
    if (isBackward && (ownStatus?.state === 'ended' || threads.some((each) => hasFailedToUndo(each, limits)))) {
      // From there it can go on.
      process.position = furthest;
      process.furthest = undefined;
      process.threads = [];
      return undefined;
    }
    process.position =
      ownStatus?.state === 'at-statement'
        ? { order, list: ownStatus.list, statement: ownStatus.statement }
        : taskStart(isInTask ? order + 1 : order);
    if (furthest !== undefined && comparePositions(process.position, furthest) >= 0) process.furthest = undefined;
    return this.#pausePointOf(process);
  }

  /** How long it has taken, before it is said that it is there. */
  #recordTiming(process: CursorProcess, order: number, elapsedMs: number): void {
    const { hasRun, hasCallHistory, position: at, startMode } = process;
    process.hasRun = true;
    if (hasCallHistory) return;
    const work = this.#plan.workBetween(at.order, order);
    if (hasRun) this.#estimator.recordSeek(work, elapsedMs);
    else this.#estimator.recordStart(work, elapsedMs, startMode);
  }

  async #pausePointOf({ position: at, coordinator }: CursorProcess): Promise<PausePoint> {
    const stop = this.#taskBoundary(at.order);
    if (isTaskStart(at)) return stop;
    const location = await coordinator.request(this.#plan.threadOf(at.order) ?? MAIN_THREAD, 'location', undefined);
    return { ...stop, position: at, location: location ?? undefined };
  }
}

function statementTargetOf({ list, statement }: Position): StatementTarget | undefined {
  return list > 0 || statement > 0 ? { list, statement } : undefined;
}

function isSamePosition(first: Position, second: Position): boolean {
  return comparePositions(first, second) === 0;
}
