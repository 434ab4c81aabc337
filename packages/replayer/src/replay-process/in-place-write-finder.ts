// InPlaceWriteFinder finds last writes in a thread that can move back in place (docs/internals/replay-process.md, "Last writes"). It
// serves the `lastWrite` requests of processes that are paused and inspected, which do not track writes while they run
// forward.
//
// The client first moves the thread to the same position again, with tracking of writes: InPlaceUndo re-executes the
// current task through `reexecute`, and a WriteTracker notes the writes. If no statement of the task wrote the value,
// the undo logs name the latest earlier task that may have. The client moves the thread to the end of that task, and
// continues the request.
//
// Re-executed code works on the same objects as before, except for objects that the task itself creates: these are new
// in each re-execution, so none of their writes is found.
import type { Loader } from '../thread/loader.ts';
import type { ReplayTape } from '@turntable/runtime';
import type { ThreadWriteResult, WriteRequest } from '@turntable/time-machine/replay-process';
import type { FrameRuns } from './frame-runs.ts';
import type { UndoHistory } from './undo-history.ts';
import type { WriteTarget } from './last-write-lookup.ts';
import { WriteTracker } from './write-tracker.ts';

export class InPlaceWriteFinder {
  readonly #loader: Loader;
  readonly #tape: () => ReplayTape;
  readonly #frameRuns: FrameRuns;
  readonly #undoHistory: UndoHistory;
  readonly #startedTasks: () => number;
  /** The current or last re-executed task, and the tracker of its writes. */
  #task = 0;
  #writeTracker: WriteTracker | undefined;
  /** Target of the last request, which the client can continue in an earlier task. */
  #target: WriteTarget | undefined;

  /** @param startedTasks number of tasks that the thread has started, undone tasks included */
  constructor(
    loader: Loader,
    tape: () => ReplayTape,
    frameRuns: FrameRuns,
    undoHistory: UndoHistory,
    startedTasks: () => number,
  ) {
    this.#loader = loader;
    this.#tape = tape;
    this.#frameRuns = frameRuns;
    this.#undoHistory = undoHistory;
    this.#startedTasks = startedTasks;
  }

  /** Tracks the writes of a re-execution. @param run re-executes the task and reports its statements to the tracker */
  reexecute<T>(task: number, run: (writeTracker: WriteTracker) => T): T {
    const writeTracker = new WriteTracker(this.#loader, this.#tape, this.#frameRuns, {
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

  /** Finds the last write before the thread's position. A continued request is about the target of the previous one. */
  find(request: WriteRequest): ThreadWriteResult {
    const writeTracker = this.#writeTracker;
    if (writeTracker === undefined) return unwrittenResult(request.expression);
    if (request.isContinued === true) return this.#findContinued(writeTracker, request.expression);
    const { result, target } = writeTracker.find(request);
    this.#target = target;
    const isUndone = this.#undoHistory.isEvaluationUndoable;
    if (result.kind !== 'unwritten') return { ...result, isUndone };
    return { ...this.#earlierTask(request.expression), isPure: result.isPure, isUndone };
  }

  #findContinued(writeTracker: WriteTracker, expression: string): ThreadWriteResult {
    const result = this.#target === undefined ? unwrittenResult(expression) : writeTracker.findTarget(this.#target);
    return result.kind === 'unwritten' ? this.#earlierTask(expression) : result;
  }

  /** Names the latest earlier task that may have written the target. */
  #earlierTask(expression: string): ThreadWriteResult {
    const unwritten = unwrittenResult(expression);
    const target = this.#target;
    if (target === undefined) return unwritten;
    const undoHistory = this.#undoHistory;
    const lastTask = this.#startedTasks() - undoHistory.undoneTaskCount;
    const tasksAgo = undoHistory.tasksSinceWrite(target.object, target.key, lastTask - this.#task + 2);
    if (tasksAgo !== undefined) return { ...unwritten, kind: 'earlier', at: [lastTask - tasksAgo + 1, 0, 0] };
    // The logs say nothing about objects that earlier tasks created; a client that searches further back finds them.
    return { ...unwritten, at: [lastTask - undoHistory.undoableTaskCount + 1, 0, 0] };
  }
}

function unwrittenResult(expression: string): ThreadWriteResult {
  return { part: expression, kind: 'unwritten', isApproximate: false, at: undefined, isPure: true };
}
