// Two actors: a waiter who takes orders, and a kitchen on another worker that cooks them.
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import { Actor, type FarRef } from 'turntable';

export class Kitchen extends Actor {
  #cooked = 0;

  async cook(dish: string): Promise<string> {
    await sleep(dish === 'roast' ? 1500 : 10);
    this.#cooked++;
    return `${dish}, number ${this.#cooked}, cooked on thread ${threadId}`;
  }
}

export class Waiter extends Actor {
  readonly #kitchen: FarRef<Kitchen>;

  constructor(kitchen: FarRef<Kitchen>) {
    super();
    this.#kitchen = kitchen;
  }

  async order(dish: string): Promise<string> {
    const plate = await this.#kitchen.cook(dish); // a message to the other worker, and its answer
    return `${plate}, served on thread ${threadId}`;
  }
}
