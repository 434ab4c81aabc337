// Loads the parts of values that are expanded in a tree.
import type { SessionPort } from './session-port.ts';
import { unloadedIds, type ValueTree } from './value-tree.ts';

/** Number of parts of an object loaded at once. */
const PAGE_SIZE = 100;
/** Maximum number of objects reopened at a new position because they were open at the last one. */
const MAX_REOPENED = 64;
/** Maximum number of concurrent requests. The server allows 64 for each client. */
const MAX_CONCURRENT_REQUESTS = 16;

export class TreeExpander {
  readonly #session: SessionPort;
  readonly #tree: () => ValueTree;
  readonly #setTree: (tree: ValueTree) => void;
  /** Aborted when the values become invalid. */
  #signal: AbortSignal = AbortSignal.abort();

  constructor(session: SessionPort, tree: () => ValueTree, setTree: (tree: ValueTree) => void) {
    this.#session = session;
    this.#tree = tree;
    this.#setTree = setTree;
  }

  /** Loads the open parts of a new tree. @param signal aborted when the tree becomes invalid */
  async loadOpen(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (let remaining = MAX_REOPENED; remaining > 0 && !signal.aborted;) {
      const ids = unloadedIds(this.#tree()).slice(0, Math.min(remaining, MAX_CONCURRENT_REQUESTS));
      if (ids.length === 0) return;
      await Promise.all(ids.map((id) => this.#loadParts(id, 0, signal)));
      remaining -= ids.length;
    }
  }

  async #loadParts(id: number, from: number, signal: AbortSignal): Promise<void> {
    const { entries, total } = await this.#session.request('expand', { id, from, count: PAGE_SIZE }, { signal });
    if (signal.aborted) return;
    const tree = this.#tree();
    const loaded = from === 0 ? [] : (tree.parts.get(id)?.entries ?? []);
    const parts = new Map(tree.parts).set(id, { entries: [...loaded, ...entries], total });
    this.#setTree({ ...tree, parts });
  }

  async toggle(path: string): Promise<void> {
    const tree = this.#tree();
    const open = new Set(tree.openPaths);
    if (!open.delete(path)) open.add(path);
    this.#setTree({ ...tree, openPaths: open });
    await this.#reportErrors(() => this.loadOpen(this.#signal));
  }

  /** Loads the next parts of a value. */
  async loadMore(id: number): Promise<void> {
    await this.#reportErrors(() => this.#loadParts(id, this.#tree().parts.get(id)?.entries.length ?? 0, this.#signal));
  }

  async #reportErrors(operation: () => Promise<void>): Promise<void> {
    try {
      await operation();
    } catch (error) {
      if (!this.#signal.aborted) this.#session.showError(error);
    }
  }
}
