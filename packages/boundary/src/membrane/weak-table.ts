// Objects by ascending number, held weakly. Most die at once. A WeakRef makes its target survive young collections with
// everything the target references, which would triple the cost of the rest of a crossing. Members of a WeakSet die
// young, but only the engine can list them. So objects start in small WeakSets, and survivors get WeakRefs, in pages.

import type { EngineView } from '@turntable/core';

const { apply } = Reflect;
/** The engine's own class. The program uses an instrumented one. */
const NativeWeakRef = WeakRef;
const { deref } = WeakRef.prototype;
const NativeWeakSet = WeakSet;
const { add } = WeakSet.prototype;

const PAGE_SIZE = 64;
const YOUNG_SET_SIZE = 1024;
/** A set with at most this many survivors is dissolved: they get WeakRefs. So are the oldest of too many sets. */
const MIN_SURVIVORS = YOUNG_SET_SIZE / 8;
const MAX_YOUNG_SETS = 32;
/** Number of sets that are filled between two counts of survivors. */
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
  /** Pages of survivors, by number divided by `PAGE_SIZE`. Not a Map: see `pending-table.ts`. */
  readonly #pages: Record<number, Page> = Object.create(null) as Record<number, Page>;
  #oldCount = 0;
  #sinceSweep = 0;
  /** Collected numbers that are not reported yet; undefined if the owner itself deletes entries. */
  #collected: number[] | undefined;

  constructor(engine: Pick<EngineView, 'weakKeys'>) {
    this.#engine = engine;
  }

  add(item: Item): void {
    apply(add, this.#newest.set, [item]);
    if (this.#newest.numbers.push(item.number) === YOUNG_SET_SIZE) this.#rotate();
  }

  /** Adds to a table whose entries are never deleted by the owner. Returns the numbers of collected objects. */
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

  /** Removes the remaining references to collected survivors. The owner may have deleted some already. */
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

  /** Returns the live objects in ascending order of numbers. */
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

  /** Number of weak references. */
  get oldCount(): number {
    return this.#oldCount;
  }
}

function createYoungSet(): YoungSet {
  return { set: new NativeWeakSet(), numbers: [] };
}
