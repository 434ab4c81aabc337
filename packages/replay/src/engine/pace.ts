// What ways take, as far as earlier ones have shown: by that it is known whether a process that stands before a place is there sooner than one that begins with a snapshot in between.

/** Milliseconds, and for one list of statements, until anything was seen. */
const BEGINNING = 700;
const A_LIST = 1 / 4000;
/** What is shorter, in lists, says nothing. */
const LEAST = 20_000;
/** Milliseconds: no process begins in less. */
const SHORTEST = 100;

export class Pace {
  #beginning = BEGINNING;
  #list = A_LIST;

  /** A process has gone so far, in so many milliseconds. @param work as the itinerary has it */
  went(work: number, milliseconds: number): void {
    if (work >= LEAST) this.#list = (this.#list + milliseconds / work) / 2;
  }

  /** One has begun, and gone so far. */
  began(work: number, milliseconds: number): void {
    const beginning = Math.max(SHORTEST, milliseconds - work * this.#list);
    this.#beginning = (this.#beginning + beginning) / 2;
  }

  /** Whether a process that begins at its end is there before one that goes this way. */
  isLong(work: number): boolean {
    return work * this.#list > this.#beginning;
  }
}
