// The statement clock, the runtime of debug mode. It counts the statements of a task, stops before one of them, and can
// abandon the task. Probes in the code read lexical variables that all files of the context share (docs/internals/transform.md,
// "Debug mode").
//
// A position is a pair: the number of statement lists entered in the task, and the statement in the last of them. Only
// the first statement of a list counts down `left`, which is 0 at the next stop. The other statements read `near`,
// which is true while a stop may be in the current list. No statement begins twice without a list being entered in
// between, so positions are unique.

import { NOT_KEPT } from './probe.ts';

/** Script that declares the variables of probes and barriers. Its value gives access to them. */
const DECLARATION = `let tt$c = 1, tt$s = false, tt$h = () => {}, tt$e = () => {};
let tt$n = () => {}, tt$u = () => {}, tt$r, tt$q;
let tt$w = false, tt$l;
const tt$o = (o, k) => { if (tt$w) tt$l.noteProperty(o, k); return o; },
  tt$i = (o) => { if (tt$w) tt$l.noteObject(o); return o; },
  tt$k = (k) => { if (tt$w) tt$l.noteKey(k); return k; },
  tt$p = (o, n) => { if (tt$w) tt$l.notePrivate(o, n); return o; },
  tt$d = (o) => { if (tt$w) tt$l.noteAllProperties(o); return o; },
  tt$g = (m, n) => tt$l.noteVariables(m, n), tt$f = (o, ...path) => tt$l.notePath(o, path);
({ get left() { return tt$c; }, set left(n) { tt$c = n; }, set near(s) { tt$s = s; }, set hit(hit) { tt$h = hit; }, set caught(tell) { tt$e = tell; },
  set callStarted(tell) { tt$n = tell; }, set callEnded(tell) { tt$u = tell; },
  set notKept(value) { tt$q = value; }, set writing(on) { tt$w = on; }, set log(log) { tt$l = log; } })`;

interface Lexicals {
  left: number;
  near: boolean;
  hit: (file: string, statement: number, ...locals: unknown[]) => void;
  caught: (error?: unknown) => void;
  callStarted: () => void;
  callEnded: () => void;
  notKept: object;
  writing: boolean;
  log: BarrierListener;
}

/** Receives each write that barriers report, before the write is made (undo/undo-log.ts). */
export interface BarrierListener {
  noteProperty(object: unknown, key: unknown): void;
  /** Reports the object of a member expression whose key is still to be evaluated. `noteKey` follows. */
  noteObject(object: unknown): void;
  noteKey(key: unknown): void;
  /** Reports a write to a private field. `name` is without `#`. */
  notePrivate(object: unknown, name: string): void;
  noteAllProperties(object: unknown): void;
  noteVariables(record: object | null, name?: string): void;
  /** Reports a write to a property at the end of a path of names. */
  notePath(object: unknown, path: readonly unknown[]): void;
}

/** Receives the start and the end of each call of a function that may call others. */
export interface CallListener {
  callStarted(): void;
  callEnded(): void;
}

/** Position in a task: number of lists entered, and number of the statement in the last entered list. */
export interface StatementPosition {
  readonly list: number;
  readonly statement: number;
}

/** Called before the statement at a stop, with the file's id, the statement's number in it, and its live variables. */
export type StatementHit = (file: string, statement: number, locals: readonly unknown[]) => void;

/** Called before each statement of a watched task, with its position. */
export type StatementWatch = (
  file: string,
  statement: number,
  locals: readonly unknown[],
  list: number,
  statementInList: number,
) => void;

/** Highest count: a power of two that keeps the counter a small integer of V8. */
const MAX_COUNTDOWN = 2 ** 30;
const NOT_COUNTED = 'the position is known only at a stop, or before the first statement of a task';
const IGNORED_CALLS: CallListener = { callStarted: () => {}, callEnded: () => {} };
const NO_TARGET: StatementPosition = { list: Infinity, statement: 1 };

export class StatementClock {
  readonly #lexicals: Lexicals;
  /** Values of `listsEntered` and of the counter when the counter was last set. */
  #armedAtList = 0;
  #countdownStart = MAX_COUNTDOWN;
  /** Statements begun in the current list; undefined while they are not counted. */
  #statementInList: number | undefined = 0;
  #target: StatementPosition = NO_TARGET;
  #onHit: StatementHit = () => {};
  /** Number of the list before whose first statement the task ends. */
  #endList = Infinity;
  #onEnd: () => void = () => {};
  #watch: StatementWatch | undefined;
  #abandoned: { readonly error: unknown } | undefined;

  /** @param runScript runs a text as a script in the clock's context, which must have no other clock */
  constructor(runScript: (text: string) => unknown) {
    this.#lexicals = runScript(DECLARATION) as Lexicals;
    this.#lexicals.notKept = NOT_KEPT;
    this.#lexicals.hit = (file, statement, ...locals) => this.#hit(file, statement, locals);
    this.restart();
  }

  /** Sets the receiver of barrier reports; undefined switches the barriers off. */
  watchWrites(listener: BarrierListener | undefined): void {
    if (listener !== undefined) this.#lexicals.log = listener;
    this.#lexicals.writing = listener !== undefined;
  }

  /** Sets a listener for errors that the program catches, called before the first statement of the `catch`. */
  watchCaught(listener: (error: unknown) => void): void {
    this.#lexicals.caught = (error) => {
      // The error of an abandoned task is not one of the program.
      if (this.#abandoned === undefined) listener(error);
    };
  }

  /** Number of statement lists entered since `restart`. */
  get listsEntered(): number {
    return this.#armedAtList + this.#countdownStart - this.#lexicals.left;
  }

  /** Current position, `{ list: 0, statement: 0 }` before the first statement; undefined where it is not known. */
  get position(): StatementPosition | undefined {
    const { listsEntered } = this;
    return this.#statementInList === undefined || listsEntered !== this.#armedAtList
      ? undefined
      : { list: listsEntered, statement: this.#statementInList };
  }

  /** Starts a task. Stops set in the last task are removed. */
  restart(): void {
    this.#abandoned = undefined;
    this.#target = NO_TARGET;
    this.#endList = Infinity;
    this.#watch = undefined;
    this.#arm(0, 0);
  }

  /**
   * Calls `onEnd` once, before the first statement of this list, whatever stops are set. For tasks that may run
   * forever.
   */
  endAt(list: number, onEnd: () => void): void {
    const { listsEntered, position } = this;
    this.#endList = list;
    this.#onEnd = onEnd;
    this.#arm(listsEntered, position?.statement);
  }

  /**
   * Calls back before each statement, and suspends all stops, until `watch` is undefined. Costs a tenth of `stopNext`.
   */
  watch(watch: StatementWatch | undefined, calls: CallListener = IGNORED_CALLS): void {
    const { listsEntered, position } = this;
    if (watch !== undefined && position === undefined) throw new RangeError(NOT_COUNTED);
    this.#lexicals.callStarted = () => calls.callStarted();
    this.#lexicals.callEnded = () => calls.callEnded();
    this.#target = NO_TARGET;
    this.#watch = watch;
    this.#arm(listsEntered, watch === undefined ? undefined : position?.statement);
  }

  /** Stops before the statement at this position, or the first one after it. The callback may set the next stop. */
  stopAt(target: StatementPosition, onHit: StatementHit): void {
    const { listsEntered, position } = this;
    const isAhead =
      target.list > listsEntered ||
      (target.list === listsEntered && target.statement > (position?.statement ?? Infinity));
    if (!isAhead) {
      const currentText =
        position === undefined ? `in list ${listsEntered}` : `at ${listsEntered}.${position.statement}`;
      throw new RangeError(`statement ${target.list}.${target.statement} has been passed: the task is ${currentText}`);
    }
    this.#target = target;
    this.#onHit = onHit;
    this.#arm(listsEntered, position?.statement);
  }

  /** Stops before the next statement. Must be called at a stop, or before the first statement of the task. */
  stopNext(onHit: StatementHit): void {
    const { position } = this;
    if (position === undefined) throw new RangeError(NOT_COUNTED);
    this.stopAt({ list: position.list, statement: position.statement + 1 }, onHit);
  }

  /** Abandons the task: from now on each of its statements throws `error`, even if the program catches it. */
  abandon(error: unknown): never {
    this.#abandoned = { error };
    this.#arm(this.listsEntered, this.position?.statement);
    throw error;
  }

  /** Throws in an abandoned task. For functions that the program calls but that have no statements of their own. */
  throwIfAbandoned(): void {
    if (this.#abandoned !== undefined) throw this.#abandoned.error;
  }

  /** Runs code that is not the program's. Its statements are not counted, and stops do not apply to them. */
  runApart<T>(run: () => T): T {
    const { listsEntered, position } = this;
    const [target, abandoned, watch, endList] = [this.#target, this.#abandoned, this.#watch, this.#endList];
    this.#target = NO_TARGET;
    this.#endList = Infinity;
    this.#abandoned = undefined;
    this.#watch = undefined;
    this.#arm(listsEntered, undefined);
    try {
      return run();
    } finally {
      this.#target = target;
      this.#abandoned = abandoned;
      this.#watch = watch;
      this.#endList = endList;
      this.#arm(listsEntered, position?.statement);
    }
  }

  #arm(listsEntered: number, statementInList: number | undefined): void {
    const isNear = this.#abandoned !== undefined || this.#watch !== undefined || this.#target.list <= listsEntered;
    this.#armedAtList = listsEntered;
    this.#statementInList = statementInList;
    this.#countdownStart = isNear
      ? 1
      : Math.max(1, Math.min(MAX_COUNTDOWN, this.#target.list - listsEntered, this.#endList - listsEntered));
    this.#lexicals.left = this.#countdownStart;
    this.#lexicals.near = isNear;
  }

  #hit(file: string, statement: number, locals: readonly unknown[]): void {
    if (this.#abandoned !== undefined) {
      this.#lexicals.left = 1;
      throw this.#abandoned.error;
    }
    if (this.#watch !== undefined) return this.#passStatement(this.#watch, file, statement, locals);
    const isFirst = this.#lexicals.left === 0;
    const { listsEntered } = this;
    const statementInList = isFirst ? 1 : (this.#statementInList ?? 0) + 1;
    const { list, statement: targetStatement } = this.#target;
    const isTarget = listsEntered > list || (listsEntered === list && statementInList >= targetStatement);
    if (isTarget) this.#target = NO_TARGET;
    this.#arm(listsEntered, statementInList);
    if (isTarget) this.#onHit(file, statement, locals);
    if (listsEntered >= this.#endList) this.#reachEnd();
    // Until the next stop, statements are not counted, unless the stop is in the current list.
    if (this.#target.list > this.#armedAtList && this.#abandoned === undefined) this.#statementInList = undefined;
  }

  /** Reports a statement to `watch`, and keeps the clock armed for the next one. */
  #passStatement(watch: StatementWatch, file: string, statement: number, locals: readonly unknown[]): void {
    const lexicals = this.#lexicals;
    if (lexicals.left === 0) {
      lexicals.left = 1;
      this.#armedAtList++;
      this.#statementInList = 1;
    } else this.#statementInList = (this.#statementInList ?? 0) + 1;
    watch(file, statement, locals, this.#armedAtList, this.#statementInList);
    if (this.#armedAtList >= this.#endList) this.#reachEnd();
  }

  #reachEnd(): void {
    this.#endList = Infinity;
    this.#onEnd();
  }
}
