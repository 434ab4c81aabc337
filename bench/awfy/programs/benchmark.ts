// What every program of the suite is to its driver: an object that runs a given number of inner iterations and says
// whether the results were right. Programs whose iteration count is a problem size override `innerBenchmarkLoop`.
// Fields are only declared everywhere in this folder: erasing them leaves exactly the constructors' assignments,
// natively and transformed alike, and the object shapes of the published JavaScript versions.

export abstract class Benchmark<Result> {
  innerBenchmarkLoop(innerIterations: number): boolean {
    for (let i = 0; i < innerIterations; i += 1) {
      if (!this.verifyResult(this.benchmark())) return false;
    }
    return true;
  }

  benchmark(): Result {
    throw new Error('a program must define benchmark() or override innerBenchmarkLoop()');
  }

  abstract verifyResult(result: Result, innerIterations?: number): boolean;
}

/** For programs that know their results only at some problem sizes: a silent pass at another size would be a lie. */
export function unknownSize(program: string, innerIterations: number, sizes: string): Error {
  return new Error(`${program} has no expected result for ${innerIterations} inner iterations; use one of ${sizes}`);
}
