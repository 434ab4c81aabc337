// Loads the parts of values that the user expands in a tree, and again at each new position.
import type { SessionPort } from './session-port.ts';
import { unloadedIds, type ValueTree } from './value-tree.ts';

/** Number of parts of an object that are loaded at once. */
const PAGE_SIZE = 100;
/** Maximum number of objects that are loaded again at a new position because the user has expanded them. */
const MAX_REOPENED = 64;
/** Maximum number of concurrent requests, below the 64 that the server allows for each client. */
const MAX_CONCURRENT_REQUESTS = 16;

export class TreeExpander {
  readonly #session: SessionPort;
  readonly #tree: () => ValueTree;
  readonly #setTree: (tree: ValueTree) => void;
  /** Aborted when the values of the tree become invalid, at the latest by the next move. */
  #signal: AbortSignal = AbortSignal.abort();

  constructor(session: SessionPort, tree: () => ValueTree, setTree: (tree: ValueTree) => void) {
    this.#session = session;
    this.#tree = tree;
    this.#setTree = setTree;
  }

  /** Loads the parts of all open values of a new tree. @param signal aborted when the tree becomes invalid */
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

  /** Loads the next page of a value's parts. @param id the value's id at the current position */
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
