// An observable immutable value.

export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Updates fields; the others stay unchanged. */
  update(changes: Partial<T>): void {
    this.#value = { ...this.#value, ...changes };
    for (const listener of this.#listeners) listener();
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
