// Of packed-actors.ts.
import { threadId } from 'node:worker_threads';
import { Actor } from 'turntable';

export class Counter extends Actor {
  #count = 0;

  add(count: number): string {
    this.#count += count;
    return `counted ${this.#count} on thread ${threadId}`;
  }
}
