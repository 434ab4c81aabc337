// A store for an immutable value, whose changes it reports to listeners.

export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Updates fields; the other fields stay unchanged. */
  update(changes: Partial<T>): void {
    this.#value = { ...this.#value, ...changes };
    for (const listener of this.#listeners) listener();
  }

  /** Calls a listener after each update. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
