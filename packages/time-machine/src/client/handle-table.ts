/** Gives values numbers, which a client can refer to. Numbers are never reused, so an old one stays unambiguous. */
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

  clear(isKept: (value: T) => boolean = () => false): void {
    for (const [number, value] of this.#values) if (!isKept(value)) this.#values.delete(number);
  }
}
