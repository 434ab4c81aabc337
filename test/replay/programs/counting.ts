// An actor counts messages, and its timer counts as well: the interleaving is unpredictable.

import { tell, type FarRef } from 'turntable';
import { spawn } from './spawn.ts';

const LIMIT = 1000;

export class Counter {
  #count = 0;
  #extra: number | undefined;

  constructor() {
    setTimeout(() => (this.#extra = this.#count++), 1);
  }

  increment(): void {
    this.#count++;
  }

  count(): { readonly count: number; readonly extra: number | undefined } {
    return { count: this.#count, extra: this.#extra };
  }
}

export class Producer {
  readonly #counter: FarRef<Counter>;

  constructor(counter: FarRef<Counter>) {
    this.#counter = counter;
  }

  async produce(): Promise<unknown> {
    for (let i = 0; i < LIMIT; i++) {
      tell(this.#counter).increment();
      if (i % 50 === 0) await this.#counter.count();
    }
    const { count, extra } = await this.#counter.count();
    return { right: count === LIMIT, count, extra };
  }
}

export function run(): Promise<unknown> {
  return spawn(Producer, spawn(Counter)).produce();
}
