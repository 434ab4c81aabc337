// Actor of many.ts.

import { Actor } from 'turntable';

export class Counter extends Actor {
  #sum = 0;

  add(amount: number): number {
    this.#sum += amount;
    return this.#sum;
  }
}
