import { type FarRef, spawn, stop, tell } from 'turntable';
import type { Size } from '../js/measure.ts';

export class Counter {
  #count = 0;

  increment(): void {
    this.#count++;
  }

  retrieve(): number {
    return this.#count;
  }
}

export class Producer {
  readonly #counter: FarRef<Counter>;
  readonly #count: number;

  constructor(counter: FarRef<Counter>, count: number) {
    this.#counter = counter;
    this.#count = count;
  }

  start(): Promise<number> {
    for (let i = 0; i < this.#count; i++) tell(this.#counter).increment();
    return this.#counter.retrieve();
  }
}

export async function counting({ count }: Size): Promise<number> {
  const counter = spawn(Counter);
  const producer = spawn(Producer, counter, count);
  const counted = await producer.start();
  stop(producer);
  stop(counter);
  return counted;
}
