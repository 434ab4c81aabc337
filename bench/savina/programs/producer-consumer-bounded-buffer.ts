// Producers put items into a bounded buffer, consumers take them out. A producer that finds it full, or a consumer that
// finds it empty, waits for the answer, which the buffer gives when there is room or an item.

import { spawn, type FarRef } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';
import { Random } from '../random.ts';

const COST = 25;

/** Work of producing or consuming an item. */
function process(item: number): number {
  const random = new Random(COST);
  let result = item;
  for (let i = 0; i < COST * 100; i += 1) result += Math.log(random.fraction() + 0.01);
  return result;
}

export class Buffer {
  readonly #limit: number;
  readonly #items: number[] = [];
  readonly #waitingProducers: (() => void)[] = [];
  readonly #waitingConsumers: ((item: number | undefined) => void)[] = [];
  #producers: number;
  #sum = 0;

  constructor(limit: number, producers: number) {
    this.#limit = limit;
    this.#producers = producers;
  }

  /** Answers when there is room for more. */
  put(item: number): Promise<void> | undefined {
    this.#sum += item;
    const consumer = this.#waitingConsumers.shift();
    if (consumer === undefined) this.#items.push(item);
    else consumer(item);
    if (this.#items.length < this.#limit) return undefined;
    return new Promise((resolve) => this.#waitingProducers.push(resolve));
  }

  /** Answers when there is an item; with undefined when there will be none. */
  take(): number | undefined | Promise<number | undefined> {
    const item = this.#items.shift();
    if (item !== undefined) {
      this.#waitingProducers.shift()?.();
      return item;
    }
    if (this.#producers === 0) return undefined;
    return new Promise((resolve) => this.#waitingConsumers.push(resolve));
  }

  producerLeft(): void {
    this.#producers -= 1;
    if (this.#producers > 0) return;
    for (const consumer of this.#waitingConsumers.splice(0)) consumer(undefined);
  }

  /** Sum of all items that were put in. */
  sum(): number {
    return this.#sum;
  }
}

export class Producer {
  async produce(items: number, buffer: FarRef<Buffer>): Promise<void> {
    let item = 0;
    for (let i = 0; i < items; i += 1) {
      item = process(item);
      await buffer.put(item);
    }
    await buffer.producerLeft();
  }
}

export class Consumer {
  #taste = 0;

  /** Returns the number of consumed items. */
  async consume(buffer: FarRef<Buffer>): Promise<number> {
    for (let count = 0; ; count += 1) {
      const item = await buffer.take();
      if (item === undefined) return count;
      this.#taste = process(this.#taste + item);
    }
  }
}

interface Result {
  readonly sum: number;
  readonly consumed: number;
}

export interface Size {
  readonly buffer: number;
  readonly producers: number;
  readonly consumers: number;
  /** Items per producer. */
  readonly items: number;
}

export const problem: Problem<Size> = {
  paper: { buffer: 40, producers: 10, consumers: 10, items: 60 },
  quick: { buffer: 40, producers: 5, consumers: 5, items: 10 },
  small: { buffer: 4, producers: 3, consumers: 2, items: 4 },
};

export async function run({ buffer, producers, consumers, items }: Size, halfway?: Halfway): Promise<Result> {
  // Each producer may put in one item without asking for room.
  const shared = spawn(Buffer, buffer - producers, producers);
  const consuming = Array.from({ length: consumers }, () => spawn(Consumer).consume(shared));
  const producing = Array.from({ length: producers }, () => spawn(Producer).produce(items, shared));
  tellHalfway(halfway);
  await Promise.all(producing);
  const consumed = await Promise.all(consuming);
  return { sum: await shared.sum(), consumed: consumed.reduce((sum, each) => sum + each, 0) };
}

/** Rounded: the order of arrival changes the last digits. */
export function expected({ producers, items }: Size): number {
  let sum = 0;
  let item = 0;
  for (let i = 0; i < items; i += 1) {
    item = process(item);
    sum += item;
  }
  return Math.round(sum * producers);
}

export function verify({ sum, consumed }: Result, size: Size): boolean {
  return consumed === size.producers * size.items && Math.round(sum) === expected(size);
}

export function messages({ producers, consumers, items }: Size): number {
  return 1 + producers * (1 + 2 + 2 * items + 2) + consumers * (1 + 2 + 2) + 2 * producers * items + 2;
}
