// Objects by numbers that rise and are not used again, each as long as the collector leaves it. In pages: an entry of a table for each costs several
// times as much, and every object that crosses to the outside has one here.

const { apply } = Reflect;
/** The engine's own: the program's are watched. */
const NativeWeakRef = WeakRef;
const { deref } = WeakRef.prototype;

const PAGE = 64;
const SWEEP_AFTER = 1024;

interface Page {
  readonly refs: (WeakRef<object> | undefined)[];
  left: number;
}

export class WeakTable {
  /** By what their numbers begin with. No Map: see `rising-table.ts`. */
  readonly #pages: Record<number, Page> = Object.create(null) as Record<number, Page>;
  /** That of the highest number, which is where the next one goes. */
  #last: Page | undefined;
  #lastAt = -1;
  #sinceSweep = 0;
  #sweepAfter = SWEEP_AFTER;

  add(number: number, object: object): void {
    const at = Math.floor(number / PAGE);
    if (at !== this.#lastAt) {
      if (this.#last?.left === 0) this.#drop(this.#lastAt);
      this.#last = { refs: [], left: 0 };
      this.#lastAt = at;
      this.#pages[at] = this.#last;
    }
    const page = this.#last as Page;
    page.refs[number % PAGE] = new NativeWeakRef(object);
    page.left++;
  }

  delete(number: number): void {
    const at = Math.floor(number / PAGE);
    const page = this.#pages[at];
    if (page?.refs[number % PAGE] === undefined) return;
    page.refs[number % PAGE] = undefined;
    page.left--;
    if (page.left === 0 && at !== this.#lastAt) this.#drop(at);
  }

  #drop(at: number): void {
    Reflect.deleteProperty(this.#pages, at);
  }

  /** Where nobody deletes: what the collector has taken goes once it may be half of all. Answers the numbers of what went. */
  addForGood(number: number, object: object): readonly number[] {
    let gone: readonly number[] = [];
    if (this.#sinceSweep >= this.#sweepAfter) {
      gone = this.#sweep();
      this.#sinceSweep = 0;
    }
    this.#sinceSweep++;
    this.add(number, object);
    return gone;
  }

  #sweep(): number[] {
    const gone: number[] = [];
    let left = 0;
    for (const [at, { refs }] of this.#all())
      for (let i = 0; i < refs.length; i++) {
        const ref = refs[i];
        if (ref === undefined) continue;
        if (apply(deref, ref, []) === undefined) gone.push(at * PAGE + i);
        else left++;
      }
    for (const number of gone) this.delete(number);
    this.#sweepAfter = Math.max(SWEEP_AFTER, left);
    return gone;
  }

  /** In the order of their numbers. */
  entries(): [number, object][] {
    const found: [number, object][] = [];
    for (const [at, { refs }] of this.#all())
      for (let i = 0; i < refs.length; i++) {
        const ref = refs[i];
        const object = ref === undefined ? undefined : (apply(deref, ref, []) as object | undefined);
        if (object !== undefined) found.push([at * PAGE + i, object]);
      }
    return found;
  }

  #all(): [number, Page][] {
    return Object.entries(this.#pages).map(([at, page]) => [Number(at), page]);
  }

  get pages(): number {
    return this.#all().length;
  }
}
