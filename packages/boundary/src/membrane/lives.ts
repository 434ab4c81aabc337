// Until when numbers are in use. The collector is asked about several together: a registration costs more than all else that is done for an object which
// crosses, and what is to come of it, that a run again forgets some objects, may as well come later, for a few that are still there.

/** The engine's own: the program's are watched. */
const NativeRegistry = FinalizationRegistry;

/** So many of one run are forgotten for each that is there at most. */
export const TOGETHER = 16;

export class Lives {
  readonly #registry: FinalizationRegistry<number[]>;
  /** Of those that came last. Nothing else holds it but what has those numbers. */
  #life: object | undefined;
  #numbers: number[] = [];

  /** `gone`: nothing has one of these numbers any more. */
  constructor(gone: (numbers: readonly number[]) => void) {
    this.#registry = new NativeRegistry(gone);
  }

  /** What is to be held by whatever has the number, and by nothing else. It leads to nothing, for it outlives young collections. */
  of(number: number): object {
    const life = this.#life ?? this.#begin();
    this.#numbers.push(number);
    if (this.#numbers.length === TOGETHER) this.#life = undefined;
    return life;
  }

  #begin(): object {
    this.#numbers = [];
    this.#life = {};
    this.#registry.register(this.#life, this.#numbers);
    return this.#life;
  }
}
