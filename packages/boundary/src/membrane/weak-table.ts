// Objects by numbers that rise and are not used again, each as long as the collector leaves it. Most are gone at once, and a WeakRef would make each of them
// outlive young collections, with all it leads to: it costs three times what all else does for an object that crosses. A WeakSet lets them die young, but
// only the engine can say what is in one. So objects begin in small sets, and what is left there after a while gets references, in pages.

import type { EngineView } from '@turntable/core';

const { apply } = Reflect;
/** The engine's own: the program's are watched. */
const NativeWeakRef = WeakRef;
const { deref } = WeakRef.prototype;
const NativeWeakSet = WeakSet;
const { add } = WeakSet.prototype;

const PAGE_SIZE = 64;
const YOUNG_SET_SIZE = 1024;
/** So few are left of a set once the collector has been there: it is taken apart. Nobody waits for longer than the second. */
const MIN_SURVIVORS = YOUNG_SET_SIZE / 8;
const MAX_YOUNG_SETS = 32;
/** Sets between two looks at them: what is in one has to be counted for that. */
const SETS_PER_CHECK = 4;

interface Page {
  readonly refs: (WeakRef<object> | undefined)[];
  count: number;
}

interface YoungSet {
  readonly set: WeakSet<object>;
  readonly numbers: number[];
}

export class WeakTable<Item extends { readonly number: number }> {
  readonly #engine: Pick<EngineView, 'weakKeys'>;
  #young: YoungSet[] = [];
  #newest: YoungSet = createYoungSet();
  /** Of those that have lasted, by what their numbers begin with. No Map: see `rising-table.ts`. */
  readonly #pages: Record<number, Page> = Object.create(null) as Record<number, Page>;
  #oldCount = 0;
  #sinceSweep = 0;
  /** Numbers of what has gone and nobody has been told of, if anybody wants to be. */
  #collected: number[] | undefined;

  constructor(engine: Pick<EngineView, 'weakKeys'>) {
    this.#engine = engine;
  }

  add(item: Item): void {
    apply(add, this.#newest.set, [item]);
    if (this.#newest.numbers.push(item.number) === YOUNG_SET_SIZE) this.#rotate();
  }

  /** Where nobody deletes. Answers numbers of what has gone. */
  addPermanently(item: Item): readonly number[] {
    this.#collected ??= [];
    this.add(item);
    if (this.#collected.length === 0) return this.#collected;
    const collected = this.#collected;
    this.#collected = [];
    return collected;
  }

  delete(number: number): void {
    const pageIndex = Math.floor(number / PAGE_SIZE);
    const page = this.#pages[pageIndex];
    if (page?.refs[number % PAGE_SIZE] === undefined) return;
    page.refs[number % PAGE_SIZE] = undefined;
    this.#oldCount--;
    if (--page.count === 0) Reflect.deleteProperty(this.#pages, pageIndex);
  }

  #rotate(): void {
    this.#young.push(this.#newest);
    this.#newest = createYoungSet();
    if (this.#young.length % SETS_PER_CHECK !== 0) return;
    const remaining: YoungSet[] = [];
    this.#young.forEach((young, i) => {
      const isDone =
        this.#young.length - i > MAX_YOUNG_SETS || this.#engine.weakKeys(young.set, 0).count <= MIN_SURVIVORS;
      if (isDone) this.#promote(young);
      else remaining.push(young);
    });
    this.#young = remaining;
    this.#sinceSweep += SETS_PER_CHECK * YOUNG_SET_SIZE;
    if (this.#sinceSweep >= this.#oldCount) this.#sweep();
  }

  #promote({ set, numbers }: YoungSet): void {
    const survivors = new Set<number>();
    for (const item of this.#keysOf(set)) {
      const { number } = item;
      survivors.add(number);
      const page = (this.#pages[Math.floor(number / PAGE_SIZE)] ??= { refs: [], count: 0 });
      page.refs[number % PAGE_SIZE] = new NativeWeakRef(item);
      page.count++;
    }
    this.#oldCount += survivors.size;
    if (this.#collected !== undefined)
      for (const number of numbers) if (!survivors.has(number)) this.#collected.push(number);
  }

  /** Of those that have lasted: nobody may have deleted them. */
  #sweep(): void {
    this.#sinceSweep = 0;
    for (const [number, item] of this.#refs())
      if (item === undefined) {
        this.#collected?.push(number);
        this.delete(number);
      }
  }

  #keysOf(set: WeakSet<object>): Item[] {
    return this.#engine.weakKeys(set, Number.MAX_SAFE_INTEGER).keys as Item[];
  }

  /** In the order of their numbers. */
  entries(): [number, Item][] {
    const all: [number, Item][] = [];
    for (const [number, item] of this.#refs()) if (item !== undefined) all.push([number, item]);
    for (const { set } of [...this.#young, this.#newest])
      for (const item of this.#keysOf(set)) all.push([item.number, item]);
    return all.toSorted(([a], [b]) => a - b);
  }

  #refs(): [number, Item | undefined][] {
    const all: [number, Item | undefined][] = [];
    for (const [pageIndex, { refs }] of Object.entries(this.#pages))
      refs.forEach((ref, i) => {
        if (ref !== undefined) all.push([Number(pageIndex) * PAGE_SIZE + i, apply(deref, ref, []) as Item | undefined]);
      });
    return all;
  }

  /** Of those that have lasted, references that are kept. */
  get oldCount(): number {
    return this.#oldCount;
  }
}

function createYoungSet(): YoungSet {
  return { set: new NativeWeakSet(), numbers: [] };
}
