// By this the state of a thread goes back to what it was when a task began, in time proportional to what has been written since and not to
// the heap: before something changes, what it was like is noted, and played backwards. Who notes: barriers in code of debug mode
// (transform's write-barriers.ts), the methods of the language that change something (mutators.ts), core where its own objects change
// (journal.ts). docs/undo.md says what is noted where, and what cannot be undone: then the log says so, and a state is to be restored.
//
// A log is a chain of tasks. What an object was like is noted once in each, so any number of them can be undone, the last first.

import { WriteListenerPair } from './write-listener-pair.ts';
import { journal } from './journal.ts';
import { type Mutators, replaceMutators, type WriteListener } from './mutators.ts';
import { TaskUndoLog } from './task-undo-log.ts';
import type { Realm } from '../realm.ts';
import type { StatementClock } from '../statement-clock.ts';

export interface WriteListenerOptions {
  /** Is told of each frame of an async function that is about to begin or to go on. */
  readonly onFrameRun?: (frame: object) => void;
  /** The listener is told of what a task notes as well. */
  readonly includesTasks?: boolean;
}

export class UndoLog {
  readonly #clock: StatementClock;
  readonly #tasks: TaskUndoLog[] = [];
  readonly #undone: { readonly redoLog: TaskUndoLog; readonly undoneLog: TaskUndoLog }[] = [];
  /** The task that is being noted. */
  #currentTask: TaskUndoLog | undefined;
  /** Who is told of writes while no task is noted, or at any time. */
  #listener: WriteListener | undefined;
  #includesTasks = false;
  /** Who is told of them now. */
  #activeListener: WriteListener | undefined;

  /**
   * `runScript` runs a text as a script of the context whose code is undone, `clock` is that context's. To be made before any code of the program runs, and before it is noted
   * what the language's objects are like: methods of theirs are replaced, and `mutators`, which are the host's. There is one log in a context; whose tasks it is of, `startTask` is told.
   */
  constructor(clock: StatementClock, runScript: (text: string) => unknown, mutators: readonly Mutators[] = []) {
    this.#clock = clock;
    journal.isPossible = true;
    replaceMutators(() => this.#activeListener as WriteListener, runScript, mutators);
  }

  /** How many tasks can be undone. */
  get depth(): number {
    return this.#tasks.length;
  }

  /** Bytes that all of them keep, roughly. */
  get sizeBytes(): number {
    let sum = 0;
    for (let i = 0; i < this.#tasks.length; i++) sum += (this.#tasks[i] as TaskUndoLog).sizeBytes;
    return sum;
  }

  /** Why the last of them cannot be undone, if it cannot. */
  get obstacle(): string | undefined {
    return this.#lastTask?.obstacle;
  }

  /** Whether all that the last one has changed can be given back by now: nothing of that was frozen, and no collection that is to be filled anew is gone through. */
  get isReversible(): boolean {
    return this.#lastTask?.isReversible !== false;
  }

  get #lastTask(): TaskUndoLog | undefined {
    return this.#tasks[this.#tasks.length - 1];
  }

  /** A task begins: with no code of the program on the stack, or with such as will go on only after this one has been undone. */
  startTask(realm: Realm): void {
    this.#undone.length = 0;
    this.#startTask(new TaskUndoLog(realm));
  }

  #startTask(task: TaskUndoLog): void {
    task.noteQueues();
    this.#tasks[this.#tasks.length] = task;
    this.#setCurrentTask(task);
  }

  /** The same, for a task that is undone before anything else is undone, redone or begun. It may begin during another task. */
  startAside(realm: Realm): void {
    const task = new TaskUndoLog(realm);
    task.isAside = true;
    this.#startTask(task);
  }

  /** From now on nothing is noted: no code of the program may run before the next task begins, or this one goes on. */
  pause(): void {
    this.#setCurrentTask(undefined);
  }

  /** The last task goes on, as when one that began in its midst has been undone. */
  resume(): void {
    this.#setCurrentTask(this.#lastTask);
  }

  /** Gives up the oldest tasks until those that are left keep no more than so many bytes, or one is left. */
  trimTo(maxBytes: number): void {
    let { sizeBytes } = this;
    let count = 0;
    for (; sizeBytes > maxBytes && count < this.depth - 1; count++)
      sizeBytes -= (this.#tasks[count] as TaskUndoLog).sizeBytes;
    if (count > 0) this.forgetOldest(count);
  }

  /** The oldest tasks can no longer be undone. */
  forgetOldest(count: number): void {
    const tasks = this.#tasks;
    for (let i = count; i < tasks.length; i++) tasks[i - count] = tasks[i] as TaskUndoLog;
    tasks.length = Math.max(0, tasks.length - count);
    if (tasks.length === 0) this.pause();
  }

  /**
   * Gives everything back that the last task has changed; the one before it is the last then, and nothing is noted until the next begins. Answers
   * the objects that could not be given back what they were like, as one that was frozen: the state is the one it was only if nothing leads
   * to them, as to objects that the task itself has made. Not to be called if there is an obstacle. To be redone, twice as much is noted.
   */
  undo(isRedoable = false): readonly object[] {
    const task = this.#lastTask;
    if (task === undefined) throw new RangeError('undo: no task has begun that is still to be undone.');
    if (task.obstacle !== undefined)
      throw new RangeError(`undo: the task cannot be undone, because ${task.obstacle}. Restore a state instead.`);
    this.pause();
    this.#tasks.length--;
    const { unrestored, redoLog } = this.runApart(() => task.undo(isRedoable));
    if (task.isAside) return unrestored;
    if (redoLog === undefined) this.#undone.length = 0;
    else this.#undone[this.#undone.length] = { redoLog, undoneLog: task };
    return unrestored;
  }

  /** Undoes the last task again after it was re-executed, at least in part: if the same happened, nothing new need be noted. */
  undoAgain(): readonly object[] {
    this.pause();
    return this.runApart(() => this.#undone[this.#undone.length - 1]?.undoneLog.undo(false).unrestored) ?? [];
  }

  /** How many tasks can be done again: those that were undone since the last one began. */
  get undoneCount(): number {
    return this.#undone.length;
  }

  /** Does the task again that was undone last, without running anything: what it made is what it was. It can be undone as before. */
  redo(): readonly object[] {
    const lastUndone = this.#undone[this.#undone.length - 1];
    if (lastUndone === undefined) throw new RangeError('redo: no task has been undone since the last one began.');
    this.pause();
    this.#undone.length--;
    const { unrestored, redoLog } = this.runApart(() => lastUndone.redoLog.undo(true));
    this.#tasks[this.#tasks.length] = redoLog as TaskUndoLog;
    return unrestored;
  }

  /** How many tasks ago, at least `before`, a part of an object may have been written last: 1 is the last task that can be undone; undefined for none. */
  tasksSinceWrite(object: object, key: unknown, minAgo = 1): number | undefined {
    const tasks = this.#tasks;
    let ago = 0;
    for (let i = tasks.length - 1; i >= 0; i--) {
      const task = tasks[i] as TaskUndoLog;
      if (!task.isAside && ++ago >= minAgo && task.mayHaveWritten(object, key)) return ago;
    }
    return undefined;
  }

  /** Runs what is not to be noted; playing back is such: of private members it is by accessors of the program's, which have barriers. */
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

  /** From now on somebody is told of all that the program writes, wherever no task is noted. Nobody, if nothing is given. */
  setListener(
    listener: WriteListener | undefined,
    { onFrameRun, includesTasks = false }: WriteListenerOptions = {},
  ): void {
    journal.onFrameRun = onFrameRun;
    this.#listener = listener;
    this.#includesTasks = includesTasks;
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
