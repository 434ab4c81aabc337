// On whose behalf something waits: what core calls a context, with the values of the asynchronous storages as the host's context. Who shares
// one with whom is history, nobody can tell, so all of the same home with the same values are written as one; and one of the main
// program's without values is core's own root, which it was before the program used a storage. Whose it is (its home) and what it leaves
// behind (its trail) are objects of whoever embeds core: they tell contexts apart, and adapters take them.

import { internals, type EngineState, type Realm } from '@turntable/core';
import { is, SafeMap } from '../intrinsics.ts';

/** A tree by the values of host contexts and whose they are: at its leaf, the first one of those. */
interface ContextBranch {
  readonly next: SafeMap<unknown, ContextBranch>;
  context: object | undefined;
}
interface CoreContext {
  readonly home: object;
  readonly store: object | undefined;
  readonly trail: unknown;
}
const MINUS_ZERO = {};

/** For one pass over a graph, in however many pieces: what a context costs does not grow with those before it. */
export class ContextCanonicalizer {
  readonly #realm: Realm;
  readonly #rootContext: CoreContext;
  readonly #representatives = new SafeMap<object, object>();
  readonly #operandsByContext = new SafeMap<object, readonly unknown[]>();
  /** The places of all that were met. */
  readonly #storageOrder = new SafeMap<unknown, number>();
  readonly #tree: ContextBranch = { next: new SafeMap(), context: undefined };
  /** By store, home and trail. */
  readonly #canonicalContexts = new SafeMap<object | undefined, SafeMap<object, SafeMap<unknown, CoreContext>>>();

  constructor(realm: Realm) {
    this.#realm = realm;
    this.#rootContext = (internals.allocate(realm, 'frame') as { context: CoreContext }).context;
  }

  /** Storages and values of a host's context, in an order that depends on the state alone, and whose it is. */
  operandsOf(hostContext: object): readonly unknown[] | undefined {
    return this.#operandsByContext.get(hostContext);
  }

  /** What stands for a host's context; anything else stands for itself. */
  representativeOf(value: object): object {
    if (this.#realm.parts.host.contexts?.isContext(value) !== true) return value;
    const known = this.#representatives.get(value);
    if (known !== undefined) return known;
    const operands = this.#sortOperands((internals.readEngineObject(this.#realm, value) as EngineState).operands);
    let node = this.#tree;
    for (let i = 0; i < operands.length; i++) {
      const key = is(operands[i], -0) ? MINUS_ZERO : operands[i];
      let branch = node.next.get(key);
      if (branch === undefined) node.next.set(key, (branch = { next: new SafeMap(), context: undefined }));
      node = branch;
    }
    if (node.context === undefined) {
      node.context = value;
      this.#operandsByContext.set(value, operands);
    }
    this.#representatives.set(value, node.context);
    return node.context;
  }

  /** The context of core's that stands for one. */
  canonicalOf(value: unknown): unknown {
    const context = value as CoreContext;
    if (context === this.#rootContext) return context;
    let { store } = context;
    if (typeof store === 'function') {
      store = this.representativeOf(store);
      // Without values it says nothing but whose it is, which this one does.
      if ((this.#operandsByContext.get(store)?.length ?? 2) < 2) store = undefined;
    }
    const { home, trail } = context;
    if (store === undefined && trail === undefined && home === this.#rootContext.home) return this.#rootContext;
    let homes = this.#canonicalContexts.get(store);
    if (homes === undefined) this.#canonicalContexts.set(store, (homes = new SafeMap()));
    let trails = homes.get(home);
    if (trails === undefined) homes.set(home, (trails = new SafeMap()));
    let canonical = trails.get(trail);
    if (canonical === undefined) trails.set(trail, (canonical = { home, store, trail }));
    return canonical;
  }

  /** Those that were met before come first, as they were met, and the others as they first held a value; made again, they do so in this order. */
  #sortOperands(operands: readonly unknown[]): unknown[] {
    const ordered: unknown[] = [];
    const orders: number[] = [];
    for (let i = 0; i + 1 < operands.length; i += 2) {
      const storage = operands[i];
      let order = this.#storageOrder.get(storage);
      if (order === undefined) this.#storageOrder.set(storage, (order = this.#storageOrder.size));
      let slot = orders.length;
      for (; slot > 0 && (orders[slot - 1] as number) > order; slot--) {
        orders[slot] = orders[slot - 1] as number;
        ordered[2 * slot] = ordered[2 * slot - 2];
        ordered[2 * slot + 1] = ordered[2 * slot - 1];
      }
      orders[slot] = order;
      ordered[2 * slot] = storage;
      ordered[2 * slot + 1] = operands[i + 1];
    }
    if (operands.length % 2 === 1) ordered[ordered.length] = operands[operands.length - 1];
    return ordered;
  }
}
