/** Values that a client knows by numbers. Numbers are never reused, so an old one cannot mean another value. */
export class HandleTable<T> {
  readonly #values = new Map<number, T>();
  #last = 0;

  add(value: T): number {
    this.#values.set(++this.#last, value);
    return this.#last;
  }

  get(number: number): T | undefined {
    return this.#values.get(number);
  }

  clear(): void {
    this.#values.clear();
  }
}
