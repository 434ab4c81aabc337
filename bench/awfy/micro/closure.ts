// Creation of closures: some that V8 can eliminate (callbacks of inlined loops) and some that live (stored and called
// later), over captured constants, over variables that they change, and over the bindings of a loop.

type Step = (x: number) => number;

function addingTo(offset: number): Step {
  return (x) => x + offset;
}

function counter(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return count;
  };
}

function each(n: number, fn: (i: number) => void): void {
  for (let i = 0; i < n; i += 1) fn(i);
}

const KEPT = 64;
const kept = new Array<Step>(KEPT);

function round(n: number): number {
  let sum = 0;

  for (let i = 0; i < n; i += 1) {
    each(4, (k) => {
      sum += k;
    });
  }
  for (let i = 0; i < n; i += 1) {
    kept[i % KEPT] = addingTo(i);
    sum += kept[(i * 7) % KEPT]?.(1) ?? 0;
  }
  for (let i = 0; i < n; i += 1) {
    const next = counter();
    next();
    sum += next();
  }
  for (let i = 0; i < n; i += 1) {
    kept[i % KEPT] = (x) => x + i;
  }
  for (const fn of kept) sum += fn(0);
  return sum;
}

const ROUND = 10_000;

class ClosureCreation {
  declare expected: number;

  constructor() {
    kept.fill((x) => x);
    round(ROUND);
    this.expected = round(ROUND);
  }

  innerBenchmarkLoop(innerIterations: number): boolean {
    for (let i = 0; i < innerIterations; i += 1) {
      if (round(ROUND) !== this.expected) return false;
    }
    return true;
  }
}

export const newInstance = (): ClosureCreation => new ClosureCreation();
