// The suite's pseudo-random numbers: a linear congruential generator over 16 bits, created for every run, so that each
// run of each port in each language sees the same numbers.

export class Random {
  declare seed: number;

  constructor() {
    this.seed = 74755;
  }

  next(): number {
    this.seed = (this.seed * 1309 + 13849) & 65535;
    return this.seed;
  }
}
