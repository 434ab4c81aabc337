// On whose behalf something waits: what core calls a context, with the values of the asynchronous storages as the host's context. Who shares
// one with whom is history, nobody can tell, so all of the same home with the same values are written as one; and one of the main
// program's without values is core's own root, which it was before the program used a storage. Whose it is (its home) and what it leaves
// behind (its trail) are objects of whoever embeds core: they tell contexts apart, and adapters take them.

import { internals, type EngineState, type Realm } from '@turntable/core';
import { is, SafeMap } from '../intrinsics.ts';

/** A tree by the values of host contexts and whose they are: at its leaf, the first one of those. */
interface Branch {
  readonly next: SafeMap<unknown, Branch>;
  context: object | undefined;
}
interface Context {
  readonly home: object;
  readonly store: object | undefined;
  readonly trail: unknown;
}
const MINUS_ZERO = {};

/** For one pass over a graph, in however many pieces: what a context costs does not grow with those before it. */
export class Contexts {
  readonly #realm: Realm;
  readonly #root: Context;
  readonly #representatives = new SafeMap<object, object>();
  readonly #operands = new SafeMap<object, readonly unknown[]>();
  /** The places of all that were met. */
  readonly #storages = new SafeMap<unknown, number>();
  readonly #tree: Branch = { next: new SafeMap(), context: undefined };
  /** By store, home and trail. */
  readonly #contexts = new SafeMap<object | undefined, SafeMap<object, SafeMap<unknown, Context>>>();

  constructor(realm: Realm) {
    this.#realm = realm;
    this.#root = (internals.allocate(realm, 'frame') as { context: Context }).context;
  }

  /** Storages and values of a host's context, in an order that depends on the state alone, and whose it is. */
  operandsOf(hostContext: object): readonly unknown[] | undefined {
    return this.#operands.get(hostContext);
  }

  /** What stands for a host's context; anything else stands for itself. */
  representativeOf(value: object): object {
    if (this.#realm.parts.host.contexts?.isContext(value) !== true) return value;
    const before = this.#representatives.get(value);
    if (before !== undefined) return before;
    const operands = this.#inOrder((internals.readEngineObject(this.#realm, value) as EngineState).operands);
    let at = this.#tree;
    for (let i = 0; i < operands.length; i++) {
      const key = is(operands[i], -0) ? MINUS_ZERO : operands[i];
      let branch = at.next.get(key);
      if (branch === undefined) at.next.set(key, (branch = { next: new SafeMap(), context: undefined }));
      at = branch;
    }
    if (at.context === undefined) {
      at.context = value;
      this.#operands.set(value, operands);
    }
    this.#representatives.set(value, at.context);
    return at.context;
  }

  /** The context of core's that stands for one. */
  sameAs(value: unknown): unknown {
    const context = value as Context;
    if (context === this.#root) return context;
    let { store } = context;
    if (typeof store === 'function') {
      store = this.representativeOf(store);
      // Without values it says nothing but whose it is, which this one does.
      if ((this.#operands.get(store)?.length ?? 2) < 2) store = undefined;
    }
    const { home, trail } = context;
    if (store === undefined && trail === undefined && home === this.#root.home) return this.#root;
    let homes = this.#contexts.get(store);
    if (homes === undefined) this.#contexts.set(store, (homes = new SafeMap()));
    let trails = homes.get(home);
    if (trails === undefined) homes.set(home, (trails = new SafeMap()));
    let same = trails.get(trail);
    if (same === undefined) trails.set(trail, (same = { home, store, trail }));
    return same;
  }

  /** Those that were met before come first, as they were met, and the others as they first held a value; made again, they do so in this order. */
  #inOrder(operands: readonly unknown[]): unknown[] {
    const ordered: unknown[] = [];
    const places: number[] = [];
    for (let i = 0; i + 1 < operands.length; i += 2) {
      const storage = operands[i];
      let place = this.#storages.get(storage);
      if (place === undefined) this.#storages.set(storage, (place = this.#storages.size));
      let at = places.length;
      for (; at > 0 && (places[at - 1] as number) > place; at--) {
        places[at] = places[at - 1] as number;
        ordered[2 * at] = ordered[2 * at - 2];
        ordered[2 * at + 1] = ordered[2 * at - 1];
      }
      places[at] = place;
      ordered[2 * at] = storage;
      ordered[2 * at + 1] = operands[i + 1];
    }
    if (operands.length % 2 === 1) ordered[ordered.length] = operands[operands.length - 1];
    return ordered;
  }
}
