// Lifetimes of the numbers of handles and exports: reports the numbers that nothing refers to any more. Numbers are registered with the garbage collector in
// groups, since a registration costs more than the rest of a crossing. A replay may forget an object a little later for that.

/** The engine's own: the program's are watched. */
const NativeRegistry = FinalizationRegistry;

/** So many of one run are forgotten for each that is there at most. */
export const GROUP_SIZE = 16;

export class HandleLifetimes {
  readonly #registry: FinalizationRegistry<number[]>;
  /** Of those that came last. Nothing else holds it but what has those numbers. */
  #token: object | undefined;
  #numbers: number[] = [];

  /** `onCollected`: nothing has one of these numbers any more. */
  constructor(onCollected: (numbers: readonly number[]) => void) {
    this.#registry = new NativeRegistry(onCollected);
  }

  /** What is to be held by whatever has the number, and by nothing else. It leads to nothing, for it outlives young collections. */
  tokenFor(number: number): object {
    const token = this.#token ?? this.#startGroup();
    this.#numbers.push(number);
    if (this.#numbers.length === GROUP_SIZE) this.#token = undefined;
    return token;
  }

  #startGroup(): object {
    this.#numbers = [];
    this.#token = {};
    this.#registry.register(this.#token, this.#numbers);
    return this.#token;
  }
}
