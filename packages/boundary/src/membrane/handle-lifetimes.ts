// Lifetimes of the numbers of handles and exports: reports the numbers that nothing refers to any more. Numbers are
// registered with the garbage collector in groups, because a registration costs more than the rest of a crossing. In
// return, a replay may forget an object a little later.

/** The engine's own class. The program uses an instrumented one. */
const NativeRegistry = FinalizationRegistry;

/** Count of numbers that share one registration. A live number delays the release of the others. */
export const GROUP_SIZE = 16;

export class HandleLifetimes {
  readonly #registry: FinalizationRegistry<number[]>;
  /**
   * Token of the group that is being filled, if any. Once a group is full, only the owners of its numbers reference its
   * token.
   */
  #token: object | undefined;
  #numbers: number[] = [];

  /** @param onCollected called with numbers whose owners have all been collected */
  constructor(onCollected: (numbers: readonly number[]) => void) {
    this.#registry = new NativeRegistry(onCollected);
  }

  /**
   * Returns the token for a number. Only the number's owner may reference the token. The token survives young
   * collections, so it references nothing.
   */
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
