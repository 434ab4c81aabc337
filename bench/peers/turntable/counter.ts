export class Counter {
  #count = 0;

  ping(value: number): number {
    return value;
  }

  increment(): void {
    this.#count++;
  }

  retrieve(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }
}
