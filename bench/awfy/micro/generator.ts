// Iteration of generators, short and long: with for-of, nested with yield*, and manually with next().

function* upTo(n: number): Generator<number, number, undefined> {
  for (let i = 0; i < n; i += 1) yield i;
  return n;
}

function* pairs(n: number): Generator<number, void, undefined> {
  for (let i = 0; i < n; i += 1) {
    yield i;
    yield -i;
  }
}

function* both(n: number): Generator<number, void, undefined> {
  const end = yield* upTo(n);
  yield end;
}

const LONG = 20_000;
const SHORT = 4;

function round(): number {
  let sum = 0;
  for (const value of upTo(LONG)) sum += value;
  for (const value of pairs(LONG)) sum += value;
  for (let i = 0; i < LONG / SHORT; i += 1) {
    for (const value of upTo(SHORT)) sum += value;
  }
  for (const value of both(LONG / 4)) sum += value;

  const iterator = upTo(LONG);
  let step = iterator.next();
  while (!step.done) {
    sum += step.value;
    step = iterator.next();
  }
  return sum;
}

const EXPECTED =
  LONG * (LONG - 1) + (LONG / SHORT) * ((SHORT * (SHORT - 1)) / 2) + (LONG / 4) * (LONG / 4 - 1) * 0.5 + LONG / 4;

class GeneratorIteration {
  innerBenchmarkLoop(innerIterations: number): boolean {
    for (let i = 0; i < innerIterations; i += 1) {
      if (round() !== EXPECTED) return false;
    }
    return true;
  }
}

export const newInstance = (): GeneratorIteration => new GeneratorIteration();
