// Who has written something, asked where a thread stands that can go back (docs/engine.md, "Who writes"): the task is run once more up to there, and what it writes is noted. If it was
// none of its statements, undo logs say in which task before it may have been, and that is run once more, to its end. The objects are those that were there: only what has come into being
// in a task is another one when it runs once more, so that nothing is found of it.
import type { Loader } from '../thread/loader.ts';
import type { ReplayTape } from '@turntable/runtime';
import type { ThreadWriteResult, WriteRequest } from '@turntable/time-machine/replay-process';
import type { UndoHistory } from './undo-history.ts';
import { WriteTracker, type WriteTarget } from './write-tracker.ts';

export class InPlaceWriteFinder {
  readonly #loader: Loader;
  readonly #tape: () => ReplayTape;
  readonly #undoHistory: UndoHistory;
  readonly #startedTasks: () => number;
  /** Of the task that is run once more, or was. */
  #writeTracker: WriteTracker | undefined;
  #task = 0;
  #target: WriteTarget | undefined;

  /** @param startedTasks tasks that have run */
  constructor(loader: Loader, tape: () => ReplayTape, undoHistory: UndoHistory, startedTasks: () => number) {
    this.#loader = loader;
    this.#tape = tape;
    this.#undoHistory = undoHistory;
    this.#startedTasks = startedTasks;
  }

  /** Runs a task once more, by what is given, which tells what is noted of each statement. */
  reexecute<T>(task: number, run: (writeTracker: WriteTracker) => T): T {
    const writeTracker = new WriteTracker(this.#loader, this.#tape, {
      initialValuesTask: 'all',
      runLogged: (evaluate, isWriting) => this.#undoHistory.evaluate(evaluate, isWriting),
    });
    this.#writeTracker = writeTracker;
    this.#task = task;
    writeTracker.startTask(task);
    try {
      return run(writeTracker);
    } finally {
      writeTracker.endTask();
    }
  }

  /** Of the task that is run once more where it stands, or of what was asked before in the one that was. */
  find(request: WriteRequest): ThreadWriteResult {
    const writeTracker = this.#writeTracker;
    if (writeTracker === undefined) return unwrittenResult(request.expression);
    if (request.isContinued === true) return this.#findContinued(writeTracker, request.expression);
    const result = writeTracker.find(request);
    this.#target = writeTracker.lastTarget;
    const isUndone = this.#undoHistory.isEvaluationUndoable;
    if (result.kind !== 'unwritten') return { ...result, isUndone };
    return { ...this.#earlierTask(request.expression), isPure: result.isPure, isUndone };
  }

  #findContinued(writeTracker: WriteTracker, expression: string): ThreadWriteResult {
    const result = this.#target === undefined ? unwrittenResult(expression) : writeTracker.findTarget(this.#target);
    return result.kind === 'unwritten' ? this.#earlierTask(expression) : result;
  }

  /** In the last task before this one of which nobody knows that it has not written it. */
  #earlierTask(expression: string): ThreadWriteResult {
    const target = this.#target;
    const lastTask = this.#startedTasks() - this.#undoHistory.undoneTasks;
    const tasksAgo = target && this.#undoHistory.tasksSinceWrite(target.object, target.key, lastTask - this.#task + 2);
    // It is not known of what is made in them, which whoever looks further back sees.
    if (target !== undefined && tasksAgo === undefined)
      return { ...unwrittenResult(expression), at: [lastTask - this.#undoHistory.undoableTasks + 1, 0, 0] };
    if (tasksAgo === undefined) return unwrittenResult(expression);
    return { ...unwrittenResult(expression), kind: 'earlier', at: [lastTask - tasksAgo + 1, 0, 0] };
  }
}

function unwrittenResult(expression: string): ThreadWriteResult {
  return { part: expression, kind: 'unwritten', isApproximate: false, at: undefined, isPure: true };
}
