// Semaphore: each task starts processes, and the machine has few cores.
export class Turnstile {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(capacity: number) {
    this.#free = capacity;
  }

  async pass<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
