// Eratosthenes' primes up to five thousand.

import { Benchmark } from './benchmark.ts';

class Sieve extends Benchmark<number> {
  override benchmark(): number {
    const flags = new Array<boolean>(5000);
    flags.fill(true);
    return this.sieve(flags, 5000);
  }

  sieve(flags: boolean[], size: number): number {
    let primes = 0;
    for (let i = 2; i <= size; i += 1) {
      if (flags[i - 1]) {
        primes += 1;
        let k = i + i;
        while (k <= size) {
          flags[k - 1] = false;
          k += i;
        }
      }
    }
    return primes;
  }

  verifyResult(result: number): boolean {
    return result === 669;
  }
}

export const newInstance = (): Benchmark<number> => new Sieve();
