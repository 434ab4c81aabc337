// Several workers insert into one sorted list, search it and ask for its length, each waiting for an answer before the
// next request.

import { spawn, type FarRef } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';
import { Random } from '../random.ts';

interface Node {
  readonly item: number;
  next: Node | undefined;
}

export class SortedList {
  #head: Node | undefined;

  /** Inserts the item after equal ones. */
  add(item: number): void {
    let before: Node | undefined;
    let after = this.#head;
    while (after !== undefined && after.item <= item) {
      before = after;
      after = after.next;
    }
    const node: Node = { item, next: after };
    if (before === undefined) this.#head = node;
    else before.next = node;
  }

  contains(item: number): boolean {
    for (let node = this.#head; node !== undefined; node = node.next) {
      if (node.item === item) return true;
    }
    return false;
  }

  size(): number {
    let size = 0;
    for (let node = this.#head; node !== undefined; node = node.next) size += 1;
    return size;
  }

  isSorted(): boolean {
    for (let node = this.#head; node?.next !== undefined; node = node.next) {
      if (node.item > node.next.item) return false;
    }
    return true;
  }
}

export class Worker {
  readonly #list: FarRef<SortedList>;
  readonly #random: Random;

  constructor(list: FarRef<SortedList>, seed: number) {
    this.#list = list;
    this.#random = new Random(seed);
  }

  async work(messages: number, writes: number, sizes: number): Promise<void> {
    for (let i = 0; i < messages; i += 1) {
      const kind = this.#random.next() % 100;
      if (kind < sizes) await this.#list.size();
      else if (kind < sizes + writes) await this.#list.add(this.#random.next());
      else await this.#list.contains(this.#random.next());
    }
  }
}

interface Result {
  readonly size: number;
  readonly isSorted: boolean;
}

export interface Size {
  readonly workers: number;
  readonly messages: number;
  /** Percentage of insertions. */
  readonly writes: number;
  /** Percentage of requests for the length. */
  readonly sizes: number;
}

export const problem: Problem<Size> = {
  paper: { workers: 10, messages: 1500, writes: 10, sizes: 1 },
  quick: { workers: 10, messages: 500, writes: 10, sizes: 1 },
  small: { workers: 10, messages: 20, writes: 10, sizes: 1 },
};

function seedOf(worker: number, { messages, writes, sizes }: Size): number {
  return worker + 1 + messages + writes + sizes;
}

export async function run(size: Size, halfway?: Halfway): Promise<Result> {
  const { workers, messages, writes, sizes } = size;
  const list = spawn(SortedList);
  const refs = Array.from({ length: workers }, (_, i) => spawn(Worker, list, seedOf(i, size)));
  const working = refs.map((ref) => ref.work(messages, writes, sizes));
  tellHalfway(halfway);
  await Promise.all(working);
  return { size: await list.size(), isSorted: await list.isSorted() };
}

/** Returns the number of insertions, from the same random numbers as the workers. */
export function expected(size: Size): number {
  let added = 0;
  for (let worker = 0; worker < size.workers; worker += 1) {
    const random = new Random(seedOf(worker, size));
    for (let i = 0; i < size.messages; i += 1) {
      const kind = random.next() % 100;
      if (kind < size.sizes) continue;
      random.next();
      if (kind < size.sizes + size.writes) added += 1;
    }
  }
  return added;
}

export function verify({ size, isSorted }: Result, problemSize: Size): boolean {
  return isSorted && size === expected(problemSize);
}

export function messages({ workers, messages }: Size): number {
  return 1 + workers * (1 + 2 + 2 * messages) + 4;
}
