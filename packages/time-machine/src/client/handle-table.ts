// What clients know by numbers. A number that was forgotten stands for nothing, and never for something else.

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
