// The price of calling an async function that does not suspend and awaiting its result: nearly every async program does
// little else.

async function increment(x: number): Promise<number> {
  return x + 1;
}

async function countTo(n: number): Promise<number> {
  let count = 0;
  while (count < n) {
    count = await increment(count);
  }
  return count;
}

class AsyncCall {
  async innerBenchmarkLoop(innerIterations: number): Promise<boolean> {
    return (await countTo(innerIterations)) === innerIterations;
  }
}

export const newInstance = (): AsyncCall => new AsyncCall();
