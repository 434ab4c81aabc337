// A hot loop in an async function that sometimes awaits: locals must stay as fast as in any function.

async function checksum(steps: number, seed: number): Promise<number> {
  let state = seed;
  let sum = 0;
  for (let i = 0; i < steps; i += 1) {
    state = (state * 1309 + 13849) & 65535;
    sum = (sum + (state ^ i)) | 0;
    if ((i & 0xffff) === 0xffff) sum ^= await i;
  }
  return sum;
}

function expected(steps: number, seed: number): number {
  let state = seed;
  let sum = 0;
  for (let i = 0; i < steps; i += 1) {
    state = (state * 1309 + 13849) & 65535;
    sum = (sum + (state ^ i)) | 0;
    if ((i & 0xffff) === 0xffff) sum ^= i;
  }
  return sum;
}

const STEPS = 1_000_000;

class AsyncLoop {
  declare expected: number;

  constructor() {
    this.expected = expected(STEPS, 74755);
  }

  async innerBenchmarkLoop(innerIterations: number): Promise<boolean> {
    for (let i = 0; i < innerIterations; i += 1) {
      if ((await checksum(STEPS, 74755)) !== this.expected) return false;
    }
    return true;
  }
}

export const newInstance = (): AsyncLoop => new AsyncLoop();
