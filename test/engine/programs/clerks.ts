// The actors of selling.ts.
import { Actor } from 'turntable';

export class Till extends Actor {
  sum = 0;
  add(amount: number): number {
    const before = this.sum;
    this.sum = before + amount;
    return this.sum;
  }
}

export class Clerk extends Actor {
  readonly #name: string;
  constructor(name: string) {
    super();
    this.#name = name;
  }
  async serve(till: { add(amount: number): Promise<number> }, times: number): Promise<string> {
    let last = 0;
    for (let i = 1; i <= times; i++) {
      const sum = await till.add(i);
      last = Math.max(last, sum);
    }
    return `${this.#name}: ${last > 0}`;
  }
}
