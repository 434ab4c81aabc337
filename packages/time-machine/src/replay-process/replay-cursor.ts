// The cursor of a replay: its current position, and how it seeks to another one.
//
// Forward, the current process runs on. Backward, it undoes tasks in place while its undo logs reach. Where neither
// is possible or soon enough, another process takes over: one that is paused before the position (PausedProcessPool,
// TrailingProcess), or a new one that starts from the last snapshot before it. The caller notices only the time.
//
// ReplayDriver is the caller, with one request at a time. Invariants:
// - A process has one owner: it is current, in the pool, or trailing. A process without an owner has ended.
// - A process whose program an evaluation may have changed for good never runs on and never enters the pool.
// - `pausePoint` is the position of the user. The current process may be elsewhere, since a trace or a failed move
//   displaces it; `currentProcess` brings it back.
import { comparePositions, endOfRunningTask, isTaskStart, taskStart, type Position } from '../position.ts';
import { CoordinatorLink, type ReplayProcess, type Urgency } from './coordinator-link.ts';
import { divergenceIn, hasFailedToUndo } from './divergence.ts';
import { ReplayError } from './replay-error.ts';
import type { SeekPlan } from './seek-plan.ts';
import { nearestBefore, PausedProcessPool } from './paused-process-pool.ts';
import { SeekEstimator, type StartMode } from './seek-estimator.ts';
import { TrailingProcess } from './trailing-process.ts';
import { MAIN_THREAD, MAX_UNDONE_TASKS } from './protocol.ts';
import type * as protocol from './protocol.ts';

/** A position at which a replay process can be paused, with its statement. */
export interface PausePoint {
  readonly position: Position;
  /** The thread of the task; undefined at the end of the recording. */
  readonly worker: number | undefined;
  readonly epoch: number | undefined;
  /** The statement that begins next; undefined at the start of a task and at the end of the recording. */
  readonly location: protocol.StatementLocation | undefined;
}

export interface ReplayCursorDeps {
  readonly plan: SeekPlan;
  /** Starts a process from a snapshot or the start of the recording; its threads pause before their first tasks. */
  readonly start: (from: number | undefined, options?: protocol.ProcessOptions, urgency?: Urgency) => ReplayProcess;
  /** How a process would start if it were needed now. */
  readonly startMode: () => StartMode;
  /** Bytes that paused processes may take together. */
  readonly memoryBudget: number;
  /**
   * Called when nothing has moved the cursor for a while, so the caller may prepare something.
   * `isLong`: running the whole recording takes longer than starting a process.
   */
  readonly onIdle: (isLong: boolean) => void;
}

/** A replay process with all that the cursor knows of it. */
export interface CursorProcess {
  readonly coordinator: CoordinatorLink;
  /** The first task that the process runs. */
  readonly startOrder: number;
  readonly startMode: StartMode;
  /** The process can answer requests about statements that have begun earlier in the current task. */
  readonly hasCallHistory: boolean;
  position: Position;
  /** While tasks are undone, the position up to which they have run. Running forward redoes them without executing. */
  furthest: Position | undefined;
  /** It has undone tasks at least once. A later divergence may come from that, and is no divergence of the replay. */
  hasUndone: boolean;
  /** The first run is over. Its duration includes the start of the process, that of later runs does not. */
  hasRun: boolean;
  /** State of the threads after the last run; empty if it is unknown. */
  threads: readonly protocol.ThreadStatus[];
}

/** Work for the time in which nothing moves the cursor: how many milliseconds after the last move it is due. */
type IdleTask = readonly [afterMs: number, run: () => void];

/** A statement at which a run pauses, in its last task. */
type StatementTarget = protocol.StatementInTask | { readonly next: true };

/** More lists of statements than any task enters: a run to this list reaches the end of the task. */
const BEYOND_ALL_LISTS = 2 ** 30;
/** An undo waits for the current task to end. After this time another process is faster. */
const UNDO_TIMEOUT_MS = 2000;
/** While stepping, a user moves again within this time, and the move needs all of the machine. */
const IDLE_MS = 300;
/** After this time the user is reading, and a whole process may be started for later. */
const LONG_IDLE_MS = 1500;

export class ReplayCursor {
  readonly #deps: ReplayCursorDeps;
  readonly #plan: SeekPlan;
  readonly #estimator = new SeekEstimator();
  readonly #pool: PausedProcessPool<CursorProcess>;
  readonly #trailing: TrailingProcess<CursorProcess>;
  #current: CursorProcess | undefined;
  pausePoint: PausePoint;
  /** Numbers of backward seeks in place, and of processes that were started for a seek. */
  readonly seekCounts: { inPlace: number; restarts: number } = { inPlace: 0, restarts: 0 };
  #activeRuns = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #hasGoneBack = false;
  /** A process was started for the seek that is under way. */
  #hasRestarted = false;
  /** An evaluation may have changed the program, and its changes cannot be undone. */
  #hasSideEffects = false;
  /** An evaluation has changed the program at the current position; a seek to this very position must undo that. */
  #mustUndoEvaluation = false;
  #isClosed = false;

  constructor(deps: ReplayCursorDeps) {
    this.#deps = deps;
    this.#plan = deps.plan;
    this.#pool = new PausedProcessPool(deps.memoryBudget);
    this.#trailing = new TrailingProcess(
      (order) => this.#startProcess(order, {}, 'later'),
      (order, startOrder) => this.#plan.limitsFor(order, false, startOrder),
    );
    this.pausePoint = this.#taskBoundary(1);
    this.#scheduleIdleTasks([[IDLE_MS, () => this.#reportIdle()]]);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#trailing.close();
    this.endProcess();
  }

  /** Ends the current process. The position of the user stays: the next request starts a process there. */
  endProcess(): void {
    this.#current?.coordinator.end();
    this.#current = undefined;
    if (this.#isClosed) this.#pool.close();
  }

  /** The current process, after it was brought to the pause point. Changes by evaluations at that position stay. */
  async currentProcess(): Promise<CursorProcess> {
    const { position } = this.pausePoint;
    const process = this.#current;
    if (process !== undefined && !process.coordinator.isLost && isSamePosition(process.position, position))
      return process;
    await this.seek(position);
    return this.#current as unknown as CursorProcess;
  }

  /** Sends a request to the thread whose task the cursor is in; at the end of the recording, to the main thread. */
  async request<Q extends protocol.ThreadRequestName>(
    request: Q,
    params: protocol.ThreadRequests[Q]['params'],
  ): Promise<protocol.ThreadRequests[Q]['result']> {
    const { coordinator } = await this.currentProcess();
    return coordinator.request(this.#threadAt(this.pausePoint.position), request, params);
  }

  // Seeks. They move a process, and not the pause point: the caller does that with `arrive`.

  /** Brings a process to a position. A statement that the task does not have means the next one that runs. */
  async seek(position: Position): Promise<PausePoint> {
    return (await this.#undoTo(position)) ?? (await this.#seekForward(position)) ?? this.#seekExecuting(position);
  }

  /** Brings a process to a position from which it executes tasks instead of redoing undone ones. */
  async #seekExecuting(position: Position): Promise<PausePoint> {
    return (await this.#seekForward(position, true)) as PausePoint;
  }

  /** Seeks with the process that gets there soonest; undefined if that process diverged because it had undone tasks. */
  #seekForward(position: Position, mustExecute = false): Promise<PausePoint | undefined> {
    return this.#plan.runOrRestart(async () => {
      const process = await this.#chooseProcess(position, mustExecute);
      // Before its first run, a process has not confirmed its position.
      const isThere = isSamePosition(process.position, position) && process.threads.length > 0;
      if (!isThere) return this.#runTo(process, position.order, statementTargetOf(position));
      if (this.#mustUndoEvaluation) await this.request('undoEvaluation', undefined);
      this.#mustUndoEvaluation = false;
      return this.#pausePointOf(process);
    });
  }

  /**
   * Goes back in place; undefined if the current process is before the position or cannot undo that far.
   * @param tracking of the task that is re-executed; with it, the process may already be at the position
   */
  async #undoTo(position: Position, tracking: protocol.TrackingMode = 'nothing'): Promise<PausePoint | undefined> {
    const process = this.#current;
    if (process === undefined || this.#hasSideEffects || process.coordinator.isLost) return undefined;
    const distance = comparePositions(position, process.position);
    if (distance > 0 || (distance === 0 && tracking === 'nothing') || process.threads.length === 0) return undefined;
    const furthest = process.furthest ?? endOfRunningTask(process.position);
    if (this.#plan.maxTasksOfOneThread(position.order, furthest.order) > MAX_UNDONE_TASKS) return undefined;
    process.hasUndone = true;
    process.furthest = furthest;
    const timer = setTimeout(() => process.coordinator.end(), UNDO_TIMEOUT_MS);
    try {
      const stop = await this.#runTo(process, position.order, statementTargetOf(position), tracking);
      if (stop !== undefined) this.seekCounts.inPlace++;
      return stop;
    } catch (error) {
      // `endProcess` means that the caller has aborted. Any other failure leaves the seek to another process.
      if (this.#current !== process || !(error instanceof ReplayError)) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Moves on to the next statement of the recording, or to its end. */
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

  // Runs that record something. The result is the process, which the caller asks for the record.

  /** Executes the tasks `from` to `to` and traces their statements. */
  async runTraced(from: number, to: number): Promise<CursorProcess> {
    await this.#seekExecuting(taskStart(from));
    const process = this.#current as unknown as CursorProcess;
    this.pausePoint = (await this.#runTo(process, to + 1, undefined, 'statements')) as PausePoint;
    return process;
  }

  /** Re-executes the current task in place, up to the pause point, and tracks its writes; undefined if it cannot. */
  async trackCurrentTask(): Promise<CursorProcess | undefined> {
    await this.currentProcess();
    return this.#track(this.pausePoint.position);
  }

  /** Re-executes an earlier task in place, to its end, and tracks its writes; undefined if it cannot. */
  trackTask(order: number): Promise<CursorProcess | undefined> {
    return this.#track({ order, list: BEYOND_ALL_LISTS, statement: 0 });
  }

  async #track(position: Position): Promise<CursorProcess | undefined> {
    const stop = await this.#undoTo(position, 'writes');
    return stop === undefined ? undefined : this.#current;
  }

  /**
   * The current process, if it has the call history of a thread; otherwise another one that takes over at the pause
   * point. Such a process runs more slowly, so the cursor uses one only on request.
   */
  async withCallHistory(thread: protocol.ThreadName): Promise<CursorProcess> {
    const process = await this.currentProcess();
    if (process.hasCallHistory) return process;
    const { position } = this.pausePoint;
    this.#leaveProcess();
    const other = (this.#current = this.#startProcess(position.order, { writeTracking: thread }));
    await this.#runTo(other, position.order, position);
    return other;
  }

  /** Hands the current process, at the pause point, over to the caller, who must end it. */
  async release(): Promise<CoordinatorLink> {
    const { coordinator } = await this.currentProcess();
    this.#current = undefined;
    return coordinator;
  }

  /** The caller must report each evaluation in the current process, since it decides whether the process can run on. */
  noteEvaluation({ isPure, isUndone }: Pick<protocol.EvaluationResult, 'isPure' | 'isUndone'>): void {
    if (isPure) return;
    this.#mustUndoEvaluation = true;
    if (!isUndone) this.#hasSideEffects = true;
  }

  // Idle time.

  /** Makes a pause point the position of the user, and schedules preparations in case the user stays there. */
  arrive(stop: PausePoint): PausePoint {
    this.pausePoint = stop;
    // After a distant seek another distant one is likely: a standby process is then worth starting at once.
    const reportAfterMs = this.#hasRestarted ? 0 : IDLE_MS;
    this.#hasRestarted = false;
    const prepareIf = (isWanted: boolean): void => {
      if (isWanted) this.#trailing.prepare(this.pausePoint.position.order);
    };
    this.#scheduleIdleTasks([
      [reportAfterMs, () => this.#reportIdle()],
      // No process can undo module evaluation, so each seek backward needs another process.
      [IDLE_MS, () => prepareIf(this.#plan.isModuleEvaluation(this.pausePoint.position.order))],
      [LONG_IDLE_MS, () => prepareIf(this.#hasGoneBack)],
    ]);
    return stop;
  }

  #reportIdle(): void {
    this.#deps.onIdle(this.#estimator.isSlowerThanStart(this.#plan.workBetween(1, this.#plan.endOrder)));
  }

  /** A run that is under way when a task is due cancels it and all later ones; its arrival schedules new ones. */
  #scheduleIdleTasks([first, ...later]: readonly IdleTask[], elapsedMs = 0): void {
    clearTimeout(this.#idleTimer);
    if (first === undefined) return;
    const [afterMs, run] = first;
    this.#idleTimer = setTimeout(() => {
      if (this.#activeRuns > 0 || this.#isClosed) return;
      run();
      this.#scheduleIdleTasks(later, afterMs);
    }, afterMs - elapsedMs).unref();
  }

  // Processes.

  /**
   * Makes the process current that gets to a position soonest: the current one, one that is paused before the position,
   * or a new one. @param mustExecute excludes processes with undone tasks
   */
  async #chooseProcess(position: Position, mustExecute: boolean): Promise<CursorProcess> {
    const current = this.#hasSideEffects || this.#current?.coordinator.isLost === true ? undefined : this.#current;
    const isBackward = current === undefined || comparePositions(position, current.position) < 0;
    if (this.#current !== undefined && isBackward) this.#hasGoneBack = true;
    const trailing = this.#trailing.process;
    const candidates = [current, trailing, this.#pool.nearestBefore(position)].filter(
      (each) => each !== undefined && !(mustExecute && each.furthest !== undefined),
    ) as CursorProcess[];
    const nearest = nearestBefore(candidates, position);
    const chosen = nearest === undefined || this.#isRestartFaster(nearest, position.order) ? undefined : nearest;
    if (chosen !== undefined && chosen === current) return chosen;
    // First, since keeping the current process might evict the chosen one.
    if (chosen !== undefined) this.#pool.remove(chosen);
    this.#leaveProcess();
    if (chosen === undefined) return this.#restart(position.order);
    // Before the wait, so that an abort ends it.
    this.#current = chosen;
    if (chosen === trailing) {
      await this.#trailing.take();
      chosen.hasRun = true;
    }
    return chosen;
  }

  /** Whether a new process from the last snapshot before a task gets there sooner than this one. */
  #isRestartFaster(process: CursorProcess, order: number): boolean {
    const startOrder = this.#plan.firstTaskOfPhase(this.#plan.snapshotBefore(order));
    const delayMs = process === this.#trailing.process ? this.#trailingDelayMs() : 0;
    const work = this.#plan.workBetween(process.position.order, startOrder);
    return this.#estimator.isSlowerThanStart(work, this.#deps.startMode(), delayMs);
  }

  /** Estimate of the milliseconds until the trailing process reaches its position. */
  #trailingDelayMs(): number {
    const { process, seekingForMs } = this.#trailing;
    if (process === undefined || seekingForMs === undefined) return 0;
    const seekMs = this.#estimator.seekMs(this.#plan.workBetween(process.startOrder, process.position.order));
    return Math.max(0, this.#estimator.startMs('cold') + seekMs - seekingForMs);
  }

  #restart(order: number): CursorProcess {
    this.seekCounts.restarts++;
    this.#hasRestarted = true;
    // The new process needs the processor time.
    this.#trailing.abandonSeek();
    return (this.#current = this.#startProcess(order));
  }

  /** Keeps the current process in the pool for later seeks, or ends it if its program has changed. */
  #leaveProcess(): void {
    const process = this.#current;
    this.#current = undefined;
    if (process !== undefined && !this.#hasSideEffects && !process.coordinator.isLost) this.#pool.add(process);
    else process?.coordinator.end();
    this.#hasSideEffects = false;
  }

  /** Starts a process from the last snapshot before a task. */
  #startProcess(order: number, options: protocol.ProcessOptions = {}, urgency: Urgency = 'now'): CursorProcess {
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

  // Runs of one process.

  /**
   * Runs or undoes a process to the start of a task, or to a statement in it. Undefined if the process cannot undo that
   * far, or has diverged after it had undone tasks: another process must take over. Throws if the replay has diverged.
   */
  async #runTo(
    process: CursorProcess,
    order: number,
    statement: StatementTarget | undefined,
    tracking: protocol.TrackingMode = 'nothing',
  ): Promise<PausePoint | undefined> {
    const thread = statement === undefined ? undefined : this.#plan.threadOf(order);
    const limits = this.#plan.limitsFor(order, thread !== undefined, process.startOrder);
    const target = thread && statement && { ...thread, ...statement };
    const startedAt = performance.now();
    const threads = await this.#run(process, limits, target, tracking);
    if (tracking === 'nothing') this.#recordTiming(process, order, performance.now() - startedAt);
    process.threads = threads;
    const divergence = divergenceIn(threads, ({ startedTasks }) => `after ${startedTasks} of its tasks`);
    if (divergence !== undefined) {
      this.endProcess();
      if (process.hasUndone) return undefined;
      throw divergence;
    }
    const { furthest } = process;
    const status = threads.find((each) => each.worker === thread?.worker && each.epoch === thread.epoch);
    const isBackward = furthest !== undefined && order < furthest.order;
    if (isBackward && (status?.state === 'ended' || threads.some((each) => hasFailedToUndo(each, limits)))) {
      // The process is still good for positions after the furthest one.
      process.position = furthest;
      process.furthest = undefined;
      process.threads = [];
      return undefined;
    }
    process.position =
      status?.state === 'at-statement'
        ? { order, list: status.list, statement: status.statement }
        : taskStart(thread === undefined ? order : order + 1);
    if (furthest !== undefined && comparePositions(process.position, furthest) >= 0) process.furthest = undefined;
    return this.#pausePointOf(process);
  }

  /** Runs the threads of a process. A run that fails ends the process, since its position is unknown. */
  async #run(
    { coordinator }: CursorProcess,
    ...args: Parameters<CoordinatorLink['run']>
  ): Promise<readonly protocol.ThreadStatus[]> {
    this.#activeRuns++;
    try {
      return await coordinator.run(...args);
    } catch (error) {
      coordinator.end();
      throw error;
    } finally {
      this.#activeRuns--;
    }
  }

  /** Must be called before the position of the process changes. */
  #recordTiming(process: CursorProcess, order: number, elapsedMs: number): void {
    const { hasRun, hasCallHistory, position, startMode } = process;
    process.hasRun = true;
    if (hasCallHistory) return;
    const work = this.#plan.workBetween(position.order, order);
    if (hasRun) this.#estimator.recordSeek(work, elapsedMs);
    else this.#estimator.recordStart(work, elapsedMs, startMode);
  }

  async #pausePointOf({ position, coordinator }: CursorProcess): Promise<PausePoint> {
    const boundary = this.#taskBoundary(position.order);
    if (isTaskStart(position)) return boundary;
    const location = await coordinator.request(this.#threadAt(position), 'location', undefined);
    return { ...boundary, position, location: location ?? undefined };
  }

  /** The start of a task, or the end of the recording. */
  #taskBoundary(order: number): PausePoint {
    const thread = this.#plan.threadOf(order);
    return { position: taskStart(order), worker: thread?.worker, epoch: thread?.epoch, location: undefined };
  }

  #threadAt({ order }: Position): protocol.ThreadName {
    return this.#plan.threadOf(order) ?? MAIN_THREAD;
  }
}

function statementTargetOf(position: Position): protocol.StatementInTask | undefined {
  return isTaskStart(position) ? undefined : { list: position.list, statement: position.statement };
}

function isSamePosition(first: Position, second: Position): boolean {
  return comparePositions(first, second) === 0;
}
