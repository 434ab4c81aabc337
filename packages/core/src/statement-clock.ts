// The runtime's end of debug mode: says where in a task the program is, stops before a statement, and gets out of a task from its
// midst. What probes look at are lexicals of the context that all files share (docs/transform.md, "Debug mode").
//
// Only the first statement of each list is counted. The counter runs down to the next stop, and is 0 there; statements behind the first look at a
// variable that says whether a stop is near. So a position is a pair: no statement begins twice without a list being entered in between.

/** Run once as a script of a context, it declares what probes and barriers use, and answers the way to it. */
const DECLARATION = `let tt$c = 1, tt$s = false, tt$h = () => {}, tt$e = () => {};
let tt$w = false, tt$l;
const tt$o = (o, k) => { if (tt$w) tt$l.noteProperty(o, k); return o; },
  tt$i = (o) => { if (tt$w) tt$l.noteObject(o); return o; },
  tt$k = (k) => { if (tt$w) tt$l.noteKey(k); return k; },
  tt$p = (o, n) => { if (tt$w) tt$l.notePrivate(o, n); return o; },
  tt$d = (o) => { if (tt$w) tt$l.noteAllProperties(o); return o; },
  tt$g = (m, n) => tt$l.noteVariables(m, n), tt$f = (o, ...path) => tt$l.notePath(o, path);
({ get left() { return tt$c; }, set left(n) { tt$c = n; }, set near(s) { tt$s = s; }, set hit(hit) { tt$h = hit; }, set caught(tell) { tt$e = tell; },
  set writing(on) { tt$w = on; }, set log(log) { tt$l = log; } })`;

interface Lexicals {
  left: number;
  near: boolean;
  hit: (file: string, statement: number, ...locals: unknown[]) => void;
  caught: (error?: unknown) => void;
  writing: boolean;
  log: BarrierListener;
}

/** What is told before code writes, while it is asked for (undo/undo-log.ts). */
export interface BarrierListener {
  noteProperty(object: unknown, key: unknown): void;
  /** Of a member whose object and whose key are evaluated one after the other. */
  noteObject(object: unknown): void;
  noteKey(key: unknown): void;
  /** A member that holds a value, by its name without `#`. */
  notePrivate(object: unknown, name: string): void;
  noteAllProperties(object: unknown): void;
  noteVariables(record: object | null, name?: string): void;
  /** A property at the end of a path. */
  notePath(object: unknown, path: readonly unknown[]): void;
}

/** Statements of a task in the order in which they begin: by the lists that have been entered, and within the last of them. */
export interface StatementPosition {
  readonly list: number;
  readonly statement: number;
}

/** What happens before the statement at which a task is stopped: the file's id, the number in its table, what is passed there. */
export type StatementHit = (file: string, statement: number, locals: readonly unknown[]) => void;

/** What happens before each statement of a task that is watched, which is at this position. */
export type StatementWatch = (
  file: string,
  statement: number,
  locals: readonly unknown[],
  list: number,
  statementInList: number,
) => void;

/** The counter stays among the numbers that V8 adds up fastest. */
const MAX_COUNTDOWN = 2 ** 30;
const NOT_COUNTED = 'Nobody counts here: the next statement is known where the task is stopped, or begins.';
const NO_TARGET: StatementPosition = { list: Infinity, statement: 1 };

export class StatementClock {
  readonly #lexicals: Lexicals;
  /** Lists entered when the counter was last set, and what it was set to. */
  #armedAtList = 0;
  #countdownStart = MAX_COUNTDOWN;
  /** Statements begun since the last list was entered, as long as they are counted. */
  #statementInList: number | undefined = 0;
  #target: StatementPosition = NO_TARGET;
  #onHit: StatementHit = () => {};
  /** The list before which the task is over. */
  #endList = Infinity;
  #onEnd: () => void = () => {};
  #watch: StatementWatch | undefined;
  #abandoned: { readonly error: unknown } | undefined;

  /** `runScript` runs a text as a script of the context whose code is counted. There is one clock in a context. */
  constructor(runScript: (text: string) => unknown) {
    this.#lexicals = runScript(DECLARATION) as Lexicals;
    this.#lexicals.hit = (file, statement, ...locals) => this.#hit(file, statement, locals);
    this.restart();
  }

  /** Who is told before code writes, from now on or no longer. */
  watchWrites(listener: BarrierListener | undefined): void {
    if (listener !== undefined) this.#lexicals.log = listener;
    this.#lexicals.writing = listener !== undefined;
  }

  /** Who is told of each error that comes to a `catch` of the program, before anything of that runs. */
  watchCaught(listener: (error: unknown) => void): void {
    this.#lexicals.caught = (error) => {
      // What is abandoned has thrown nothing.
      if (this.#abandoned === undefined) listener(error);
    };
  }

  /** Statement lists that have been entered since `restart`. */
  get listsEntered(): number {
    return this.#armedAtList + this.#countdownStart - this.#lexicals.left;
  }

  /** Where the task is stopped, or `{ list: 0, statement: 0 }` before its first statement; elsewhere nobody counts. */
  get position(): StatementPosition | undefined {
    const { listsEntered } = this;
    return this.#statementInList === undefined || listsEntered !== this.#armedAtList
      ? undefined
      : { list: listsEntered, statement: this.#statementInList };
  }

  /** A task begins. Nothing of the last one's stop is left. */
  restart(): void {
    this.#abandoned = undefined;
    this.#target = NO_TARGET;
    this.#endList = Infinity;
    this.#watch = undefined;
    this.#arm(0, 0);
  }

  /** Of a task that may not come to an end: calls back before the first statement of this list, whoever watches or stops at others; once. */
  endAt(list: number, onEnd: () => void): void {
    const { listsEntered, position } = this;
    this.#endList = list;
    this.#onEnd = onEnd;
    this.#arm(listsEntered, position?.statement);
  }

  /** Calls back before each statement until the task ends or `watch` is undefined, at a tenth of the cost of `stopNext`. There are no other stops meanwhile. */
  watch(watch: StatementWatch | undefined): void {
    const { listsEntered, position } = this;
    if (watch !== undefined && position === undefined) throw new RangeError(NOT_COUNTED);
    this.#target = NO_TARGET;
    this.#watch = watch;
    this.#arm(listsEntered, watch === undefined ? undefined : position?.statement);
  }

  /** Calls back before the statement at this position, or the first behind it. In it the next stop may be set. */
  stopAt(target: StatementPosition, onHit: StatementHit): void {
    const { listsEntered, position } = this;
    const isAhead =
      target.list > listsEntered ||
      (target.list === listsEntered && target.statement > (position?.statement ?? Infinity));
    if (!isAhead) {
      const currentText =
        position === undefined ? `in list ${listsEntered}` : `at ${listsEntered}.${position.statement}`;
      throw new RangeError(`Statement ${target.list}.${target.statement} of the task is passed: it is ${currentText}.`);
    }
    this.#target = target;
    this.#onHit = onHit;
    this.#arm(listsEntered, position?.statement);
  }

  /** The same before the next statement, whichever it is: where the task is stopped, or at its beginning. */
  stopNext(onHit: StatementHit): void {
    const { position } = this;
    if (position === undefined) throw new RangeError(NOT_COUNTED);
    this.stopAt({ list: position.list, statement: position.statement + 1 }, onHit);
  }

  /** From now on every statement of the task throws this instead of beginning, whatever is caught on the way. */
  abandon(error: unknown): never {
    this.#abandoned = { error };
    this.#arm(this.listsEntered, this.position?.statement);
    throw error;
  }

  /** For what the program calls that has no statements of its own. */
  throwIfAbandoned(): void {
    if (this.#abandoned !== undefined) throw this.#abandoned.error;
  }

  /** Runs code that is not the program's: statements in it are neither counted nor stopped at. */
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
    // From here on nobody counts, unless there is another stop near.
    if (this.#target.list > this.#armedAtList && this.#abandoned === undefined) this.#statementInList = undefined;
  }

  /** Armed as it is: nothing to be done but to count. */
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
