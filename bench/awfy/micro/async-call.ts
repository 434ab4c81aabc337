// Calling an async function that does not suspend and awaiting its result, the main work of nearly every async program.

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
