// Lifetimes of the numbers of handles and exports: reports the numbers that nothing refers to any more. Numbers are registered with the garbage collector in
// groups, since a registration costs more than the rest of a crossing. A replay may forget an object a little later for that.

/** The engine's own: the program's are watched. */
const NativeRegistry = FinalizationRegistry;

/** So many of one run are forgotten for each that is there at most. */
export const TOGETHER = 16;

export class HandleLifetimes {
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
