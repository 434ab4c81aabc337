// What ways take, as far as earlier ones have shown: by that it is known whether a process that stands before a place is there sooner than one that begins with a snapshot in between.

/** Milliseconds, and for one list of statements, until anything was seen. */
const BEGINNING = { anew: 700, ready: 250 } as const;
const A_LIST = 1 / 4000;
/** What is shorter, in lists, says nothing. */
const LEAST = 20_000;
/** Milliseconds: no process begins in less. */
const SHORTEST = 100;

/** How a process begins: from nothing, or it has begun before it was known what for. */
export type Beginning = keyof typeof BEGINNING;

export class Pace {
  readonly #beginnings: Record<Beginning, number> = { ...BEGINNING };
  #list = A_LIST;

  /** A process has gone so far, in so many milliseconds. @param work as the itinerary has it */
  went(work: number, milliseconds: number): void {
    if (work >= LEAST) this.#list = (this.#list + milliseconds / work) / 2;
  }

  /** One has begun, and gone so far. */
  began(work: number, milliseconds: number, how: Beginning = 'anew'): void {
    const beginning = Math.max(SHORTEST, milliseconds - work * this.#list);
    this.#beginnings[how] = (this.#beginnings[how] + beginning) / 2;
  }

  /** Milliseconds. */
  takes(work: number): number {
    return work * this.#list;
  }

  begins(how: Beginning): number {
    return this.#beginnings[how];
  }

  /** Whether a process that begins at its end is there before one that goes this way. @param before milliseconds until that one can go */
  isLong(work: number, how: Beginning = 'anew', before = 0): boolean {
    return before + this.takes(work) > this.begins(how);
  }
}
