// The suite's own generator of numbers, with 16 bits of state, so that every implementation draws the same numbers.
// Numbers between 0 and 1 follow SOMns (state / 2^16), not Savina itself (1 / (x + 1)): the expected results depend on
// them.

export class Random {
  #state: number;
  #spare: number | undefined;

  constructor(seed = 74755) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state * 1309 + 13849) & 65535;
    return this.#state;
  }

  below(bound: number): number {
    return this.next() % bound;
  }

  /** Returns a number in [0, 1). */
  fraction(): number {
    return this.next() / 65536;
  }

  boolean(): boolean {
    return this.next() < 32768;
  }

  /** Returns a normally distributed number, by Marsaglia's polar method, which makes two at a time. */
  gaussian(): number {
    const spare = this.#spare;
    if (spare !== undefined) {
      this.#spare = undefined;
      return spare;
    }
    for (;;) {
      const a = 2 * this.fraction() - 1;
      const b = 2 * this.fraction() - 1;
      const s = a * a + b * b;
      if (s >= 1 || s === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(s)) / s);
      this.#spare = b * factor;
      return a * factor;
    }
  }

  /** Draws repeatedly: the suite's way to be busy. */
  spend(draws: number): void {
    for (let i = 0; i < draws; i += 1) this.next();
  }
}
