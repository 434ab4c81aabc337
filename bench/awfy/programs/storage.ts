// A tree of arrays, seven deep with four children each; its leaves are arrays of random length.

import { Benchmark } from './benchmark.ts';
import { Random } from './random.ts';

type Tree = (Tree | undefined)[];

class Storage extends Benchmark<number> {
  declare count: number;

  constructor() {
    super();
    this.count = 0;
  }

  override benchmark(): number {
    const random = new Random();
    this.count = 0;
    this.buildTree(7, random);
    return this.count;
  }

  buildTree(depth: number, random: Random): Tree {
    this.count += 1;
    if (depth === 1) return new Array<Tree>((random.next() % 10) + 1);
    const children = new Array<Tree>(4);
    for (let i = 0; i < 4; i += 1) {
      children[i] = this.buildTree(depth - 1, random);
    }
    return children;
  }

  verifyResult(result: number): boolean {
    return result === 5461;
  }
}

export const newInstance = (): Benchmark<number> => new Storage();
