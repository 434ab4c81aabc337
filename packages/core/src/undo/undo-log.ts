// The undo log of one context. It takes the state of a thread back to the start of a task, in time proportional to the
// writes of the task and not to the size of the heap. Before a change, the log notes the old value. Undo applies these
// notes backwards. The notes come from barriers in debug code (transform's write-barriers.ts), from the mutating
// methods of the language (mutators.ts), and from core where its own objects change (journal.ts). docs/internals/undo.md has the
// list.
//
// The log is a chain of tasks. Each task notes the old value of a part at most once, so any number of tasks can be
// undone in reverse order. A task that did something irreversible has an `obstacle`: it must not be undone, and the
// caller restores a saved state instead.

import { WriteListenerPair } from './write-listener-pair.ts';
import { journal } from './journal.ts';
import { type Mutators, replaceMutators, type WriteListener } from './mutators.ts';
import { TaskUndoLog } from './task-undo-log.ts';
import type { Realm } from '../realm.ts';
import type { StatementClock } from '../statement-clock.ts';

export interface WriteListenerOptions {
  /** Whether the listener also receives the writes that a task notes. */
  readonly includesTasks?: boolean;
}

export class UndoLog {
  readonly #clock: StatementClock;
  readonly #tasks: TaskUndoLog[] = [];
  readonly #undone: { readonly redoLog: TaskUndoLog; readonly undoneLog: TaskUndoLog }[] = [];
  /** Task that currently takes notes; undefined if none does. */
  #currentTask: TaskUndoLog | undefined;
  /** Listener of the writes that no task notes; with `#includesTasks`, of all writes. */
  #listener: WriteListener | undefined;
  #includesTasks = false;
  /** Current receiver of writes: the task, the listener, or both. */
  #activeListener: WriteListener | undefined;

  /**
   * Replaces the mutating methods of the language, so it must run before any code of the program, and before the
   * initial state of the language's objects is recorded. A context has at most one log.
   * @param clock the statement clock of that context
   * @param runScript runs a text as a script of that context
   * @param mutators mutating methods of the host
   */
  constructor(clock: StatementClock, runScript: (text: string) => unknown, mutators: readonly Mutators[] = []) {
    this.#clock = clock;
    journal.isPossible = true;
    replaceMutators(() => this.#activeListener as WriteListener, runScript, mutators);
  }

  /** Number of tasks in the chain. */
  get depth(): number {
    return this.#tasks.length;
  }

  /** Approximate size of all tasks, in bytes. */
  get sizeBytes(): number {
    let sum = 0;
    for (let i = 0; i < this.#tasks.length; i++) sum += (this.#tasks[i] as TaskUndoLog).sizeBytes;
    return sum;
  }

  /** Reason why the last task cannot be undone; undefined if it can. */
  get obstacle(): string | undefined {
    return this.#lastTask?.obstacle;
  }

  /** Whether undoing the last task restores everything. False if it may not: frozen objects, kept iterators. */
  get isReversible(): boolean {
    return this.#lastTask?.isReversible !== false;
  }

  get #lastTask(): TaskUndoLog | undefined {
    return this.#tasks[this.#tasks.length - 1];
  }

  /** Starts a task. Code of the program on the stack may resume only after this task has been undone. */
  startTask(realm: Realm): void {
    this.#undone.length = 0;
    this.#startTask(new TaskUndoLog(realm));
  }

  #startTask(task: TaskUndoLog): void {
    task.noteQueues();
    this.#tasks[this.#tasks.length] = task;
    this.#setCurrentTask(task);
  }

  /** Starts a task outside of the chain, possibly during another task. It must be undone before the chain changes. */
  startAside(realm: Realm): void {
    const task = new TaskUndoLog(realm);
    task.isAside = true;
    this.#startTask(task);
  }

  /** Stops taking notes. No code of the program may run before the next `startTask` or `resume`. */
  pause(): void {
    this.#setCurrentTask(undefined);
  }

  /** Resumes notes for the last task, after a task that was started during it has been undone. */
  resume(): void {
    this.#setCurrentTask(this.#lastTask);
  }

  /** Drops the oldest tasks until the rest has at most `maxBytes`, or only one is left. */
  trimTo(maxBytes: number): void {
    let { sizeBytes } = this;
    let count = 0;
    for (; sizeBytes > maxBytes && count < this.depth - 1; count++)
      sizeBytes -= (this.#tasks[count] as TaskUndoLog).sizeBytes;
    if (count > 0) this.forgetOldest(count);
  }

  /** Drops the `count` oldest tasks, which then cannot be undone any more. */
  forgetOldest(count: number): void {
    const tasks = this.#tasks;
    for (let i = count; i < tasks.length; i++) tasks[i - count] = tasks[i] as TaskUndoLog;
    tasks.length = Math.max(0, tasks.length - count);
    if (tasks.length === 0) this.pause();
  }

  /**
   * Undoes the last task. No notes are taken until the next task starts. Throws if the task has an `obstacle`.
   * Returns the objects that could not be restored, such as frozen ones. The restored state is the old one only if none
   * of them is reachable from it. Objects that the task itself made are not.
   * @param isRedoable whether to keep what `redo` needs, which doubles the notes
   */
  undo(isRedoable = false): readonly object[] {
    const task = this.#lastTask;
    if (task === undefined) throw new RangeError('undo: no task is left to undo.');
    if (task.obstacle !== undefined)
      throw new RangeError(`undo: the task cannot be undone, because ${task.obstacle}. Restore a saved state instead.`);
    this.pause();
    this.#tasks.length--;
    const { unrestored, redoLog } = this.runApart(() => task.undo(isRedoable));
    if (task.isAside) return unrestored;
    if (redoLog === undefined) this.#undone.length = 0;
    else this.#undone[this.#undone.length] = { redoLog, undoneLog: task };
    return unrestored;
  }

  /** Undoes the last undone task again, after its re-execution without notes, which changes the same parts. */
  undoAgain(): readonly object[] {
    this.pause();
    return this.runApart(() => this.#undone[this.#undone.length - 1]?.undoneLog.undo(false).unrestored) ?? [];
  }

  /** Number of tasks that `redo` can restore: those undone since the last task was started. */
  get undoneCount(): number {
    return this.#undone.length;
  }

  /** Restores the state after the task that was undone last, without running code. The task can be undone again. */
  redo(): readonly object[] {
    const lastUndone = this.#undone[this.#undone.length - 1];
    if (lastUndone === undefined) throw new RangeError('redo: no task has been undone since the last one started.');
    this.pause();
    this.#undone.length--;
    const { unrestored, redoLog } = this.runApart(() => lastUndone.redoLog.undo(true));
    this.#tasks[this.#tasks.length] = redoLog as TaskUndoLog;
    return unrestored;
  }

  /** Age of the last task, at least `minAgo`, that may have written a part of an object; 1 is the last task. */
  tasksSinceWrite(object: object, key: unknown, minAgo = 1): number | undefined {
    const tasks = this.#tasks;
    let ago = 0;
    for (let i = tasks.length - 1; i >= 0; i--) {
      const task = tasks[i] as TaskUndoLog;
      if (!task.isAside && ++ago >= minAgo && task.mayHaveWritten(object, key)) return ago;
    }
    return undefined;
  }

  /** Runs code whose writes must be neither noted nor reported, such as accessors of private fields during undo. */
  runApart<T>(run: () => T): T {
    const outerTask = this.#currentTask;
    const listener = this.#listener;
    this.#listener = undefined;
    this.pause();
    try {
      return run();
    } finally {
      this.#listener = listener;
      this.#setCurrentTask(outerTask);
    }
  }

  /** Sets or removes the listener of the program's writes. By default, it receives only writes that no task notes. */
  setListener(listener: WriteListener | undefined, options: WriteListenerOptions = {}): void {
    this.#listener = listener;
    this.#includesTasks = options.includesTasks === true;
    this.#setCurrentTask(this.#currentTask);
  }

  #setCurrentTask(task: TaskUndoLog | undefined): void {
    this.#currentTask = task;
    const listener = this.#listener;
    const hasBoth = task !== undefined && listener !== undefined && this.#includesTasks;
    this.#activeListener = hasBoth ? new WriteListenerPair(task, listener) : (task ?? listener);
    this.#clock.watchWrites(this.#activeListener);
    journal.log = task;
  }
}
