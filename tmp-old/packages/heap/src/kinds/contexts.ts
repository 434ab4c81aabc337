// On whose behalf something waits: what core calls a context, with the values of the asynchronous storages as the host's context. Who
// shares one with whom is history, nobody can tell, so all with the same values are written as one; and one without values is
// core's own root, which it was before the program used a storage.

import { internals } from '@turntable/core';
import type { EngineState, Realm } from '@turntable/core';
import { is, SafeMap } from '../intrinsics.ts';

/** A tree by the values of host contexts: at its leaf, the first one that had them. */
interface Branch {
  readonly next: SafeMap<unknown, Branch>;
  context: object | undefined;
}
interface Context {
  readonly home: object;
  readonly store: object | undefined;
  readonly trail: undefined;
}
const MINUS_ZERO = {};

/** For one pass over a graph. */
export class Contexts {
  readonly #realm: Realm;
  readonly #root: Context;
  readonly #representatives = new SafeMap<object, object>();
  readonly #operands = new SafeMap<object, readonly unknown[]>();
  /** All that were met, in order. */
  readonly #storages = new SafeMap<unknown, true>();
  readonly #tree: Branch = { next: new SafeMap(), context: undefined };
  readonly #contexts = new SafeMap<object | undefined, SafeMap<object, Context>>();

  constructor(realm: Realm) {
    this.#realm = realm;
    this.#root = (internals.allocate(realm, 'frame') as { context: Context }).context;
  }

  /** Storages and values of a host's context, in an order that depends on the state alone. */
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
      if (this.#operands.get(store)?.length === 0) store = undefined;
    }
    if (store === undefined && context.home === this.#root.home) return this.#root;
    let homes = this.#contexts.get(store);
    if (homes === undefined) this.#contexts.set(store, (homes = new SafeMap()));
    let same = homes.get(context.home);
    if (same === undefined) homes.set(context.home, (same = { home: context.home, store, trail: undefined }));
    return same;
  }

  /** Those that were met before come first, as they were met, and the others as they first held a value; made again, they do so in this order. */
  #inOrder(operands: readonly unknown[]): unknown[] {
    const values = new SafeMap<unknown, unknown>();
    for (let i = 0; i < operands.length; i += 2) {
      values.set(operands[i], operands[i + 1]);
      this.#storages.set(operands[i], true);
    }
    const ordered: unknown[] = [];
    this.#storages.forEach((_, storage) => {
      if (!values.has(storage)) return;
      ordered[ordered.length] = storage;
      ordered[ordered.length] = values.get(storage);
    });
    return ordered;
  }
}
