// Canonical form of core's contexts, which hold the values of asynchronous storages as the host's context. Sharing of
// contexts is unobservable history. So contexts with the same home and values are written as one. Contexts of the main
// program without values are written as core's root, as before the first use of a storage. A context's home (its owner)
// and trail are objects of the embedder that distinguish contexts; adapters write them.

import { internals, type EngineState, type Realm } from '@turntable/core';
import { is, SafeMap } from '../intrinsics.ts';

/** A tree over host-context values and owners. A leaf holds the first context with these values. */
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

/** State of one pass over a graph, in any number of pieces. Its cost per context does not grow. */
export class ContextCanonicalizer {
  readonly #realm: Realm;
  readonly #rootContext: CoreContext;
  readonly #representatives = new SafeMap<object, object>();
  readonly #operandsByContext = new SafeMap<object, readonly unknown[]>();
  /** Positions of the storages met so far, in the order in which they were met. */
  readonly #storageOrder = new SafeMap<unknown, number>();
  readonly #tree: ContextBranch = { next: new SafeMap(), context: undefined };
  /** Canonical contexts by store, home and trail. */
  readonly #canonicalContexts = new SafeMap<object | undefined, SafeMap<object, SafeMap<unknown, CoreContext>>>();

  constructor(realm: Realm) {
    this.#realm = realm;
    this.#rootContext = (internals.allocate(realm, 'frame') as { context: CoreContext }).context;
  }

  /** Returns the owner, storages and values of a host context, in an order that depends only on the state. */
  operandsOf(hostContext: object): readonly unknown[] | undefined {
    return this.#operandsByContext.get(hostContext);
  }

  /** Returns the canonical host context; any other value represents itself. */
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

  /** Returns the canonical form of a context of core. */
  canonicalOf(value: unknown): unknown {
    const context = value as CoreContext;
    if (context === this.#rootContext) return context;
    let { store } = context;
    if (typeof store === 'function') {
      store = this.representativeOf(store);
      // A store without values only names the owner, which the context does too.
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

  /** Sorts storages already met first, in that order, then others in the order of their first value. */
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
