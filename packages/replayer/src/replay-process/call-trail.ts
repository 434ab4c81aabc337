// Statements of a task in execution order, with the values that their probes passed. They show earlier values of a
// variable in the same call, and the variables of outer calls.

export interface StartedStatement {
  readonly file: string;
  readonly statement: number;
  readonly locals: readonly unknown[];
}

/** Maximum number of kept statements. Newer statements replace the oldest ones. */
const MAX_TRAIL_STATEMENTS = 500_000;

export class CallTrail {
  readonly #started: StartedStatement[] = [];
  readonly #lists: number[] = [];
  readonly #statements: number[] = [];
  #count = 0;

  clear(): void {
    this.#started.length = this.#lists.length = this.#statements.length = this.#count = 0;
  }

  /** Adds a statement. It uses no array methods, because the program may have replaced them. */
  add(started: StartedStatement, list: number, statement: number): void {
    const slot = this.#count++ % MAX_TRAIL_STATEMENTS;
    this.#started[slot] = started;
    this.#lists[slot] = list;
    this.#statements[slot] = statement;
  }

  /** Finds a statement by its position in the task; undefined if it is not kept or has not begun. */
  find(list: number, statement: number): StartedStatement | undefined {
    let [low, high] = [Math.max(0, this.#count - MAX_TRAIL_STATEMENTS), this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const slot = middle % MAX_TRAIL_STATEMENTS;
      const isBefore = ((this.#lists[slot] as number) - list || (this.#statements[slot] as number) - statement) < 0;
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    const slot = low % MAX_TRAIL_STATEMENTS;
    const isFound = low < this.#count && this.#lists[slot] === list && this.#statements[slot] === statement;
    return isFound ? this.#started[slot] : undefined;
  }
}
