// The runs of the frames of one thread: a run lasts from the start or a resumption of a suspendable function to its next
// suspension, or to its end. A run is named by its task and its number among the runs in the task. Every process that
// executes the task gives it the same name.
//
// The methods of the observer run between statements of the program, which may have replaced all builtin functions.
import { resultOf, waitersOf, type Eventual, type Frame, type FrameObserver, type Realm } from '@turntable/core';

/** Task and number of a run in one number: `task * RUNS_PER_TASK + number`. */
export type PackedRunName = number;

const RUNS_PER_TASK = 2 ** 24;
/** Maximum number of promises through which awaiting frames are searched. */
const MAX_AWAITED = 1000;

/** The frames that await the result of a frame. */
export interface Awaiters {
  /** Their last runs. */
  readonly runs: PackedRunName[];
  /** Whether one of them is older than the process. */
  hasOlder: boolean;
}

export interface RunListener {
  /**
   * @param previous the last run of the frame; undefined if the frame is older than the process
   * @param isCalled whether a function is on the stack that has started or resumed the frame
   */
  runStarting(name: PackedRunName, previous: PackedRunName | 'none' | undefined, isCalled: boolean): void;
  /** @param awaiters of the frame's result, if it has ended, or of the value that it yields, if a frame awaits it */
  runEnded(hasFinished: boolean, awaiters: Awaiters | undefined): void;
}

export function runNumber(name: PackedRunName): number {
  return name % RUNS_PER_TASK;
}

/** The last run of a frame; undefined if the frame is older than the process. */
export function lastRunOf(frame: Frame): PackedRunName | undefined {
  return (frame as ObservedFrame).lastRun;
}

export function taskOfRun(name: PackedRunName): number {
  return Math.floor(name / RUNS_PER_TASK);
}

/**
 * The last run is kept as a property, since a WeakMap would double the cost of an `await`. It is no part of the program's
 * state. The undo log restores it with the other properties.
 */
interface ObservedFrame extends Frame {
  lastRun?: PackedRunName;
}

export class FrameRuns implements FrameObserver {
  readonly #jobs: Realm['jobs'];
  /** The frames that run now, outermost first, and their runs. */
  readonly #frames: Frame[] = [];
  readonly #names: PackedRunName[] = [];
  #depth = 0;
  #task = 0;
  #count = 0;
  #isApart = false;
  /** An async generator that is about to be suspended at a `yield`, and the frames that await the value. */
  #yielding: { readonly frame: Frame; readonly awaiters: Awaiters } | undefined;
  listener: RunListener | undefined;

  constructor({ jobs }: Realm) {
    this.#jobs = jobs;
  }

  startTask(task: number): void {
    this.#task = task;
    this.#count = this.#depth = 0;
  }

  runStarting(frame: ObservedFrame): void {
    if (this.#isApart) return;
    const name = this.#task * RUNS_PER_TASK + this.#count++;
    const depth = this.#depth++;
    this.#frames[depth] = frame;
    this.#names[depth] = name;
    if (this.listener !== undefined) {
      const previous = frame.pc === 0 ? 'none' : frame.lastRun;
      this.listener.runStarting(name, previous, depth > 0 || this.#jobs.runningTarget() !== frame);
    }
    frame.lastRun = name;
  }

  runEnded(frame: Frame, hasFinished: boolean): void {
    if (this.#isApart) return;
    if (this.#depth > 0) this.#depth--;
    if (this.listener === undefined) return;
    this.listener.runEnded(hasFinished, hasFinished ? this.#awaitersOf(frame) : this.#yieldAwaitersOf(frame));
  }

  yielding(frame: Frame): void {
    if (this.#isApart || this.listener === undefined) return;
    this.#yielding = { frame, awaiters: this.#awaitersOf(frame) };
  }

  #yieldAwaitersOf(frame: Frame): Awaiters | undefined {
    const yielding = this.#yielding;
    if (yielding?.frame !== frame) return undefined;
    this.#yielding = undefined;
    const { awaiters } = yielding;
    return awaiters.runs.length > 0 || awaiters.hasOlder ? awaiters : undefined;
  }

  /** The innermost frame that runs now, and its run; undefined outside of suspendable functions. */
  get current(): { readonly frame: Frame; readonly name: PackedRunName } | undefined {
    const index = this.#depth - 1;
    return index < 0 ? undefined : { frame: this.#frames[index] as Frame, name: this.#names[index] as PackedRunName };
  }

  /** The frames that await the result of a frame, or the next value of a generator, directly or through other promises. */
  #awaitersOf(frame: Frame): Awaiters {
    const found: Awaiters = { runs: [], hasOlder: false };
    const eventuals: Eventual[] = [];
    const follow = (eventual: Eventual | undefined): void => {
      if (eventual === undefined || eventuals.length >= MAX_AWAITED) return;
      for (let i = 0; i < eventuals.length; i++) if (eventuals[i] === eventual) return;
      eventuals[eventuals.length] = eventual;
    };
    follow(resultOf(frame));
    for (let i = 0; i < eventuals.length; i++) {
      const waiters = waitersOf(eventuals[i] as Eventual);
      for (let j = 0; j < waiters.length; j++) {
        const { frame: awaiting, derived } = waiters[j] as (typeof waiters)[number];
        const run = awaiting && lastRunOf(awaiting.frame);
        if (awaiting === undefined) follow(derived);
        else if (run === undefined) found.hasOlder = true;
        else found.runs[found.runs.length] = run;
      }
    }
    return found;
  }

  /** Re-executes a task, whose runs already have names. */
  reexecute<T>(task: number, run: () => T): T {
    const previous = [this.#task, this.#count, this.#depth] as const;
    this.startTask(task);
    try {
      return run();
    } finally {
      [this.#task, this.#count, this.#depth] = previous;
    }
  }

  /** Runs code that is not the recorded program's, such as an evaluation. */
  runApart<T>(run: () => T): T {
    const wasApart = this.#isApart;
    this.#isApart = true;
    try {
      return run();
    } finally {
      this.#isApart = wasApart;
    }
  }
}
