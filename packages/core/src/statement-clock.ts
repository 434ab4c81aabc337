// The runtime's end of debug mode: counts the statements of a stretch, stops before one of them, and gets out of a stretch from
// its midst. What probes count in are lexicals of the context that all files share: a property of an object or an element of a typed
// array costs a third more (docs/transform.md, "Debug mode").
//
// The counter runs down to the next stop, so that a probe reads one variable only. Without a stop it stops for nothing every 2^30
// statements: it never leaves the numbers that V8 adds up fastest.

/** Run once as a script of a context, it declares what probes use, and answers the way to it. */
const DECLARATION = `let tt$c = 1, tt$h = () => {};
({ get left() { return tt$c; }, set left(n) { tt$c = n; }, set hit(hit) { tt$h = hit; } })`;

interface Lexicals {
  left: number;
  hit: (file: string, statement: number, ...locals: unknown[]) => void;
}

/** What happens before the statement at which a stretch is stopped: the file's id, the number in its table, what is passed there. */
export type StatementHit = (file: string, statement: number, locals: readonly unknown[]) => void;

const FURTHEST = 2 ** 30;

export class StatementClock {
  readonly #lexicals: Lexicals;
  /** Statements begun when the counter was last set, and what it was set to. */
  #before = 0;
  #set = FURTHEST;
  #target = Infinity;
  #onHit: StatementHit = () => {};
  #abandoned: { readonly error: unknown } | undefined;

  /** `runScript` runs a text as a script of the context whose code is counted. There is one clock in a context. */
  constructor(runScript: (text: string) => unknown) {
    this.#lexicals = runScript(DECLARATION) as Lexicals;
    this.#lexicals.hit = (file, statement, ...locals) => this.#hit(file, statement, locals);
    this.restart();
  }

  /** Statements that have begun since `restart`, one that is stopped at among them. */
  get begun(): number {
    return this.#before + this.#set - this.#lexicals.left;
  }

  /** A stretch begins. Nothing of the last one's stop is left. */
  restart(): void {
    this.#abandoned = undefined;
    this.#before = 0;
    this.#target = Infinity;
    this.#arm();
  }

  /** Calls back before the statement with this number in the stretch, the first being 1. In it the next stop may be set. */
  stopAt(statement: number, hit: StatementHit): void {
    this.#before = this.begun;
    if (!(statement > this.#before)) {
      this.#set = this.#lexicals.left;
      throw new RangeError(`Statement ${statement} of the stretch has begun: ${this.#before} have.`);
    }
    this.#target = statement;
    this.#onHit = hit;
    this.#arm();
  }

  /** From now on every statement of the stretch throws this instead of beginning, whatever is caught on the way. */
  abandon(error: unknown): never {
    this.#before = this.begun;
    this.#abandoned = { error };
    this.#set = 1;
    this.#lexicals.left = 1;
    throw error;
  }

  /** For what the program calls that has no statements of its own. */
  throwIfAbandoned(): void {
    if (this.#abandoned !== undefined) throw this.#abandoned.error;
  }

  /** Runs code that is not the program's: statements in it are neither counted nor stopped at. */
  apart<T>(run: () => T): T {
    const begun = this.begun;
    const target = this.#target;
    const abandoned = this.#abandoned;
    this.#target = Infinity;
    this.#abandoned = undefined;
    this.#arm();
    try {
      return run();
    } finally {
      this.#before = begun;
      this.#target = target;
      this.#abandoned = abandoned;
      this.#arm();
    }
  }

  #arm(): void {
    this.#set = this.#abandoned === undefined ? Math.min(FURTHEST, this.#target - this.#before) : 1;
    this.#lexicals.left = this.#set;
  }

  #hit(file: string, statement: number, locals: readonly unknown[]): void {
    if (this.#abandoned !== undefined) {
      this.#lexicals.left = 1;
      throw this.#abandoned.error;
    }
    this.#before += this.#set;
    const isTarget = this.#before === this.#target;
    if (isTarget) this.#target = Infinity;
    this.#arm();
    if (isTarget) this.#onHit(file, statement, locals);
  }
}
