// InPlaceUndo moves the program of one thread back in place (docs/internals/replay-process.md, "In-place undo"). It decides which tasks
// are logged, undoes tasks down to the requested one, re-executes that task up to the requested statement, and pauses
// there. After the last such request it returns the program to the front, the latest position that the thread executed.
//
// ThreadController calls it: `startTask` for each task, and `move` while the thread is paused between two tasks.
//
// The thread stays inside of `move` until the program is at the front again. So nothing runs at the front meanwhile,
// and `#startedTasks` of the controller stays the number of tasks up to the front. If the undo log does not reach the
// requested task, the thread reports `undo-failed`, and the client needs another process.
import type { Scheduler } from '@turntable/runtime';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { StartedStatement } from './call-trail.ts';
import { armTarget, isTargetPassed, isTargetReached } from './control-target.ts';
import type { ControlState, ControlTarget, ControlWords } from './control-words.ts';
import type { PauseLoop } from './pause-loop.ts';
import type { ThreadInstruments } from './thread-instruments.ts';
import type { ReexecutionResult, UndoHistory } from './undo-history.ts';
import type { UndonePosition, WriteTracker } from './write-tracker.ts';
import type { StartedTask } from '../replay/thread/task-tracker.ts';

/** Number of tasks before the limit that can be undone. */
const UNDO_RANGE = 128;
/** Undo range in a process that tracks writes, where each change is noted twice. Another process serves older tasks. */
const UNDO_RANGE_WITH_WRITES = 16;
/** Trace sources whose calls into the program are intercepted, so that their tasks can be undone. */
const UNDOABLE_SOURCES: ReadonlySet<number> = new Set([
  TRACE_SOURCES.timer,
  TRACE_SOURCES.device,
  TRACE_SOURCES.settled,
  TRACE_SOURCES.promise,
]);

export interface InPlaceUndoDeps {
  readonly words: ControlWords;
  readonly pauseLoop: PauseLoop;
  instruments(): ThreadInstruments;
  scheduler(): Scheduler | undefined;
  /** Number of tasks that the thread has started, undone tasks included. */
  startedTasks(): number;
  /** Publishes the statement that is about to begin, for requests that arrive while `pause` runs. */
  showStatement(statement: StartedStatement, pause: () => void): void;
}

export class InPlaceUndo {
  readonly #deps: InPlaceUndoDeps;
  readonly #words: ControlWords;
  #isIntercepted = false;
  /** Whether the program is before the front, also while it re-executes a task. */
  #isActive = false;
  /** The statement of a re-execution at which the thread is paused. */
  #pausedStatement: StartedStatement | undefined;

  constructor(deps: InPlaceUndoDeps) {
    this.#deps = deps;
    this.#words = deps.words;
  }

  /** Logs the changes of the task that starts, if it is one of the last tasks before the limit and can be undone. */
  startTask({ kind, entry }: StartedTask): void {
    const { undoHistory, isTrackingWrites } = this.#deps.instruments();
    if (undoHistory === undefined) return;
    const range = isTrackingWrites ? UNDO_RANGE_WITH_WRITES : UNDO_RANGE;
    const tasksToLimit = this.#words.limit - this.#deps.startedTasks();
    const isInRange = tasksToLimit < range && this.#words.tracking !== 'statements';
    const isUndoable =
      kind !== 'evaluation' && kind !== 'stop' && (entry === undefined || UNDOABLE_SOURCES.has(entry.source));
    if (!isInRange || !isUndoable) return undoHistory.startUntracked();
    const scheduler = this.#deps.scheduler();
    if (!this.#isIntercepted && scheduler !== undefined) {
      this.#isIntercepted = true;
      scheduler.intercept(undoHistory, undoHistory);
    }
    undoHistory.startTask();
  }

  /** Whether the control words request a position before the front. Must be read only between two tasks. */
  get isRequested(): boolean {
    const { limit, target, isReleased } = this.#words;
    if (isReleased || this.#deps.instruments().scanner !== undefined) return false;
    const startedTasks = this.#deps.startedTasks();
    return limit < startedTasks || (limit === startedTasks && target !== undefined);
  }

  /** The program's position while it is before the front; undefined at the front. */
  get position(): UndonePosition | undefined {
    if (!this.#isActive) return undefined;
    const { limit, pausedAt } = this.#words;
    const statement = this.#pausedStatement;
    if (statement === undefined) return { position: { task: limit + 1, list: 0, statement: 0 }, statement };
    return { position: { task: limit, ...pausedAt }, statement };
  }

  /** Moves the program back to each requested position and pauses there, then returns it to the front. */
  move(): void {
    const words = this.#words;
    const { undoHistory, writeTracker } = this.#deps.instruments();
    this.#isActive = true;
    words.state = 'undoing';
    writeTracker?.pauseListening();
    undoHistory?.leaveFront();
    while (this.isRequested) this.#moveToTarget(undoHistory);
    undoHistory?.returnToFront();
    writeTracker?.resumeListening();
    words.startedTasks = this.#deps.startedTasks();
    words.state = 'running';
    this.#isActive = false;
  }

  #moveToTarget(undoHistory: UndoHistory | undefined): void {
    const words = this.#words;
    const { runNumber, limit } = words;
    const target = words.takeTarget();
    const remainingTasks = target === undefined ? limit : limit - 1;
    if (undoHistory?.undoTo(this.#deps.startedTasks() - remainingTasks) !== true)
      return this.#pauseUntilNextRun('undo-failed', runNumber);
    words.startedTasks = limit;
    if (target === undefined) return this.#pauseUntilNextRun('at-task', runNumber);
    const { promiseTracker } = this.#deps.instruments();
    const reexecute = (): ReexecutionResult => this.#reexecute(limit, target, undoHistory);
    const result = promiseTracker === undefined ? reexecute() : promiseTracker.reexecute(reexecute);
    // If the task has ended before the target, the loop in `move` continues with the current control words.
    if (result !== 'diverged') return;
    words.setEnded('diverged');
    this.#pause('ended', () => words.isReleased);
  }

  #reexecute(task: number, target: ControlTarget, undoHistory: UndoHistory): ReexecutionResult {
    const { writeFinder, frameRuns } = this.#deps.instruments();
    const reexecute = (): ReexecutionResult =>
      this.#words.tracking !== 'writes' || writeFinder === undefined
        ? undoHistory.reexecute(() => this.#pauseAt(target, task, undoHistory))
        : writeFinder.reexecute(task, (writeTracker) =>
            undoHistory.reexecute(() => this.#trackUntil(target, task, undoHistory, writeTracker)),
          );
    return frameRuns === undefined ? reexecute() : frameRuns.reexecute(task, reexecute);
  }

  /** Arms a pause at the target, and at the following targets in this task. */
  #pauseAt(target: ControlTarget, task: number, undoHistory: UndoHistory): void {
    armTarget(this.#deps.instruments().clock, target, (file, statement, locals) =>
      undoHistory.runAsHost(() => {
        this.#pauseInReexecution({ file, statement, locals }, task, undoHistory);
        this.#pauseAt(this.#words.takeTarget(), task, undoHistory);
      }),
    );
  }

  /** Like `#pauseAt`, but also reports each statement to the tracker. */
  #trackUntil(firstTarget: ControlTarget, task: number, undoHistory: UndoHistory, writeTracker: WriteTracker): void {
    let target = firstTarget;
    this.#deps.instruments().clock?.watch((file, statement, locals, list, listStatement) => {
      writeTracker.addStatement(file, statement, locals, list, listStatement, true);
      if (!isTargetReached(target, list, listStatement)) return;
      undoHistory.runAsHost(() => {
        this.#pauseInReexecution({ file, statement, locals }, task, undoHistory);
        target = this.#words.takeTarget();
      });
    });
  }

  /** Pauses in a re-execution. Then stops the re-execution, unless the next target is ahead in this task. */
  #pauseInReexecution(statement: StartedStatement, task: number, undoHistory: UndoHistory): void {
    const words = this.#words;
    const { runNumber, tracking } = words;
    this.#pausedStatement = statement;
    this.#deps.showStatement(statement, () => this.#pauseUntilNextRun('at-statement', runNumber));
    this.#pausedStatement = undefined;
    const { limit, target, isReleased } = words;
    const isInTask = limit === task && target !== undefined && !isReleased;
    const isAhead = isInTask && !isTargetPassed(target, this.#deps.instruments().clock?.position);
    if (!isAhead || words.tracking !== tracking) undoHistory.stopReexecution();
  }

  /** @param runNumber the run that brought the thread to its present position */
  #pauseUntilNextRun(state: ControlState, runNumber: number): void {
    this.#pause(state, () => this.#words.runNumber !== runNumber);
  }

  #pause(state: ControlState, canResume: () => boolean): void {
    this.#deps.pauseLoop.pause(state, canResume);
    this.#words.state = 'undoing';
  }
}
