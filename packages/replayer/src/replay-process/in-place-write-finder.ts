// InPlaceWriteFinder finds last writes in a thread that can move back in place (docs/engine.md, "Who writes"). The
// thread re-executes the current task up to its position while a WriteTracker notes the writes. If no statement of the
// task wrote the value, the undo logs name the earlier task that may have; the caller re-executes that one to its end.
//
// Re-executed code works on the same objects, except for objects that the task itself creates: these are new, and none
// of their writes is found.
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
  /** Writes of the task that is re-executed, or was re-executed last. */
  #writeTracker: WriteTracker | undefined;
  #task = 0;
  #target: WriteTarget | undefined;

  /** @param startedTasks number of tasks that the thread has started */
  constructor(loader: Loader, tape: () => ReplayTape, undoHistory: UndoHistory, startedTasks: () => number) {
    this.#loader = loader;
    this.#tape = tape;
    this.#undoHistory = undoHistory;
    this.#startedTasks = startedTasks;
  }

  /** Calls `run`, which re-executes the task and reports its statements to the tracker. */
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

  /** Finds the last write before the thread's position. A continued request asks for the target of the previous one. */
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

  /** Names the last earlier task that may have written the target. */
  #earlierTask(expression: string): ThreadWriteResult {
    const target = this.#target;
    const lastTask = this.#startedTasks() - this.#undoHistory.undoneTasks;
    const tasksAgo = target && this.#undoHistory.tasksSinceWrite(target.object, target.key, lastTask - this.#task + 2);
    // The logs say nothing about objects that earlier tasks created; a caller that looks further back sees them.
    if (target !== undefined && tasksAgo === undefined)
      return { ...unwrittenResult(expression), at: [lastTask - this.#undoHistory.undoableTasks + 1, 0, 0] };
    if (tasksAgo === undefined) return unwrittenResult(expression);
    return { ...unwrittenResult(expression), kind: 'earlier', at: [lastTask - tasksAgo + 1, 0, 0] };
  }
}

function unwrittenResult(expression: string): ThreadWriteResult {
  return { part: expression, kind: 'unwritten', isApproximate: false, at: undefined, isPure: true };
}
