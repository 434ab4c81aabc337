// The parts of a tree of values, which are asked for when somebody opens them.
import type { SessionPort } from './session-port.ts';
import { wanted, type Tree } from './tree.ts';

/** Parts of objects that are asked for at once. */
const PARTS = 100;
/** Objects that are opened again at the next place because they were open at this one. */
const MOST_OPEN = 64;
/** Of these, as many are asked for at once: of one client a server answers no more than 64 requests at a time. */
const AT_ONCE = 16;

export class Branches {
  readonly #session: SessionPort;
  readonly #tree: () => Tree;
  readonly #put: (tree: Tree) => void;
  /** Aborted when the values are told of no more. */
  #signal: AbortSignal = AbortSignal.abort();

  constructor(session: SessionPort, tree: () => Tree, put: (tree: Tree) => void) {
    this.#session = session;
    this.#tree = tree;
    this.#put = put;
  }

  /** What is open of a new tree. @param signal aborted when that is over */
  async grow(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (let left = MOST_OPEN; left > 0 && !signal.aborted;) {
      const ids = wanted(this.#tree()).slice(0, Math.min(left, AT_ONCE));
      if (ids.length === 0) return;
      await Promise.all(ids.map((id) => this.#expand(id, 0, signal)));
      left -= ids.length;
    }
  }

  async #expand(id: number, from: number, signal: AbortSignal): Promise<void> {
    const { entries, total } = await this.#session.request('expand', { id, from, count: PARTS }, { signal });
    if (signal.aborted) return;
    const tree = this.#tree();
    const there = from === 0 ? [] : (tree.parts.get(id)?.entries ?? []);
    const parts = new Map(tree.parts).set(id, { entries: [...there, ...entries], total });
    this.#put({ ...tree, parts });
  }

  async toggle(path: string): Promise<void> {
    const tree = this.#tree();
    const open = new Set(tree.open);
    if (!open.delete(path)) open.add(path);
    this.#put({ ...tree, open });
    await this.#try(() => this.grow(this.#signal));
  }

  /** The next parts of a value. */
  async more(id: number): Promise<void> {
    await this.#try(() => this.#expand(id, this.#tree().parts.get(id)?.entries.length ?? 0, this.#signal));
  }

  async #try(ask: () => Promise<void>): Promise<void> {
    try {
      await ask();
    } catch (error) {
      if (!this.#signal.aborted) this.#session.tell(error);
    }
  }
}
