// A value that is looked at: whoever watches is told of each one that comes. Values are never changed, only replaced.

export class Store<T> {
  #value: T;
  readonly #watchers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** What is not named stays as it is. */
  put(part: Partial<T>): void {
    this.#value = { ...this.#value, ...part };
    for (const watcher of this.#watchers) watcher();
  }

  /** @returns what ends that */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }
}
