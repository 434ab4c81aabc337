// All permutations of six elements by recursion and swaps.

import { Benchmark } from './benchmark.ts';

class Permute extends Benchmark<number> {
  declare count: number;
  declare elements: number[] | null;

  constructor() {
    super();
    this.count = 0;
    this.elements = null;
  }

  override benchmark(): number {
    this.count = 0;
    this.elements = new Array<number>(6).fill(0);
    this.permute(6);
    return this.count;
  }

  permute(n: number): void {
    this.count += 1;
    if (n !== 0) {
      const n1 = n - 1;
      this.permute(n1);
      for (let i = n1; i >= 0; i -= 1) {
        this.swap(n1, i);
        this.permute(n1);
        this.swap(n1, i);
      }
    }
  }

  swap(i: number, j: number): void {
    const element = this.elements![i]!;
    this.elements![i] = this.elements![j]!;
    this.elements![j] = element;
  }

  verifyResult(result: number): boolean {
    return result === 8660;
  }
}

export const newInstance = (): Benchmark<number> => new Permute();
