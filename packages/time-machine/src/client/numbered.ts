// What clients know by numbers. A number that was forgotten stands for nothing, and never for something else.

export class Numbered<T> {
  readonly #all = new Map<number, T>();
  #last = 0;

  add(value: T): number {
    this.#all.set(++this.#last, value);
    return this.#last;
  }

  get(number: number): T | undefined {
    return this.#all.get(number);
  }

  forget(): void {
    this.#all.clear();
  }
}
