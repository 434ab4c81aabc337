// UndoHistory keeps what one thread needs to undo its last tasks and to re-execute one of them in place
// (docs/internals/replay-process.md, "In-place undo").
//
// Only the program moves back. The thread's runtime stays at the front, the latest position that the thread has
// reached, and takes no part in a re-execution. So the history records, for each task, every call into the program and
// every answer that the program got from the host. A call out of the program is treated by what runs:
//
//   a task at the front   the call is made, and its answer is recorded
//   a re-execution        the recorded answer is returned; the call is not made, or a message would be sent twice
//   an evaluation         the call is made, and the evaluation can no longer be undone, unless the call is a `query`
//
// The boundary and the runtime call the `CallInterceptor` methods around every call that crosses between them and the
// program; the scheduler calls the `MailboxObserver` methods. ThreadController and InPlaceUndo report the tasks,
// InPlaceUndo moves the program, ThreadInspector evaluates.
//
// Invariants: the first `log.depth` entries belong to tasks that can be undone, in the order of the undo log; the
// entries after them belong to tasks that are undone now. All of these are redone before anything runs at the front.
//
// While changes are logged, no code in this file may use a method that changes an array or a Map: the log would take
// the change for the program's. The crossing methods run for every call of the program, so they allocate only entries.
import { restoreRandomState, captureRandomState, type RandomState } from '@turntable/boundary';
import type { CallInterceptor, Handover, Realm, StatementClock, UndoLog } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import type { MailboxObserver } from '@turntable/runtime';
import { MAX_UNDONE_TASKS } from '@turntable/time-machine/replay-process';
import { JOB, TICK } from './task-undo-entry.ts';
import type {
  HostAnswer,
  Message,
  ProgramCall,
  MessageRecipient,
  ReexecutionStep,
  TaskUndoEntry,
} from './task-undo-entry.ts';
import type { UndoneTask } from './undone-messages.ts';

/** Approximate limit of the undo log of one thread. */
const MAX_LOG_BYTES = 64 * 2 ** 20;

const IRREVERSIBLE_TEXT = 'a changed object has been frozen or is being iterated, so its old state cannot be restored';
const STOPPED_REEXECUTION: object = Object.freeze({ message: 're-execution of this task has stopped' });

/** How a re-execution ended: at the end of the task, at a target before it, or by other behaviour of the program. */
export type ReexecutionResult = 'completed' | 'stopped' | 'diverged';

interface Reexecution {
  readonly entry: TaskUndoEntry;
  /** Index of the answer to the program's next host call. */
  nextAnswer: number;
}

interface Evaluation {
  /** State of the program's random numbers before the first evaluation. */
  readonly randomState: RandomState;
  /** The job in which the thread was paused. */
  readonly runningJob: unknown;
  /** Whether the evaluation has detached the job queues. During a re-execution they are detached already. */
  readonly hasDetachedQueues: boolean;
  isUndoable: boolean;
}

export class UndoHistory implements CallInterceptor, MailboxObserver {
  readonly #log: UndoLog;
  readonly #clock: StatementClock;
  readonly #realm: Realm;
  #entries: TaskUndoEntry[] = [];
  /** Entry of the task that runs at the front; undefined between tasks and in tasks that are not tracked. */
  #currentEntry: TaskUndoEntry | undefined;
  /** Whether the code that runs now is the program's. Its changes are logged, unless it is re-executed. */
  #isProgramRunning = false;
  /** The innermost host call that has not returned yet. */
  #pendingAnswer: HostAnswer | undefined;
  /** Statement lists entered when program code last ran with interception. */
  #countedLists = 0;
  #reexecution: Reexecution | undefined;
  /** Whether the current or last re-execution was stopped before the end of its task. */
  #isStopped = false;
  /** Whether stopped code is leaving the stack. Its `finally` blocks make changes that the task did not make before. */
  #isUnwinding = false;
  /** Whether the program behaved differently in the re-execution than at the front. */
  #hasDiverged = false;
  /** Random state at the front while tasks are undone. */
  #frontRandomState: RandomState | undefined;
  /** The evaluations whose changes `undoEvaluation` undoes. */
  #evaluation: Evaluation | undefined;
  #isEvaluating = false;
  /** The reason why the last attempt to move back failed, or its re-execution diverged. */
  obstacle: string | undefined;
  /** Called before each job and tick at the front. */
  onQueueStep: (() => void) | undefined;

  constructor({ realm }: Loader, log: UndoLog, clock: StatementClock) {
    this.#log = log;
    this.#clock = clock;
    this.#realm = realm;
    realm.jobs.wrapJobs((isTick, run) => this.#runQueueStep(isTick, run));
  }

  // Tasks at the front.

  /** Starts to track a task that can be undone. */
  startTask(): void {
    const log = this.#log;
    log.startTask(this.#realm);
    log.pause();
    log.trimTo(MAX_LOG_BYTES);
    if (log.depth > MAX_UNDONE_TASKS) log.forgetOldest(log.depth - MAX_UNDONE_TASKS);
    this.#countedLists = this.#clock.listsEntered;
    const entries = this.#entries;
    this.#currentEntry = {
      steps: [],
      answers: [],
      enqueued: [],
      handledMessage: undefined,
      randomState: captureRandomState(),
      obstacle: undefined,
    };
    this.#entries = [...entries.slice(entries.length + 1 - log.depth), this.#currentEntry];
  }

  /** Starts a task that cannot be undone. Tasks before it cannot be undone from now on either. */
  startUntracked(): void {
    this.endTask();
    this.#log.forgetOldest(this.#log.depth);
    this.#entries = [];
  }

  /** Ends tracking of the current task: code that runs from now on is the runtime's. */
  endTask(): void {
    if (!this.#isProgramRunning) this.#detectUninterceptedCode();
    this.#currentEntry = undefined;
  }

  /** Notes that a message has been put into a mailbox, by the current task or after the last one. */
  enqueued(recipient: MessageRecipient): void {
    const last = this.#entries.at(-1);
    last?.enqueued.push({ recipient, answer: this.#pendingAnswer === undefined ? Infinity : last.answers.length - 1 });
  }

  /** Notes the message that the current task handles. */
  dequeued(message: Message): void {
    if (this.#currentEntry !== undefined) this.#currentEntry.handledMessage = message;
  }

  // Calls that cross between the host and the program.

  /** Declares that the current task cannot be undone. Its first reason is kept. */
  preventUndo(reason: string): void {
    if (this.#currentEntry !== undefined) this.#currentEntry.obstacle ??= reason;
  }

  callProgram<T>(call: () => T, reexecute: () => unknown, context = this.#realm.current.context): T {
    const entry = this.#currentEntry;
    if (entry === undefined || this.#isProgramRunning || this.#reexecution !== undefined) {
      if (entry === undefined) this.#forgetUndoableTasks();
      return call();
    }
    this.#addCall(entry, { reexecute, context });
    return this.#runAs(true, call);
  }

  createForProgram<T>(make: () => T): T {
    const entry = this.#currentEntry;
    if (entry === undefined || this.#isProgramRunning || this.#reexecution !== undefined) {
      if (entry === undefined) this.#forgetUndoableTasks();
      return make();
    }
    this.#detectUninterceptedCode();
    this.#addCall(entry, { reexecute: make, context: this.#realm.current.context });
    const created = make();
    this.#countedLists = this.#clock.listsEntered;
    return created;
  }

  #addCall(entry: TaskUndoEntry, call: ProgramCall): void {
    if (this.#pendingAnswer === undefined) entry.steps[entry.steps.length] = call;
    else {
      const calls = (this.#pendingAnswer.calls ??= []);
      calls[calls.length] = call;
    }
  }

  /** A call outside of a tracked task ends the undo range: no earlier task can be undone. */
  #forgetUndoableTasks(): void {
    if (this.#entries.length > 0 && this.#reexecution === undefined && !this.#isEvaluating) this.startUntracked();
  }

  #runQueueStep(isTick: boolean, run: () => void): void {
    if (this.onQueueStep !== undefined && this.#reexecution === undefined) this.onQueueStep();
    const entry = this.#currentEntry;
    if (entry === undefined || this.#reexecution !== undefined) {
      if (entry === undefined) this.#forgetUndoableTasks();
      return run();
    }
    if (this.#pendingAnswer !== undefined) this.preventUndo('jobs ran during a host call');
    entry.steps[entry.steps.length] = isTick ? TICK : JOB;
    this.#runAs(true, run);
  }

  callOut<T>(name: string, call: () => T, handover?: Handover): T {
    if (!this.#isProgramRunning) return call();
    if (this.#isEvaluating) return this.#callHostInEvaluation(call);
    if (this.#reexecution !== undefined) return this.#replayAnswer(name, handover) as T;
    // The thread has ended during this task, which is no longer tracked.
    if (this.#currentEntry === undefined) return call();
    const { answers } = this.#currentEntry;
    const answer: HostAnswer = { name, value: undefined, isThrown: false, calls: undefined, effect: undefined };
    answers[answers.length] = answer;
    const previous = this.#pendingAnswer;
    this.#pendingAnswer = answer;
    this.#setProgramRunning(false);
    try {
      const result = call();
      answer.value = result;
      return result;
    } catch (error) {
      answer.value = error;
      answer.isThrown = true;
      throw error;
    } finally {
      this.#pendingAnswer = previous;
      answer.effect = handover?.effect;
      this.#setProgramRunning(true);
    }
  }

  query<T>(name: string, call: () => T): T {
    return this.#isProgramRunning && this.#isEvaluating ? this.#runAs(false, call) : this.callOut(name, call);
  }

  /** A host call during an evaluation has an effect that cannot be undone. */
  #callHostInEvaluation<T>(call: () => T): T {
    if (this.#evaluation !== undefined) this.#evaluation.isUndoable = false;
    return this.#runAs(false, call);
  }

  #replayAnswer(name: string, handover: Handover | undefined): unknown {
    this.#clock.throwIfAbandoned();
    const reexecution = this.#reexecution as Reexecution;
    const answer = reexecution.entry.answers[reexecution.nextAnswer++];
    if (answer?.name !== name) {
      this.#hasDiverged = true;
      return this.stopReexecution();
    }
    const { current } = this.#realm;
    const { context } = current;
    for (const call of answer.calls ?? []) this.#reexecuteCall(call);
    current.context = context;
    if (answer.effect !== undefined) handover?.reapply(answer.effect);
    if (answer.isThrown) throw answer.value;
    return answer.value;
  }

  runApart<T>(run: () => T): T {
    if (this.#reexecution !== undefined && this.#isProgramRunning) return undefined as T;
    return this.#isProgramRunning ? this.#runAs(false, run) : run();
  }

  runAsProgram<T>(run: () => T): T {
    const isUntracked = this.#isProgramRunning || this.#currentEntry === undefined || this.#reexecution !== undefined;
    return isUntracked ? run() : this.#runAs(true, run);
  }

  /** Runs code of an observer, whose changes are not logged. */
  runAsHost<T>(run: () => T): T {
    return this.#runAs(false, run);
  }

  #runAs<T>(isProgram: boolean, run: () => T): T {
    const previous = this.#isProgramRunning;
    this.#setProgramRunning(isProgram);
    try {
      return run();
    } finally {
      this.#setProgramRunning(previous);
    }
  }

  #setProgramRunning(isProgram: boolean): void {
    if (isProgram !== this.#isProgramRunning) this.#detectUninterceptedCode();
    this.#isProgramRunning = isProgram;
    // A re-execution repeats changes whose old values are already in the log.
    const isLogged = isProgram && (this.#reexecution === undefined || this.#isEvaluating || this.#isUnwinding);
    if (isLogged) this.#log.resume();
    else this.#log.pause();
  }

  /** Detects program code that ran without interception, by its statement lists. Its task cannot be undone. */
  #detectUninterceptedCode(): void {
    if (this.#currentEntry === undefined || this.#reexecution !== undefined || this.#isEvaluating) return;
    const { listsEntered: lists } = this.#clock;
    if (!this.#isProgramRunning && lists !== this.#countedLists)
      this.preventUndo('program code ran without interception');
    this.#countedLists = lists;
  }

  // Moves of the program.

  /** Must be called before the program moves back. Until `returnToFront`, only `reexecute` may run code. */
  leaveFront(): void {
    this.endTask();
    this.#realm.jobs.detachQueues();
    this.#frontRandomState = captureRandomState();
  }

  /** Moves the program to the position before its last `count` tasks. Returns false with an `obstacle` if it cannot. */
  undoTo(count: number): boolean {
    const log = this.#log;
    while (log.undoneCount < count) {
      const entry = this.#entries[log.depth - 1];
      this.obstacle = entry === undefined ? 'the task is too long ago' : (entry.obstacle ?? log.obstacle);
      if (entry === undefined || this.obstacle !== undefined) return false;
      if (log.undo(true).length === 0) continue;
      // The task itself may have created the object. The change would be harmless then, but that is not known here.
      log.redo();
      this.obstacle = entry.obstacle = IRREVERSIBLE_TEXT;
      return false;
    }
    while (log.undoneCount > count) log.redo();
    const random = count === 0 ? this.#frontRandomState : this.#entries[log.depth]?.randomState;
    if (random !== undefined) restoreRandomState(random);
    return true;
  }

  /** Redoes all undone tasks: the program is as it was at the front. */
  returnToFront(): void {
    this.undoTo(0);
    this.#realm.jobs.reattachQueues();
    this.#clock.restart();
  }

  /**
   * Re-executes the next task up to its end, or until `stopReexecution`. Afterwards the task is undone again.
   *
   * @param observeStatements makes the clock call an observer at statements of the task, which may stop it
   */
  reexecute(observeStatements: () => void): ReexecutionResult {
    const entry = this.#entries[this.#log.depth];
    if (entry === undefined) return 'diverged';
    const { context } = this.#realm.current;
    this.#clock.restart();
    observeStatements();
    this.#reexecution = { entry, nextAnswer: 0 };
    this.#isStopped = this.#hasDiverged = false;
    this.#setProgramRunning(true);
    for (const step of entry.steps) {
      if (this.#isStopped) break;
      this.#reexecuteStep(step);
    }
    this.#setProgramRunning(false);
    this.#reexecution = undefined;
    this.#clock.restart();
    this.#realm.current.context = context;
    return this.#undoReexecution(entry);
  }

  #undoReexecution({ randomState }: TaskUndoEntry): ReexecutionResult {
    const log = this.#log;
    if (this.#isUnwinding) {
      this.#isUnwinding = false;
      this.obstacle = log.obstacle;
      if (this.obstacle === undefined && log.undo().length > 0) this.obstacle = IRREVERSIBLE_TEXT;
      if (this.obstacle !== undefined) return 'diverged';
    }
    log.undoAgain();
    restoreRandomState(randomState);
    if (this.#hasDiverged) this.obstacle = 're-execution of the task has diverged';
    return this.#hasDiverged ? 'diverged' : this.#isStopped ? 'stopped' : 'completed';
  }

  #reexecuteStep(step: ReexecutionStep): void {
    if (typeof step === 'object') return this.#reexecuteCall(step);
    try {
      if (!this.#realm.jobs.runDetached(step === TICK)) this.#hasDiverged = this.#isStopped = true;
    } catch {
      // The error was reported when the task ran first.
    }
  }

  #reexecuteCall({ reexecute, context }: ProgramCall): void {
    try {
      this.#realm.runInContext(context, reexecute);
    } catch {
      // The error was reported when the task ran first.
    }
  }

  /** Stops the re-execution by an abort that leaves the program's stack. Must be called from within it. */
  stopReexecution(): never {
    this.#isStopped = true;
    if (!this.#isUnwinding) this.#log.startAside(this.#realm);
    this.#isUnwinding = true;
    return this.#clock.abandon(STOPPED_REEXECUTION);
  }

  // Undoable and undone tasks.

  /** Whether the program can move back into the current task. */
  get canUndo(): boolean {
    if (this.#reexecution !== undefined) return true;
    return (
      this.#currentEntry !== undefined && this.#currentEntry.obstacle === undefined && this.#log.obstacle === undefined
    );
  }

  /** The tasks between the program's position and the front, latest first. */
  get undoneTasks(): readonly UndoneTask[] {
    const undoneFrom = this.undoableTaskCount;
    const { nextAnswer } = this.#reexecution ?? {};
    const undone = this.#entries.slice(undoneFrom);
    return undone.map((entry, i) => ({ ...entry, repeatedCalls: i === 0 ? nextAnswer : undefined })).toReversed();
  }

  /** Number of tasks between the program's position and the front. */
  get undoneTaskCount(): number {
    return this.#log.undoneCount;
  }

  /** Number of tasks before the program's position that can be undone. */
  get undoableTaskCount(): number {
    return this.#log.depth - (this.#evaluation === undefined ? 0 : 1);
  }

  /** Number of tasks since the last one that may have written a part of an object: at least `minAgo`, from 1. */
  tasksSinceWrite(object: object, key: unknown, minAgo: number): number | undefined {
    return this.#log.tasksSinceWrite(object, key, minAgo);
  }

  // Evaluations of clients.

  /**
   * Evaluates code of a client. Its changes stay until `undoEvaluation`; jobs that it does not run are dropped.
   *
   * @param isWriting whether the code may make changes that no barrier reports, which cannot be undone
   */
  evaluate<T>(run: () => T, isWriting: boolean): T {
    const { jobs } = this.#realm;
    if (this.#evaluation === undefined) {
      const runningJob = jobs.runningTarget();
      const hasDetachedQueues = !jobs.isDetached;
      if (hasDetachedQueues) jobs.detachQueues();
      this.#evaluation = { randomState: captureRandomState(), runningJob, hasDetachedQueues, isUndoable: true };
      this.#log.startAside(this.#realm);
    }
    if (isWriting) this.#evaluation.isUndoable = false;
    this.#isEvaluating = true;
    try {
      return jobs.runWithOwnQueues(() => this.#runAs(true, run));
    } finally {
      this.#isEvaluating = false;
    }
  }

  /** Runs the jobs and ticks of the running evaluation until a condition holds or none is left. */
  runJobsUntil(isDone: () => boolean): void {
    const { jobs } = this.#realm;
    while (!isDone() && (jobs.runDetached(false) || jobs.runDetached(true)));
  }

  /** The job in which the thread is paused, also after an evaluation; undefined outside of jobs. */
  get runningJob(): unknown {
    return this.#evaluation === undefined ? this.#realm.jobs.runningTarget() : this.#evaluation.runningJob;
  }

  /** Whether the changes of all evaluations can be undone; true if there were none. */
  get isEvaluationUndoable(): boolean {
    const { obstacle, isReversible } = this.#log;
    return this.#evaluation === undefined || (this.#evaluation.isUndoable && obstacle === undefined && isReversible);
  }

  /** Undoes the changes of all evaluations, if that is possible. Must be called before the thread resumes or moves. */
  undoEvaluation(): void {
    const evaluated = this.#evaluation;
    if (evaluated === undefined || !this.isEvaluationUndoable) return;
    this.#evaluation = undefined;
    this.#log.undo();
    restoreRandomState(evaluated.randomState);
    if (evaluated.hasDetachedQueues) this.#realm.jobs.reattachQueues();
  }
}
