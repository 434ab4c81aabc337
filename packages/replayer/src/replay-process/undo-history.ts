// The last stretches of a thread, which it can undo in place (docs/engine.md, "Back in place"). Only the program is undone;
// its runtime stays at the front, and is not called by what is re-executed. So the history keeps, for each stretch, who called
// the program and what the host answered. A stretch is undone, re-executed from that up to a statement, and redone before
// anything runs after the front. Nothing here may use methods that change an array or a Map while the program's changes are
// logged: the log would take them for the program's.
import { continueRandom, randomState, type RandomState } from '@turntable/boundary';
import type { CallInterceptor, Handover, Realm, StatementClock, UndoLog } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import { calledName, type Called, type MailWatch } from '@turntable/runtime';
import { MAX_UNDONE_STRETCHES } from '@turntable/time-machine/replay-process';

type Context = Realm['now']['context'];

interface Call {
  readonly again: () => unknown;
  readonly context: Context;
}

/** The next job of the program's queue, the next tick. */
const JOB = 0;
const TICK = 1;
type Step = Call | typeof JOB | typeof TICK;

/** Of something that was asked. */
interface Answer {
  readonly name: string;
  /** What was thrown, if it was. */
  value: unknown;
  isThrown: boolean;
  /** The program was called before there was an answer. */
  calls: Call[] | undefined;
  /** What was done to what was handed over. */
  done: unknown;
}

/** An actor as its thread knows it. */
type Recipient = Parameters<MailWatch['waits']>[0];
type Message = Parameters<MailWatch['taken']>[0];

/** Of one stretch. */
interface Kept {
  readonly steps: Step[];
  readonly answers: Answer[];
  /** By which of the answers it came that somebody has a message more; of others, which came behind it, none. */
  readonly added: { readonly recipient: Recipient; readonly answer: number }[];
  /** The one that it is about. */
  taken: Message | undefined;
  /** Where the program's chance stood before it. */
  readonly random: RandomState;
  /** Why it cannot be undone. */
  obstacle: string | undefined;
}

/** Of a thread, roughly. */
const MOST_BYTES = 64 * 2 ** 20;

const LEFT = 'something that it has changed is frozen, or gone through, and cannot be given back what it was like';
const GIVEN_UP: object = Object.freeze({ message: 'this stretch is run no further' });

/** How a stretch that was run once more has come to an end: its own, before it, or as another one than it was. */
export type Ended = 'over' | 'given up' | 'another';

export class UndoHistory implements CallInterceptor, MailWatch {
  readonly #log: UndoLog;
  readonly #clock: StatementClock;
  readonly #realm: Realm;
  /** Of stretches that can be undone, and behind them those that are. */
  #kept: Kept[] = [];
  /** Of the stretch that runs, unless it is run once more. */
  #open: Kept | undefined;
  /** Whether it is the program that runs, and what it changes is noted. */
  #isInside = false;
  #asking: Answer | undefined;
  /** So many statement lists had been entered when the program ran last. */
  #lists = 0;
  #again: { readonly kept: Kept; next: number } | undefined;
  #isGivenUp = false;
  /** It leaves the stack, and changes what it has not changed before. */
  #isUnwinding = false;
  #isAnother = false;
  /** Where chance stands that is ahead. */
  #randomAhead: RandomState | undefined;
  #evaluated: { readonly random: RandomState; readonly holds: boolean; isUndoable: boolean } | undefined;
  #isEvaluating = false;
  /** Why it can go back no further. */
  why: string | undefined;

  constructor({ realm }: Loader, log: UndoLog, clock: StatementClock) {
    this.#log = log;
    this.#clock = clock;
    this.#realm = realm;
    realm.jobs.surround((isTick, run) => this.#step(isTick, run));
  }

  /** A stretch begins that can be gone back to. */
  begin(): void {
    const log = this.#log;
    log.begin(this.#realm);
    log.pause();
    log.keepWithin(MOST_BYTES);
    if (log.depth > MAX_UNDONE_STRETCHES) log.forget(log.depth - MAX_UNDONE_STRETCHES);
    this.#lists = this.#clock.lists;
    const kept = this.#kept;
    this.#open = {
      steps: [],
      answers: [],
      added: [],
      taken: undefined,
      random: randomState(),
      obstacle: undefined,
    };
    this.#kept = [...kept.slice(kept.length + 1 - log.depth), this.#open];
  }

  /** One begins that cannot, and nothing before it. */
  beginUnkept(): void {
    this.end();
    this.#log.forget(this.#log.depth);
    this.#kept = [];
  }

  /** What runs from now on is not the program's. */
  end(): void {
    if (!this.#isInside) this.#checkLists();
    this.#open = undefined;
  }

  cannot(why: string): void {
    if (this.#open !== undefined) this.#open.obstacle ??= why;
  }

  in<T>(call: () => T, again: () => unknown, context: Context = this.#realm.now.context): T {
    const open = this.#open;
    if (open === undefined || this.#isInside || this.#again !== undefined) {
      if (open === undefined) this.#runsUnkept();
      return call();
    }
    this.#keep(open, { again, context });
    return this.#noting(true, call);
  }

  makes<T>(make: () => T): T {
    const open = this.#open;
    if (open === undefined || this.#isInside || this.#again !== undefined) {
      if (open === undefined) this.#runsUnkept();
      return make();
    }
    this.#checkLists();
    this.#keep(open, { again: make, context: this.#realm.now.context });
    const made = make();
    this.#lists = this.#clock.lists;
    return made;
  }

  #keep(open: Kept, call: Call): void {
    if (this.#asking === undefined) open.steps[open.steps.length] = call;
    else {
      const calls = (this.#asking.calls ??= []);
      calls[calls.length] = call;
    }
  }

  /** Of no stretch that is kept: nothing before it can be gone back to. */
  #runsUnkept(): void {
    if (this.#kept.length > 0 && this.#again === undefined && !this.#isEvaluating) this.beginUnkept();
  }

  #step(isTick: boolean, run: () => void): void {
    const open = this.#open;
    if (open === undefined || this.#again !== undefined) {
      if (open === undefined) this.#runsUnkept();
      return run();
    }
    if (this.#asking !== undefined) this.cannot('jobs were run while something was asked');
    open.steps[open.steps.length] = isTick ? TICK : JOB;
    this.#noting(true, run);
  }

  out<T>(name: string, ask: () => T, handed?: Handover): T {
    if (!this.#isInside) return ask();
    if (this.#isEvaluating) return this.#asksNow(ask);
    if (this.#again !== undefined) return this.#answerAgain(name, handed) as T;
    // It was ended in the midst of this.
    if (this.#open === undefined) return ask();
    const { answers } = this.#open;
    const answer: Answer = { name, value: undefined, isThrown: false, calls: undefined, done: undefined };
    answers[answers.length] = answer;
    const before = this.#asking;
    this.#asking = answer;
    this.#note(false);
    try {
      const value = ask();
      answer.value = value;
      return value;
    } catch (error) {
      answer.value = error;
      answer.isThrown = true;
      throw error;
    } finally {
      this.#asking = before;
      answer.done = handed?.done;
      this.#note(true);
    }
  }

  looks<T>(name: string, ask: () => T): T {
    return this.#isInside && this.#isEvaluating ? this.#noting(false, ask) : this.out(name, ask);
  }

  /** What is evaluated reaches beyond the program: that is not taken back. */
  #asksNow<T>(ask: () => T): T {
    if (this.#evaluated !== undefined) this.#evaluated.isUndoable = false;
    return this.#noting(false, ask);
  }

  #answerAgain(name: string, handed: Handover | undefined): unknown {
    this.#clock.throwIfAbandoned();
    const again = this.#again as { readonly kept: Kept; next: number };
    const answer = again.kept.answers[again.next++];
    if (answer?.name !== name) {
      this.#isAnother = true;
      return this.giveUp();
    }
    const { now } = this.#realm;
    const { context } = now;
    for (const call of answer.calls ?? []) this.#callAgain(call);
    now.context = context;
    if (answer.done !== undefined) handed?.again(answer.done);
    if (answer.isThrown) throw answer.value;
    return answer.value;
  }

  apart<T>(run: () => T): T {
    if (this.#again !== undefined && this.#isInside) return undefined as T;
    return this.#isInside ? this.#noting(false, run) : run();
  }

  within<T>(run: () => T): T {
    const isOther = this.#isInside || this.#open === undefined || this.#again !== undefined;
    return isOther ? run() : this.#noting(true, run);
  }

  /** What runs is whoever looks on. */
  still<T>(run: () => T): T {
    return this.#noting(false, run);
  }

  #noting<T>(isInside: boolean, run: () => T): T {
    const before = this.#isInside;
    this.#note(isInside);
    try {
      return run();
    } finally {
      this.#note(before);
    }
  }

  #note(isInside: boolean): void {
    if (isInside !== this.#isInside) this.#checkLists();
    this.#isInside = isInside;
    // What runs once more changes what it has changed before, and what that was like is known.
    const isNoted = isInside && (this.#again === undefined || this.#isEvaluating || this.#isUnwinding);
    if (isNoted) this.#log.goOn();
    else this.#log.pause();
  }

  waits(recipient: Recipient): void {
    const last = this.#kept.at(-1);
    last?.added.push({ recipient, answer: this.#asking === undefined ? Infinity : last.answers.length - 1 });
  }

  taken(message: Message): void {
    if (this.#open !== undefined) this.#open.taken = message;
  }

  /** What waits for an actor where the program is, if this waits for it where its runtime is. */
  waiting(actor: Recipient, now: readonly Message[]): readonly Message[] {
    const messages = [...now];
    for (const { added, taken, isRunAgain } of this.#ahead()) {
      const next = this.#again?.next ?? 0;
      const isThere = (answer: number): boolean => isRunAgain && answer < next;
      const more = added.filter(({ recipient, answer }) => recipient === actor && !isThere(answer)).length;
      messages.length = Math.max(0, messages.length - more);
      if (taken?.recipient === actor && !isRunAgain) messages.unshift(taken);
    }
    return messages;
  }

  /** What turns of an actor were about that it has not had where the program is. */
  stillToCome(actor: Recipient): readonly Message[] {
    const messages: Message[] = [];
    for (const { taken, isRunAgain } of this.#ahead())
      if (taken?.recipient === actor && !isRunAgain) messages.push(taken);
    return messages;
  }

  /** Whose turn comes next where the program is, if it has been there before: nobody's, if it is no turn; nothing, if nothing is undone. */
  next(): Recipient | 'nobody' | undefined {
    const next = [...this.#ahead()].at(-1);
    if (next === undefined) return undefined;
    const { taken } = next;
    const isMaking = taken !== undefined && calledName(taken.call as Called) === 'construct';
    return taken === undefined || isMaking ? 'nobody' : taken.recipient;
  }

  /** Stretches that its runtime has had and the program has not, the last one first. */
  *#ahead(): Generator<Kept & { readonly isRunAgain: boolean }> {
    const done = this.#log.depth - (this.#evaluated === undefined ? 0 : 1);
    for (let i = this.#kept.length - 1; i >= done; i--)
      yield { ...(this.#kept[i] as Kept), isRunAgain: i === done && this.#again !== undefined };
  }

  /** Code of the program that was called without interception is not noted: it has entered statement lists that are not counted here. */
  #checkLists(): void {
    if (this.#open === undefined || this.#again !== undefined || this.#isEvaluating) return;
    const { lists } = this.#clock;
    if (!this.#isInside && lists !== this.#lists) this.cannot('code of the program has run that was not noted');
    this.#lists = lists;
  }

  /** It goes back: no code of the program or of Node's may run before `returns`, but by `again`. */
  leaves(): void {
    this.end();
    this.#realm.jobs.hold();
    this.#randomAhead = randomState();
  }

  /** Before the so-manieth stretch from the end of what has run; whether it could go there. */
  goTo(behind: number): boolean {
    const log = this.#log;
    while (log.undone < behind) {
      const kept = this.#kept[log.depth - 1];
      this.why = kept === undefined ? 'it is too long ago' : (kept.obstacle ?? log.obstacle);
      if (kept === undefined || this.why !== undefined) return false;
      if (log.undo(true).length === 0) continue;
      // What it has made itself may be among that, and harmless; nobody knows.
      log.redo();
      this.why = kept.obstacle = LEFT;
      return false;
    }
    while (log.undone > behind) log.redo();
    const random = behind === 0 ? this.#randomAhead : this.#kept[log.depth]?.random;
    if (random !== undefined) continueRandom(random);
    return true;
  }

  /** Where it has come to, as it was. */
  returns(): void {
    this.goTo(0);
    this.#realm.jobs.letGo();
    this.#clock.restart();
  }

  /** Runs the next stretch once more, up to where `aim` has it stop, or to its end. Nothing of that is left then. */
  again(aim: () => void): Ended {
    const log = this.#log;
    const kept = this.#kept[log.depth];
    if (kept === undefined) return 'another';
    const { context } = this.#realm.now;
    this.#clock.restart();
    aim();
    this.#again = { kept, next: 0 };
    this.#isGivenUp = this.#isAnother = false;
    this.#note(true);
    for (const step of kept.steps) {
      if (this.#isGivenUp) break;
      this.#stepAgain(step);
    }
    this.#note(false);
    this.#again = undefined;
    this.#clock.restart();
    this.#realm.now.context = context;
    if (this.#isUnwinding) {
      this.#isUnwinding = false;
      this.why = log.obstacle;
      if (this.why === undefined && log.undo().length > 0) this.why = LEFT;
      if (this.why !== undefined) return 'another';
    }
    log.undoAgain();
    continueRandom(kept.random);
    if (this.#isAnother) this.why = 'it is not the same once more';
    return this.#isAnother ? 'another' : this.#isGivenUp ? 'given up' : 'over';
  }

  #stepAgain(step: Step): void {
    if (typeof step === 'object') return this.#callAgain(step);
    try {
      if (!this.#realm.jobs.again(step === TICK)) this.#isAnother = this.#isGivenUp = true;
    } catch {
      // It was told of when it was thrown first.
    }
  }

  #callAgain({ again, context }: Call): void {
    try {
      this.#realm.inContext(context, again);
    } catch {
      // The same.
    }
  }

  /** Within what runs once more: it goes no further. */
  giveUp(): never {
    this.#isGivenUp = true;
    if (!this.#isUnwinding) this.#log.aside(this.#realm);
    this.#isUnwinding = true;
    return this.#clock.abandon(GIVEN_UP);
  }

  /** What that changes is there until `takeBack`. @param isWriting it changes something of which nobody is told */
  evaluate<T>(run: () => T, isWriting: boolean): T {
    const { jobs } = this.#realm;
    if (this.#evaluated === undefined) {
      const holds = !jobs.isHeld;
      if (holds) jobs.hold();
      this.#evaluated = { random: randomState(), holds, isUndoable: true };
      this.#log.aside(this.#realm);
    }
    if (isWriting) this.#evaluated.isUndoable = false;
    this.#isEvaluating = true;
    try {
      return this.#noting(true, run);
    } finally {
      this.#isEvaluating = false;
    }
  }

  /** Into the stretch that runs, as far as that has come. */
  get canGoBack(): boolean {
    if (this.#again !== undefined) return true;
    return this.#open !== undefined && this.#open.obstacle === undefined && this.#log.obstacle === undefined;
  }

  /** So many stretches have run that are undone where the program is. */
  get undone(): number {
    return this.#log.undone;
  }

  /** So many stretches before where the program is can be undone. */
  get depth(): number {
    return this.#log.depth - (this.#evaluated === undefined ? 0 : 1);
  }

  /** As of the log, which has those that can be undone, but for these. */
  mentioned(object: object, key: unknown, before: number): number | undefined {
    return this.#log.mentioned(object, key, before);
  }

  /** Whether all that was evaluated can be taken back. */
  get isUndoable(): boolean {
    const { obstacle, isReversible } = this.#log;
    return this.#evaluated === undefined || (this.#evaluated.isUndoable && obstacle === undefined && isReversible);
  }

  /** It goes on, or somewhere else. */
  takeBack(): void {
    const evaluated = this.#evaluated;
    if (evaluated === undefined || !this.isUndoable) return;
    this.#evaluated = undefined;
    this.#log.undo();
    continueRandom(evaluated.random);
    if (evaluated.holds) this.#realm.jobs.letGo();
  }
}
