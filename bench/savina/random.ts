// The suite's own generator of numbers, 16 bits of state, so that every implementation draws the same ones. The numbers between 0 and 1 are those
// of SOMns (a sixteenth bit's share of the state), not those of Savina itself (1 / (x + 1)): the expected results follow from them.

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

  /** From 0 on, less than 1. */
  fraction(): number {
    return this.next() / 65536;
  }

  boolean(): boolean {
    return this.next() < 32768;
  }

  /** Normally distributed around 0 with a deviation of 1: Marsaglia's polar method, which makes two at a time. */
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

  /** So many draws: the suite's way to be busy. */
  spend(draws: number): void {
    for (let i = 0; i < draws; i += 1) this.next();
  }
}
