// The cursor of a replay: its current position, and how it seeks to another one.
//
// Forward, the current process runs on. Backward, it undoes tasks in place while its undo logs reach. Where that is not
// possible or too slow, another process takes over: one that is paused before the position (PausedProcessPool,
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
import {
  MAX_UNDONE_TASKS,
  type ThreadRequestName,
  type ThreadRequests,
  type ThreadStatus,
  type TrackingMode,
} from './protocol.ts';
import { MAIN_THREAD } from './thread-name.ts';
import type { EvaluationResult } from './inspected-values.ts';
import type { ProcessOptions, StatementInTask } from './process-options.ts';
import type { StatementLocation } from './task-trace.ts';
import type { ThreadName } from './thread-name.ts';

/** A position at which a replay process can pause, with the statement there. */
export interface PausePoint {
  readonly position: Position;
  /** The thread of the task; undefined at the end of the recording. */
  readonly worker: number | undefined;
  readonly epoch: number | undefined;
  /** The statement that begins next; undefined at the start of a task and at the end of the recording. */
  readonly location: StatementLocation | undefined;
}

export interface ReplayCursorDeps {
  readonly plan: SeekPlan;
  /** Starts a process from a snapshot or the start of the recording; its threads pause before their first tasks. */
  readonly start: (from: number | undefined, options?: ProcessOptions, urgency?: Urgency) => ReplayProcess;
  /** How a process would start if it were needed now. */
  readonly startMode: () => StartMode;
  /** Maximum number of bytes that all paused processes may take together. */
  readonly memoryBudget: number;
  /**
   * Called when the cursor has not moved for a while, so that the caller can prepare something.
   * `isLong`: running the whole recording takes longer than starting a process.
   */
  readonly onIdle: (isLong: boolean) => void;
}

/** A replay process with everything that the cursor knows about it. */
export interface CursorProcess {
  readonly coordinator: CoordinatorLink;
  /** The first task that the process runs. */
  readonly startOrder: number;
  readonly startMode: StartMode;
  /** Whether the process answers requests about earlier statements of the current task. */
  readonly hasCallHistory: boolean;
  position: Position;
  /** If tasks are undone: the position up to which they had run. A run up to it redoes them, without executing. */
  furthest: Position | undefined;
  /** Whether the process has ever undone tasks. If so, a later divergence may be its own, and not the replay's. */
  hasUndone: boolean;
  /** Whether the first run is over. Only the first run's duration includes the start of the process. */
  hasRun: boolean;
  /** States of the threads after the last run; empty if they are unknown. */
  threads: readonly ThreadStatus[];
}

/** A task for idle times: the milliseconds after the last move when it is due, and its function. */
type IdleTask = readonly [afterMs: number, run: () => void];

/** The statement at which a run pauses, in the last task of the run. */
type StatementTarget = StatementInTask | { readonly next: true };

/** A list number above that of any task: a run to this list reaches the end of the task. */
const BEYOND_ALL_LISTS = 2 ** 30;
/** Maximum time of an undo, which waits for the current task to end. After that, another process is faster. */
const UNDO_TIMEOUT_MS = 2000;
/** Time without a move after which idle tasks start. While stepping, a user moves sooner, and needs the processor. */
const IDLE_MS = 300;
/** Time without a move after which the user is reading, so a whole process may be started for later. */
const LONG_IDLE_MS = 1500;

export class ReplayCursor {
  readonly #deps: ReplayCursorDeps;
  readonly #plan: SeekPlan;
  readonly #estimator = new SeekEstimator();
  readonly #pool: PausedProcessPool<CursorProcess>;
  readonly #trailing: TrailingProcess<CursorProcess>;
  #current: CursorProcess | undefined;
  pausePoint: PausePoint;
  /** Number of backward seeks in place, and number of processes that were started for a seek. */
  readonly seekCounts: { inPlace: number; restarts: number } = { inPlace: 0, restarts: 0 };
  #activeRuns = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #hasGoneBack = false;
  /** Whether a process was started for the current seek. */
  #hasRestarted = false;
  /** Whether an evaluation may have changed the program in a way that cannot be undone. */
  #hasSideEffects = false;
  /** Whether evaluations have changed the program at the current position, so that even a seek to it must undo them. */
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

  /** Ends the current process. The user's position is kept: the next request starts a process there. */
  endProcess(): void {
    this.#current?.coordinator.end();
    this.#current = undefined;
    if (this.#isClosed) this.#pool.close();
  }

  /** The current process, brought to the pause point first. Changes that evaluations have made there are kept. */
  async currentProcess(): Promise<CursorProcess> {
    const { position } = this.pausePoint;
    const process = this.#current;
    if (process !== undefined && !process.coordinator.isLost && isSamePosition(process.position, position))
      return process;
    await this.seek(position);
    return this.#current as unknown as CursorProcess;
  }

  /** Sends a request to the thread of the cursor's task; at the end of the recording, to the main thread. */
  async request<Q extends ThreadRequestName>(
    request: Q,
    params: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const { coordinator } = await this.currentProcess();
    return coordinator.request(this.#threadAt(this.pausePoint.position), request, params);
  }

  // Seeks. They move a process, but not the pause point: the caller does that with `arrive`.

  /** Brings a process to a position. If the task does not have the statement, the next one that runs is used. */
  async seek(position: Position): Promise<PausePoint> {
    return (await this.#undoTo(position)) ?? (await this.#seekForward(position)) ?? this.#seekExecuting(position);
  }

  /** Brings a process to a position after which it executes tasks, instead of redoing undone ones. */
  async #seekExecuting(position: Position): Promise<PausePoint> {
    return (await this.#seekForward(position, true)) as PausePoint;
  }

  /** Seeks with the fastest process; undefined if it diverged after it had undone tasks. */
  #seekForward(position: Position, mustExecute = false): Promise<PausePoint | undefined> {
    return this.#plan.runOrRestart(async () => {
      const process = await this.#chooseProcess(position, mustExecute);
      // The position of a new process is confirmed only by its first run.
      const isThere = isSamePosition(process.position, position) && process.threads.length > 0;
      if (!isThere) return this.#runTo(process, position.order, statementTargetOf(position));
      if (this.#mustUndoEvaluation) await this.request('undoEvaluation', undefined);
      this.#mustUndoEvaluation = false;
      return this.#pausePointOf(process);
    });
  }

  /**
   * Goes back in place; undefined if the current process is before the position or cannot undo that far.
   * @param tracking what to track in the re-executed task; unless `nothing`, the process may be at the position already
   */
  async #undoTo(position: Position, tracking: TrackingMode = 'nothing'): Promise<PausePoint | undefined> {
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
      // `endProcess` means that the caller has aborted. After any other failure, another process seeks.
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

  /** Seeks with a process that has executed all tasks from `since` on. */
  async seekSince(since: number, position: Position): Promise<PausePoint> {
    await this.#seekFrom(since, position.order);
    return (await this.#runTo(
      this.#current as CursorProcess,
      position.order,
      statementTargetOf(position),
    )) as PausePoint;
  }

  // Runs that record something. They return the process, which the caller asks for the record.

  /**
   * Executes the tasks `from` to `to` and traces their statements, which the caller then requests.
   * @param since task from which on the process must have executed all tasks
   */
  async runTraced(from: number, to: number, since: number): Promise<CursorProcess> {
    if (since < from) await this.#seekFrom(since, from);
    else await this.#seekExecuting(taskStart(from));
    const process = this.#current as unknown as CursorProcess;
    this.pausePoint = (await this.#runTo(process, to + 1, undefined, 'statements')) as PausePoint;
    return process;
  }

  /** Brings a process that has executed all tasks from `since` on to the start of a later task. */
  #seekFrom(since: number, order: number): Promise<PausePoint | undefined> {
    return this.#plan.runOrRestart(async () => {
      const current = this.#hasSideEffects ? undefined : this.#current;
      const isUsable =
        current !== undefined &&
        !current.coordinator.isLost &&
        current.startOrder <= since &&
        current.furthest === undefined &&
        comparePositions(current.position, taskStart(order)) <= 0;
      if (!isUsable) {
        this.#leaveProcess();
        this.#restart(since);
      }
      const process = this.#current as CursorProcess;
      const isThere = isSamePosition(process.position, taskStart(order)) && process.threads.length > 0;
      return isThere ? this.#pausePointOf(process) : this.#runTo(process, order, undefined);
    });
  }

  /** Re-executes the current task in place, up to the pause point, and tracks its writes; undefined if impossible. */
  async trackCurrentTask(): Promise<CursorProcess | undefined> {
    await this.currentProcess();
    return this.#track(this.pausePoint.position);
  }

  /** Re-executes an earlier task in place, to its end, and tracks its writes; undefined if impossible. */
  trackTask(order: number): Promise<CursorProcess | undefined> {
    return this.#track({ order, list: BEYOND_ALL_LISTS, statement: 0 });
  }

  async #track(position: Position): Promise<CursorProcess | undefined> {
    const stop = await this.#undoTo(position, 'writes');
    return stop === undefined ? undefined : this.#current;
  }

  /**
   * The current process, if it has the call history of a thread. Otherwise another process, which has it, takes over at
   * the pause point. It runs more slowly, so the cursor uses such a process only on request.
   */
  async withCallHistory(thread: ThreadName): Promise<CursorProcess> {
    const process = await this.currentProcess();
    if (process.hasCallHistory) return process;
    const { position } = this.pausePoint;
    this.#leaveProcess();
    const other = (this.#current = this.#startProcess(position.order, { writeTracking: thread }));
    await this.#runTo(other, position.order, position);
    return other;
  }

  /**
   * Replaces the current process by one that has executed at least twice as many tasks before the pause point. Returns
   * false if there is none, or if evaluations have changed the program here.
   */
  async useEarlierProcess(): Promise<boolean> {
    const { startOrder, hasCallHistory, coordinator } = await this.currentProcess();
    const { position } = this.pausePoint;
    const thread = this.#plan.threadOf(position.order);
    if (startOrder <= 1 || this.#hasSideEffects || this.#mustUndoEvaluation) return false;
    const since = Math.max(1, Math.min(startOrder - 1, 2 * startOrder - position.order));
    this.#current = undefined;
    coordinator.end();
    await this.#plan.runOrRestart(() => {
      const process = this.#startProcess(
        since,
        hasCallHistory && thread !== undefined ? { writeTracking: thread } : {},
      );
      this.seekCounts.restarts++;
      this.#current = process;
      return this.#runTo(process, position.order, statementTargetOf(position));
    });
    return true;
  }

  /** Brings the current process to the pause point and hands it over to the caller, who must end it. */
  async release(): Promise<CoordinatorLink> {
    const { coordinator } = await this.currentProcess();
    this.#current = undefined;
    return coordinator;
  }

  /** Must be called after each evaluation in the current process: its effects decide whether the process can run on. */
  noteEvaluation({ isPure, isUndone }: Pick<EvaluationResult, 'isPure' | 'isUndone'>): void {
    if (isPure) return;
    this.#mustUndoEvaluation = true;
    if (!isUndone) this.#hasSideEffects = true;
  }

  // Idle times.

  /** Makes a pause point the user's position, and schedules preparations for the case that the user stays there. */
  arrive(stop: PausePoint): PausePoint {
    this.pausePoint = stop;
    // A distant seek is likely to be followed by another one, so a standby process is worth starting at once.
    const reportAfterMs = this.#hasRestarted ? 0 : IDLE_MS;
    this.#hasRestarted = false;
    const prepareIf = (isWanted: boolean): void => {
      if (isWanted) this.#trailing.prepare(this.pausePoint.position.order);
    };
    this.#scheduleIdleTasks([
      [reportAfterMs, () => this.#reportIdle()],
      // Module evaluation cannot be undone in place, so each backward seek in it needs another process.
      [IDLE_MS, () => prepareIf(this.#plan.isModuleEvaluation(this.pausePoint.position.order))],
      [LONG_IDLE_MS, () => prepareIf(this.#hasGoneBack)],
    ]);
    return stop;
  }

  #reportIdle(): void {
    this.#deps.onIdle(this.#estimator.isSlowerThanStart(this.#plan.workBetween(1, this.#plan.endOrder)));
  }

  /** Runs tasks when they are due. A task that is due during a run is cancelled with all later ones. */
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

  // The choice and start of processes.

  /**
   * Makes the process current that reaches a position soonest: the current one, one that is paused before the position,
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
    // The chosen process is removed first, since adding the current process to the pool might evict it.
    if (chosen !== undefined) this.#pool.remove(chosen);
    this.#leaveProcess();
    if (chosen === undefined) return this.#restart(position.order);
    // This is set before the wait, so that an abort ends the process.
    this.#current = chosen;
    if (chosen === trailing) {
      await this.#trailing.take();
      chosen.hasRun = true;
    }
    return chosen;
  }

  /** Whether a new process from the last snapshot before a task reaches the task sooner than this process. */
  #isRestartFaster(process: CursorProcess, order: number): boolean {
    const startOrder = this.#plan.firstTaskOfPhase(this.#plan.snapshotBefore(order));
    const delayMs = process === this.#trailing.process ? this.#trailingDelayMs() : 0;
    const work = this.#plan.workBetween(process.position.order, startOrder);
    return this.#estimator.isSlowerThanStart(work, this.#deps.startMode(), delayMs);
  }

  /** Estimated milliseconds until the trailing process reaches its position. */
  #trailingDelayMs(): number {
    const { process, seekingForMs } = this.#trailing;
    if (process === undefined || seekingForMs === undefined) return 0;
    const seekMs = this.#estimator.seekMs(this.#plan.workBetween(process.startOrder, process.position.order));
    return Math.max(0, this.#estimator.startMs('cold') + seekMs - seekingForMs);
  }

  #restart(order: number): CursorProcess {
    this.seekCounts.restarts++;
    this.#hasRestarted = true;
    // The trailing process must not compete with the new process for the processor.
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

  // Runs of one process.

  /**
   * Runs or undoes a process to the start of a task, or to a statement in it. Throws if the replay has diverged.
   * Undefined if another process must take over, because this one cannot undo that far, or has diverged after an undo.
   */
  async #runTo(
    process: CursorProcess,
    order: number,
    statement: StatementTarget | undefined,
    tracking: TrackingMode = 'nothing',
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
      // The process can still be used for positions after the furthest one.
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

  /** Runs the threads of a process. A process whose run fails is ended, since its position is unknown. */
  async #run(
    { coordinator }: CursorProcess,
    ...args: Parameters<CoordinatorLink['run']>
  ): Promise<readonly ThreadStatus[]> {
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

  /** Records how long a run took. Must be called before the position of the process changes. */
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

  /** The pause point at the start of a task, or at the end of the recording. */
  #taskBoundary(order: number): PausePoint {
    const thread = this.#plan.threadOf(order);
    return { position: taskStart(order), worker: thread?.worker, epoch: thread?.epoch, location: undefined };
  }

  #threadAt({ order }: Position): ThreadName {
    return this.#plan.threadOf(order) ?? MAIN_THREAD;
  }
}

function statementTargetOf(position: Position): StatementInTask | undefined {
  return isTaskStart(position) ? undefined : { list: position.list, statement: position.statement };
}

function isSamePosition(first: Position, second: Position): boolean {
  return comparePositions(first, second) === 0;
}
