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

const PAGE = 64;
const YOUNG = 1024;
/** So few are left of a set once the collector has been there: it is taken apart. Nobody waits for longer than the second. */
const FEW = YOUNG / 8;
const MOST_SETS = 32;
/** Sets between two looks at them: what is in one has to be counted for that. */
const LOOK_EVERY = 4;

interface Page {
  readonly refs: (WeakRef<object> | undefined)[];
  left: number;
}

interface Young {
  readonly set: WeakSet<object>;
  readonly numbers: number[];
}

export class WeakTable<Held extends { readonly number: number }> {
  readonly #engine: Pick<EngineView, 'weakKeys'>;
  #young: Young[] = [];
  #newest: Young = fresh();
  /** Of those that have lasted, by what their numbers begin with. No Map: see `rising-table.ts`. */
  readonly #pages: Record<number, Page> = Object.create(null) as Record<number, Page>;
  #lasted = 0;
  #sinceSweep = 0;
  /** Numbers of what has gone and nobody has been told of, if anybody wants to be. */
  #gone: number[] | undefined;

  constructor(engine: Pick<EngineView, 'weakKeys'>) {
    this.#engine = engine;
  }

  add(held: Held): void {
    apply(add, this.#newest.set, [held]);
    if (this.#newest.numbers.push(held.number) === YOUNG) this.#turn();
  }

  /** Where nobody deletes. Answers numbers of what has gone. */
  addForGood(held: Held): readonly number[] {
    this.#gone ??= [];
    this.add(held);
    if (this.#gone.length === 0) return this.#gone;
    const gone = this.#gone;
    this.#gone = [];
    return gone;
  }

  delete(number: number): void {
    const at = Math.floor(number / PAGE);
    const page = this.#pages[at];
    if (page?.refs[number % PAGE] === undefined) return;
    page.refs[number % PAGE] = undefined;
    this.#lasted--;
    if (--page.left === 0) Reflect.deleteProperty(this.#pages, at);
  }

  #turn(): void {
    this.#young.push(this.#newest);
    this.#newest = fresh();
    if (this.#young.length % LOOK_EVERY !== 0) return;
    const left: Young[] = [];
    this.#young.forEach((young, i) => {
      const isOver = this.#young.length - i > MOST_SETS || this.#engine.weakKeys(young.set, 0).count <= FEW;
      if (isOver) this.#takeApart(young);
      else left.push(young);
    });
    this.#young = left;
    this.#sinceSweep += LOOK_EVERY * YOUNG;
    if (this.#sinceSweep >= this.#lasted) this.#sweep();
  }

  #takeApart({ set, numbers }: Young): void {
    const lasting = new Set<number>();
    for (const held of this.#keysOf(set)) {
      const { number } = held;
      lasting.add(number);
      const page = (this.#pages[Math.floor(number / PAGE)] ??= { refs: [], left: 0 });
      page.refs[number % PAGE] = new NativeWeakRef(held);
      page.left++;
    }
    this.#lasted += lasting.size;
    if (this.#gone !== undefined) for (const number of numbers) if (!lasting.has(number)) this.#gone.push(number);
  }

  /** Of those that have lasted: nobody may have deleted them. */
  #sweep(): void {
    this.#sinceSweep = 0;
    for (const [number, held] of this.#refs())
      if (held === undefined) {
        this.#gone?.push(number);
        this.delete(number);
      }
  }

  #keysOf(set: WeakSet<object>): Held[] {
    return this.#engine.weakKeys(set, Number.MAX_SAFE_INTEGER).keys as Held[];
  }

  /** In the order of their numbers. */
  entries(): [number, Held][] {
    const found: [number, Held][] = [];
    for (const [number, held] of this.#refs()) if (held !== undefined) found.push([number, held]);
    for (const { set } of [...this.#young, this.#newest])
      for (const held of this.#keysOf(set)) found.push([held.number, held]);
    return found.toSorted(([a], [b]) => a - b);
  }

  #refs(): [number, Held | undefined][] {
    const all: [number, Held | undefined][] = [];
    for (const [at, { refs }] of Object.entries(this.#pages))
      refs.forEach((ref, i) => {
        if (ref !== undefined) all.push([Number(at) * PAGE + i, apply(deref, ref, []) as Held | undefined]);
      });
    return all;
  }

  /** Of those that have lasted, references that are kept. */
  get lasted(): number {
    return this.#lasted;
  }
}

function fresh(): Young {
  return { set: new NativeWeakSet(), numbers: [] };
}
