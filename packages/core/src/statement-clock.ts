// The runtime's end of debug mode: says where in a stretch the program is, stops before a statement, and gets out of a stretch from its
// midst. What probes look at are lexicals of the context that all files share (docs/transform.md, "Debug mode").
//
// Only the first statement of each list is counted. The counter runs down to the next stop, and is 0 there; statements behind the first look at a
// variable that says whether a stop is near. So a position is a pair: no statement begins twice without a list being entered in between.

/** Run once as a script of a context, it declares what probes and barriers use, and answers the way to it. */
const DECLARATION = `let tt$c = 1, tt$s = false, tt$h = () => {}, tt$e = () => {};
let tt$w = false, tt$l;
const tt$o = (o, k) => { if (tt$w) tt$l.property(o, k); return o; },
  tt$i = (o) => { if (tt$w) tt$l.object(o); return o; },
  tt$k = (k) => { if (tt$w) tt$l.key(k); return k; },
  tt$p = (o, n) => { if (tt$w) tt$l.privates(o, n); return o; },
  tt$d = (o) => { if (tt$w) tt$l.whole(o); return o; },
  tt$g = (m, n) => tt$l.variables(m, n), tt$f = (o, ...path) => tt$l.below(o, path);
({ get left() { return tt$c; }, set left(n) { tt$c = n; }, set near(s) { tt$s = s; }, set hit(hit) { tt$h = hit; }, set caught(tell) { tt$e = tell; },
  set writing(on) { tt$w = on; }, set log(log) { tt$l = log; } })`;

interface Lexicals {
  left: number;
  near: boolean;
  hit: (file: string, statement: number, ...locals: unknown[]) => void;
  caught: (error?: unknown) => void;
  writing: boolean;
  log: Barriers;
}

/** What is told before code writes, while it is asked for (undo/undo-log.ts). */
export interface Barriers {
  property(object: unknown, key: unknown): void;
  /** Of a member whose object and whose key are evaluated one after the other. */
  object(object: unknown): void;
  key(key: unknown): void;
  /** A member that holds a value, by its name without `#`. */
  privates(object: unknown, name: string): void;
  whole(object: unknown): void;
  variables(record: object | null, name?: string): void;
  /** A property at the end of a path. */
  below(object: unknown, path: readonly unknown[]): void;
}

/** Statements of a stretch in the order in which they begin: by the lists that have been entered, and within the last of them. */
export interface StatementPosition {
  readonly list: number;
  readonly statement: number;
}

/** What happens before the statement at which a stretch is stopped: the file's id, the number in its table, what is passed there. */
export type StatementHit = (file: string, statement: number, locals: readonly unknown[]) => void;

/** What happens before each statement of a stretch that is watched, which is at this position. */
export type StatementWatch = (
  file: string,
  statement: number,
  locals: readonly unknown[],
  list: number,
  within: number,
) => void;

/** The counter stays among the numbers that V8 adds up fastest. */
const FURTHEST = 2 ** 30;
const NOT_COUNTED = 'Nobody counts here: the next statement is known where the stretch is stopped, or begins.';
const NOWHERE: StatementPosition = { list: Infinity, statement: 1 };

export class StatementClock {
  readonly #lexicals: Lexicals;
  /** Lists entered when the counter was last set, and what it was set to. */
  #before = 0;
  #set = FURTHEST;
  /** Statements begun since the last list was entered, as long as they are counted. */
  #since: number | undefined = 0;
  #target: StatementPosition = NOWHERE;
  #onHit: StatementHit = () => {};
  /** The list before which the stretch is over. */
  #last = Infinity;
  #onLast: () => void = () => {};
  #watch: StatementWatch | undefined;
  #abandoned: { readonly error: unknown } | undefined;

  /** `runScript` runs a text as a script of the context whose code is counted. There is one clock in a context. */
  constructor(runScript: (text: string) => unknown) {
    this.#lexicals = runScript(DECLARATION) as Lexicals;
    this.#lexicals.hit = (file, statement, ...locals) => this.#hit(file, statement, locals);
    this.restart();
  }

  /** Who is told before code writes, from now on or no longer. */
  watchWrites(barriers: Barriers | undefined): void {
    if (barriers !== undefined) this.#lexicals.log = barriers;
    this.#lexicals.writing = barriers !== undefined;
  }

  /** Who is told of each error that comes to a `catch` of the program, before anything of that runs. */
  watchCaught(tell: (error: unknown) => void): void {
    this.#lexicals.caught = (error) => {
      // What is abandoned has thrown nothing.
      if (this.#abandoned === undefined) tell(error);
    };
  }

  /** Statement lists that have been entered since `restart`. */
  get lists(): number {
    return this.#before + this.#set - this.#lexicals.left;
  }

  /** Where the stretch is stopped, or `{ list: 0, statement: 0 }` before its first statement; elsewhere nobody counts. */
  get position(): StatementPosition | undefined {
    const { lists } = this;
    return this.#since === undefined || lists !== this.#before ? undefined : { list: lists, statement: this.#since };
  }

  /** A stretch begins. Nothing of the last one's stop is left. */
  restart(): void {
    this.#abandoned = undefined;
    this.#target = NOWHERE;
    this.#last = Infinity;
    this.#watch = undefined;
    this.#arm(0, 0);
  }

  /** Of a stretch that may not come to an end: calls back before the first statement of this list, whoever watches or stops at others; once. */
  endAt(list: number, over: () => void): void {
    const { lists, position } = this;
    this.#last = list;
    this.#onLast = over;
    this.#arm(lists, position?.statement);
  }

  /** Calls back before each statement until the stretch ends or `watch` is undefined, at a tenth of the cost of `stopNext`. There are no other stops meanwhile. */
  watch(watch: StatementWatch | undefined): void {
    const { lists, position } = this;
    if (watch !== undefined && position === undefined) throw new RangeError(NOT_COUNTED);
    this.#target = NOWHERE;
    this.#watch = watch;
    this.#arm(lists, watch === undefined ? undefined : position?.statement);
  }

  /** Calls back before the statement at this position, or the first behind it. In it the next stop may be set. */
  stopAt(target: StatementPosition, hit: StatementHit): void {
    const { lists, position } = this;
    const isAhead =
      target.list > lists || (target.list === lists && target.statement > (position?.statement ?? Infinity));
    if (!isAhead) {
      const here = position === undefined ? `in list ${lists}` : `at ${lists}.${position.statement}`;
      throw new RangeError(`Statement ${target.list}.${target.statement} of the stretch is passed: it is ${here}.`);
    }
    this.#target = target;
    this.#onHit = hit;
    this.#arm(lists, position?.statement);
  }

  /** The same before the next statement, whichever it is: where the stretch is stopped, or at its beginning. */
  stopNext(hit: StatementHit): void {
    const { position } = this;
    if (position === undefined) throw new RangeError(NOT_COUNTED);
    this.stopAt({ list: position.list, statement: position.statement + 1 }, hit);
  }

  /** From now on every statement of the stretch throws this instead of beginning, whatever is caught on the way. */
  abandon(error: unknown): never {
    this.#abandoned = { error };
    this.#arm(this.lists, this.position?.statement);
    throw error;
  }

  /** For what the program calls that has no statements of its own. */
  throwIfAbandoned(): void {
    if (this.#abandoned !== undefined) throw this.#abandoned.error;
  }

  /** Runs code that is not the program's: statements in it are neither counted nor stopped at. */
  apart<T>(run: () => T): T {
    const { lists, position } = this;
    const [target, abandoned, watch, last] = [this.#target, this.#abandoned, this.#watch, this.#last];
    this.#target = NOWHERE;
    this.#last = Infinity;
    this.#abandoned = undefined;
    this.#watch = undefined;
    this.#arm(lists, undefined);
    try {
      return run();
    } finally {
      this.#target = target;
      this.#abandoned = abandoned;
      this.#watch = watch;
      this.#last = last;
      this.#arm(lists, position?.statement);
    }
  }

  #arm(lists: number, since: number | undefined): void {
    const isNear = this.#abandoned !== undefined || this.#watch !== undefined || this.#target.list <= lists;
    this.#before = lists;
    this.#since = since;
    this.#set = isNear ? 1 : Math.max(1, Math.min(FURTHEST, this.#target.list - lists, this.#last - lists));
    this.#lexicals.left = this.#set;
    this.#lexicals.near = isNear;
  }

  #hit(file: string, statement: number, locals: readonly unknown[]): void {
    if (this.#abandoned !== undefined) {
      this.#lexicals.left = 1;
      throw this.#abandoned.error;
    }
    if (this.#watch !== undefined) return this.#passes(this.#watch, file, statement, locals);
    const isFirst = this.#lexicals.left === 0;
    const { lists } = this;
    const since = isFirst ? 1 : (this.#since ?? 0) + 1;
    const { list, statement: within } = this.#target;
    const isTarget = lists > list || (lists === list && since >= within);
    if (isTarget) this.#target = NOWHERE;
    this.#arm(lists, since);
    if (isTarget) this.#onHit(file, statement, locals);
    if (lists >= this.#last) this.#ends();
    // From here on nobody counts, unless there is another stop near.
    if (this.#target.list > this.#before && this.#abandoned === undefined) this.#since = undefined;
  }

  /** Armed as it is: nothing to be done but to count. */
  #passes(watch: StatementWatch, file: string, statement: number, locals: readonly unknown[]): void {
    const lexicals = this.#lexicals;
    if (lexicals.left === 0) {
      lexicals.left = 1;
      this.#before++;
      this.#since = 1;
    } else this.#since = (this.#since ?? 0) + 1;
    watch(file, statement, locals, this.#before, this.#since);
    if (this.#before >= this.#last) this.#ends();
  }

  #ends(): void {
    this.#last = Infinity;
    this.#onLast();
  }
}
