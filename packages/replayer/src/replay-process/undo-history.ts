// The last tasks of a thread, which it can undo in place (docs/engine.md, "Back in place"). Only the program is undone;
// its runtime stays at the front, and is not called by what is re-executed. So the history keeps, for each task, who called
// the program and what the host answered. A task is undone, re-executed from that up to a statement, and redone before
// anything runs after the front. Nothing here may use methods that change an array or a Map while the program's changes are
// logged: the log would take them for the program's.
import { restoreRandomState, captureRandomState, type RandomState } from '@turntable/boundary';
import type { CallInterceptor, Handover, Realm, StatementClock, UndoLog } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import { turnSubjectName, type TurnSubject, type MailboxObserver } from '@turntable/runtime';
import { MAX_UNDONE_TASKS } from '@turntable/time-machine/replay-process';

type Context = Realm['current']['context'];

interface Call {
  readonly reexecute: () => unknown;
  readonly context: Context;
}

/** The next job of the program's queue, the next tick. */
const JOB = 0;
const TICK = 1;
type ReexecutionStep = Call | typeof JOB | typeof TICK;

/** Of something that was asked. */
interface HostAnswer {
  readonly name: string;
  /** What was thrown, if it was. */
  value: unknown;
  isThrown: boolean;
  /** The program was called before there was an answer. */
  calls: Call[] | undefined;
  /** What was done to what was handed over. */
  effect: unknown;
}

/** An actor as its thread knows it. */
type Recipient = Parameters<MailboxObserver['enqueued']>[0];
type Message = Parameters<MailboxObserver['dequeued']>[0];

/** Of one task. */
interface TaskUndoEntry {
  readonly steps: ReexecutionStep[];
  readonly answers: HostAnswer[];
  /** By which of the answers it came that somebody has a message more; of others, which came behind it, none. */
  readonly enqueued: { readonly recipient: Recipient; readonly answer: number }[];
  /** The one that it is about. */
  handledMessage: Message | undefined;
  /** Where the program's chance stood before it. */
  readonly randomState: RandomState;
  /** Why it cannot be undone. */
  obstacle: string | undefined;
}

/** Of a thread, roughly. */
const MAX_LOG_BYTES = 64 * 2 ** 20;

const IRREVERSIBLE_TEXT =
  'something that it has changed is frozen, or gone through, and cannot be given back what it was like';
const STOPPED_REEXECUTION: object = Object.freeze({ message: 'this task is run no further' });

/** How a task that was run once more has come to an end: its own, before it, or as another one than it was. */
export type ReexecutionResult = 'completed' | 'stopped' | 'diverged';

export class UndoHistory implements CallInterceptor, MailboxObserver {
  readonly #log: UndoLog;
  readonly #clock: StatementClock;
  readonly #realm: Realm;
  /** Of tasks that can be undone, and behind them those that are. */
  #entries: TaskUndoEntry[] = [];
  /** Of the task that runs, unless it is run once more. */
  #currentEntry: TaskUndoEntry | undefined;
  /** Whether it is the program that runs, and what it changes is noted. */
  #isProgramRunning = false;
  #pendingAnswer: HostAnswer | undefined;
  /** So many statement lists had been entered when the program ran last. */
  #lastLists = 0;
  #reexecution: { readonly entry: TaskUndoEntry; nextAnswer: number } | undefined;
  #isStopped = false;
  /** It leaves the stack, and changes what it has not changed before. */
  #isUnwinding = false;
  #hasDiverged = false;
  /** Where chance stands that is ahead. */
  #frontRandomState: RandomState | undefined;
  #evaluation:
    | { readonly randomState: RandomState; readonly hasDetachedQueues: boolean; isUndoable: boolean }
    | undefined;
  #isEvaluating = false;
  /** Why it can go back no further. */
  obstacle: string | undefined;

  constructor({ realm }: Loader, log: UndoLog, clock: StatementClock) {
    this.#log = log;
    this.#clock = clock;
    this.#realm = realm;
    realm.jobs.wrapJobs((isTick, run) => this.#runQueueStep(isTick, run));
  }

  /** A task begins that can be gone back to. */
  startTask(): void {
    const log = this.#log;
    log.startTask(this.#realm);
    log.pause();
    log.trimTo(MAX_LOG_BYTES);
    if (log.depth > MAX_UNDONE_TASKS) log.forgetOldest(log.depth - MAX_UNDONE_TASKS);
    this.#lastLists = this.#clock.listsEntered;
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

  /** One begins that cannot, and nothing before it. */
  startUntracked(): void {
    this.endTask();
    this.#log.forgetOldest(this.#log.depth);
    this.#entries = [];
  }

  /** What runs from now on is not the program's. */
  endTask(): void {
    if (!this.#isProgramRunning) this.#checkLists();
    this.#currentEntry = undefined;
  }

  preventUndo(reason: string): void {
    if (this.#currentEntry !== undefined) this.#currentEntry.obstacle ??= reason;
  }

  callProgram<T>(call: () => T, reexecute: () => unknown, context: Context = this.#realm.current.context): T {
    const entry = this.#currentEntry;
    if (entry === undefined || this.#isProgramRunning || this.#reexecution !== undefined) {
      if (entry === undefined) this.#dropForUntracked();
      return call();
    }
    this.#addCall(entry, { reexecute, context });
    return this.#withTracking(true, call);
  }

  createForProgram<T>(make: () => T): T {
    const entry = this.#currentEntry;
    if (entry === undefined || this.#isProgramRunning || this.#reexecution !== undefined) {
      if (entry === undefined) this.#dropForUntracked();
      return make();
    }
    this.#checkLists();
    this.#addCall(entry, { reexecute: make, context: this.#realm.current.context });
    const created = make();
    this.#lastLists = this.#clock.listsEntered;
    return created;
  }

  #addCall(entry: TaskUndoEntry, call: Call): void {
    if (this.#pendingAnswer === undefined) entry.steps[entry.steps.length] = call;
    else {
      const calls = (this.#pendingAnswer.calls ??= []);
      calls[calls.length] = call;
    }
  }

  /** Of no task that is kept: nothing before it can be gone back to. */
  #dropForUntracked(): void {
    if (this.#entries.length > 0 && this.#reexecution === undefined && !this.#isEvaluating) this.startUntracked();
  }

  #runQueueStep(isTick: boolean, run: () => void): void {
    const entry = this.#currentEntry;
    if (entry === undefined || this.#reexecution !== undefined) {
      if (entry === undefined) this.#dropForUntracked();
      return run();
    }
    if (this.#pendingAnswer !== undefined) this.preventUndo('jobs were run while something was asked');
    entry.steps[entry.steps.length] = isTick ? TICK : JOB;
    this.#withTracking(true, run);
  }

  callOut<T>(name: string, ask: () => T, handover?: Handover): T {
    if (!this.#isProgramRunning) return ask();
    if (this.#isEvaluating) return this.#askHostNow(ask);
    if (this.#reexecution !== undefined) return this.#replayAnswer(name, handover) as T;
    // It was ended in the midst of this.
    if (this.#currentEntry === undefined) return ask();
    const { answers } = this.#currentEntry;
    const answer: HostAnswer = { name, value: undefined, isThrown: false, calls: undefined, effect: undefined };
    answers[answers.length] = answer;
    const previous = this.#pendingAnswer;
    this.#pendingAnswer = answer;
    this.#setTracking(false);
    try {
      const result = ask();
      answer.value = result;
      return result;
    } catch (error) {
      answer.value = error;
      answer.isThrown = true;
      throw error;
    } finally {
      this.#pendingAnswer = previous;
      answer.effect = handover?.effect;
      this.#setTracking(true);
    }
  }

  query<T>(name: string, ask: () => T): T {
    return this.#isProgramRunning && this.#isEvaluating ? this.#withTracking(false, ask) : this.callOut(name, ask);
  }

  /** What is evaluated reaches beyond the program: that is not taken back. */
  #askHostNow<T>(ask: () => T): T {
    if (this.#evaluation !== undefined) this.#evaluation.isUndoable = false;
    return this.#withTracking(false, ask);
  }

  #replayAnswer(name: string, handover: Handover | undefined): unknown {
    this.#clock.throwIfAbandoned();
    const reexecution = this.#reexecution as { readonly entry: TaskUndoEntry; nextAnswer: number };
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
    return this.#isProgramRunning ? this.#withTracking(false, run) : run();
  }

  runAsProgram<T>(run: () => T): T {
    const isUntracked = this.#isProgramRunning || this.#currentEntry === undefined || this.#reexecution !== undefined;
    return isUntracked ? run() : this.#withTracking(true, run);
  }

  /** What runs is whoever looks on. */
  runAsHost<T>(run: () => T): T {
    return this.#withTracking(false, run);
  }

  #withTracking<T>(isInside: boolean, run: () => T): T {
    const previous = this.#isProgramRunning;
    this.#setTracking(isInside);
    try {
      return run();
    } finally {
      this.#setTracking(previous);
    }
  }

  #setTracking(isInside: boolean): void {
    if (isInside !== this.#isProgramRunning) this.#checkLists();
    this.#isProgramRunning = isInside;
    // What runs once more changes what it has changed before, and what that was like is known.
    const isLogged = isInside && (this.#reexecution === undefined || this.#isEvaluating || this.#isUnwinding);
    if (isLogged) this.#log.resume();
    else this.#log.pause();
  }

  enqueued(recipient: Recipient): void {
    const last = this.#entries.at(-1);
    last?.enqueued.push({ recipient, answer: this.#pendingAnswer === undefined ? Infinity : last.answers.length - 1 });
  }

  dequeued(message: Message): void {
    if (this.#currentEntry !== undefined) this.#currentEntry.handledMessage = message;
  }

  /** What waits for an actor where the program is, if this waits for it where its runtime is. */
  waitingMessages(actor: Recipient, runtimeMessages: readonly Message[]): readonly Message[] {
    const messages = [...runtimeMessages];
    for (const { enqueued, handledMessage: taken, isReexecuted: isRunAgain } of this.#undoneEntries()) {
      const next = this.#reexecution?.nextAnswer ?? 0;
      const isReexecutedAnswer = (answer: number): boolean => isRunAgain && answer < next;
      const addedCount = enqueued.filter(
        ({ recipient, answer }) => recipient === actor && !isReexecutedAnswer(answer),
      ).length;
      messages.length = Math.max(0, messages.length - addedCount);
      if (taken?.recipient === actor && !isRunAgain) messages.unshift(taken);
    }
    return messages;
  }

  /** What turns of an actor were about that it has not had where the program is. */
  undoneMessages(actor: Recipient): readonly Message[] {
    const messages: Message[] = [];
    for (const { handledMessage: taken, isReexecuted: isRunAgain } of this.#undoneEntries())
      if (taken?.recipient === actor && !isRunAgain) messages.push(taken);
    return messages;
  }

  /** Whose turn comes next where the program is, if it has been there before: nobody's, if it is no turn; nothing, if nothing is undone. */
  nextRecipient(): Recipient | 'nobody' | undefined {
    const next = [...this.#undoneEntries()].at(-1);
    if (next === undefined) return undefined;
    const { handledMessage: taken } = next;
    const isConstruction = taken !== undefined && turnSubjectName(taken.call as TurnSubject) === 'construct';
    return taken === undefined || isConstruction ? 'nobody' : taken.recipient;
  }

  /** Tasks that its runtime has had and the program has not, the last one first. */
  *#undoneEntries(): Generator<TaskUndoEntry & { readonly isReexecuted: boolean }> {
    const undoneFrom = this.#log.depth - (this.#evaluation === undefined ? 0 : 1);
    for (let i = this.#entries.length - 1; i >= undoneFrom; i--)
      yield {
        ...(this.#entries[i] as TaskUndoEntry),
        isReexecuted: i === undoneFrom && this.#reexecution !== undefined,
      };
  }

  /** Code of the program that was called without interception is not noted: it has entered statement lists that are not counted here. */
  #checkLists(): void {
    if (this.#currentEntry === undefined || this.#reexecution !== undefined || this.#isEvaluating) return;
    const { listsEntered: lists } = this.#clock;
    if (!this.#isProgramRunning && lists !== this.#lastLists)
      this.preventUndo('code of the program has run that was not noted');
    this.#lastLists = lists;
  }

  /** It goes back: no code of the program or of Node's may run before `returns`, but by `again`. */
  leaveFront(): void {
    this.endTask();
    this.#realm.jobs.detachQueues();
    this.#frontRandomState = captureRandomState();
  }

  /** Before the so-manieth task from the end of what has run; whether it could go there. */
  undoTo(tasksBehind: number): boolean {
    const log = this.#log;
    while (log.undoneCount < tasksBehind) {
      const entry = this.#entries[log.depth - 1];
      this.obstacle = entry === undefined ? 'it is too long ago' : (entry.obstacle ?? log.obstacle);
      if (entry === undefined || this.obstacle !== undefined) return false;
      if (log.undo(true).length === 0) continue;
      // What it has made itself may be among that, and harmless; nobody knows.
      log.redo();
      this.obstacle = entry.obstacle = IRREVERSIBLE_TEXT;
      return false;
    }
    while (log.undoneCount > tasksBehind) log.redo();
    const random = tasksBehind === 0 ? this.#frontRandomState : this.#entries[log.depth]?.randomState;
    if (random !== undefined) restoreRandomState(random);
    return true;
  }

  /** Where it has come to, as it was. */
  returnToFront(): void {
    this.undoTo(0);
    this.#realm.jobs.reattachQueues();
    this.#clock.restart();
  }

  /** Runs the next task once more, up to where `aim` has it stop, or to its end. Nothing of that is left then. */
  reexecute(armTarget: () => void): ReexecutionResult {
    const log = this.#log;
    const entry = this.#entries[log.depth];
    if (entry === undefined) return 'diverged';
    const { context } = this.#realm.current;
    this.#clock.restart();
    armTarget();
    this.#reexecution = { entry, nextAnswer: 0 };
    this.#isStopped = this.#hasDiverged = false;
    this.#setTracking(true);
    for (const step of entry.steps) {
      if (this.#isStopped) break;
      this.#reexecuteStep(step);
    }
    this.#setTracking(false);
    this.#reexecution = undefined;
    this.#clock.restart();
    this.#realm.current.context = context;
    if (this.#isUnwinding) {
      this.#isUnwinding = false;
      this.obstacle = log.obstacle;
      if (this.obstacle === undefined && log.undo().length > 0) this.obstacle = IRREVERSIBLE_TEXT;
      if (this.obstacle !== undefined) return 'diverged';
    }
    log.undoAgain();
    restoreRandomState(entry.randomState);
    if (this.#hasDiverged) this.obstacle = 'it is not the same once more';
    return this.#hasDiverged ? 'diverged' : this.#isStopped ? 'stopped' : 'completed';
  }

  #reexecuteStep(step: ReexecutionStep): void {
    if (typeof step === 'object') return this.#reexecuteCall(step);
    try {
      if (!this.#realm.jobs.runDetached(step === TICK)) this.#hasDiverged = this.#isStopped = true;
    } catch {
      // It was told of when it was thrown first.
    }
  }

  #reexecuteCall({ reexecute, context }: Call): void {
    try {
      this.#realm.runInContext(context, reexecute);
    } catch {
      // The same.
    }
  }

  /** Within what runs once more: it goes no further. */
  stopReexecution(): never {
    this.#isStopped = true;
    if (!this.#isUnwinding) this.#log.startAside(this.#realm);
    this.#isUnwinding = true;
    return this.#clock.abandon(STOPPED_REEXECUTION);
  }

  /** What that changes is there until `takeBack`. @param isWriting it changes something of which nobody is told */
  evaluate<T>(run: () => T, isWriting: boolean): T {
    const { jobs } = this.#realm;
    if (this.#evaluation === undefined) {
      const hasDetachedQueues = !jobs.isDetached;
      if (hasDetachedQueues) jobs.detachQueues();
      this.#evaluation = { randomState: captureRandomState(), hasDetachedQueues, isUndoable: true };
      this.#log.startAside(this.#realm);
    }
    if (isWriting) this.#evaluation.isUndoable = false;
    this.#isEvaluating = true;
    try {
      return this.#withTracking(true, run);
    } finally {
      this.#isEvaluating = false;
    }
  }

  /** Into the task that runs, as far as that has come. */
  get canUndo(): boolean {
    if (this.#reexecution !== undefined) return true;
    return (
      this.#currentEntry !== undefined && this.#currentEntry.obstacle === undefined && this.#log.obstacle === undefined
    );
  }

  /** So many tasks have run that are undone where the program is. */
  get undoneTasks(): number {
    return this.#log.undoneCount;
  }

  /** So many tasks before where the program is can be undone. */
  get undoableTasks(): number {
    return this.#log.depth - (this.#evaluation === undefined ? 0 : 1);
  }

  /** As of the log, which has those that can be undone, but for these. */
  tasksSinceWrite(object: object, key: unknown, tasksAgo: number): number | undefined {
    return this.#log.tasksSinceWrite(object, key, tasksAgo);
  }

  /** Whether all that was evaluated can be taken back. */
  get isEvaluationUndoable(): boolean {
    const { obstacle, isReversible } = this.#log;
    return this.#evaluation === undefined || (this.#evaluation.isUndoable && obstacle === undefined && isReversible);
  }

  /** It goes on, or somewhere else. */
  undoEvaluation(): void {
    const evaluated = this.#evaluation;
    if (evaluated === undefined || !this.isEvaluationUndoable) return;
    this.#evaluation = undefined;
    this.#log.undo();
    restoreRandomState(evaluated.randomState);
    if (evaluated.hasDetachedQueues) this.#realm.jobs.reattachQueues();
  }
}
