// The statements of a stretch with what their probes have passed, as it goes on: what a variable was earlier in the same call is seen there, and what those of outer calls are.

export interface Begun {
  readonly file: string;
  readonly statement: number;
  readonly locals: readonly unknown[];
}

/** Statements that are kept: those that begin later take the places of the first. */
const MOST = 500_000;

export class CallTrail {
  readonly #begun: Begun[] = [];
  readonly #lists: number[] = [];
  readonly #statements: number[] = [];
  #count = 0;

  clear(): void {
    this.#begun.length = this.#lists.length = this.#statements.length = this.#count = 0;
  }

  /** It runs for each statement: no method of an array, which the program may have replaced. */
  add(begun: Begun, list: number, statement: number): void {
    const at = this.#count++ % MOST;
    this.#begun[at] = begun;
    this.#lists[at] = list;
    this.#statements[at] = statement;
  }

  /** Nothing, if it is not kept. */
  at(list: number, statement: number): Begun | undefined {
    let [low, high] = [Math.max(0, this.#count - MOST), this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const place = middle % MOST;
      const isBefore = ((this.#lists[place] as number) - list || (this.#statements[place] as number) - statement) < 0;
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    const place = low % MOST;
    const isIt = low < this.#count && this.#lists[place] === list && this.#statements[place] === statement;
    return isIt ? this.#begun[place] : undefined;
  }
}
