// The entries of weak collections that are state: those whose keys are reached otherwise. Written in the order in which their keys were,
// whatever order the engine gives, in rounds: the value of an entry may lead to the key of another.

import { accepts, SafeMap, SafeSet, weakMapHas, weakSetHas } from './intrinsics.ts';
import type { Mentions } from './identities.ts';
import type { HeapPorts } from './ports.ts';

interface Keys {
  /** Those that no entry has been taken for; nothing if the engine does not show them. */
  readonly left: SafeSet<WeakKey> | undefined;
  /** Those that one has, as far as the engine hides them. */
  readonly done: SafeSet<WeakKey>;
}

export class WeakEntries {
  private readonly ports: HeapPorts;
  private readonly mentions: Mentions;
  /** Calls back for each proxy and symbol that was met: the engine does not show keys of these sorts. */
  private readonly hidden: (visit: (key: WeakKey) => void) => void;
  private readonly collections: object[] = [];
  private readonly keys = new SafeMap<object, Keys>();

  constructor(ports: HeapPorts, mentions: Mentions, hidden: (visit: (key: WeakKey) => void) => void) {
    this.ports = ports;
    this.mentions = mentions;
    this.hidden = hidden;
  }

  add(collection: object): void {
    this.collections[this.collections.length] = collection;
  }

  /** The entries whose keys have been reached since the last time. */
  take(): [collection: object, key: WeakKey][] {
    const { collections, ports } = this;
    const entries: [collection: object, key: WeakKey][] = [];
    const holders = new SafeMap<WeakKey, object[]>();
    const hiding: object[] = [];
    let areKnown = false;
    for (let i = 0; i < collections.length; i++) {
      const collection = collections[i] as object;
      const { left } = this.keysOf(collection);
      if (left === undefined) hiding[hiding.length] = collection;
      left?.forEach((key) => {
        const before = holders.get(key);
        if (before === undefined) holders.set(key, [collection]);
        else before[before.length] = collection;
        areKnown ||= typeof key === 'function' && ports.known.nameOf(key) !== undefined;
      });
    }
    const visit = (key: WeakKey): void => {
      const found = holders.get(key) ?? [];
      for (let i = 0; i < found.length; i++) entries[entries.length] = [found[i] as object, key];
      for (let i = 0; i < hiding.length; i++) this.ask(hiding[i] as object, key, entries);
    };
    // Functions that are known by name are not among those that were met.
    if (areKnown || hiding.length > 0) ports.known.forEach((known) => typeof known === 'function' && visit(known));
    if (holders.size > 0 || hiding.length > 0) this.mentions.forEach(visit);
    if (collections.length > 0) {
      this.hidden((key) => {
        for (let i = 0; i < collections.length; i++) this.ask(collections[i] as object, key, entries);
      });
    }
    for (let i = 0; i < entries.length; i++) {
      const [collection, key] = entries[i] as [object, WeakKey];
      this.keysOf(collection).left?.delete(key);
    }
    return entries;
  }

  private keysOf(collection: object): Keys {
    let keys = this.keys.get(collection);
    if (keys !== undefined) return keys;
    const given = this.ports.weakKeys?.(collection);
    let left: SafeSet<WeakKey> | undefined;
    if (given !== undefined) {
      left = new SafeSet<WeakKey>();
      for (let i = 0; i < given.length; i++) left.add(given[i] as object);
    }
    this.keys.set(collection, (keys = { left, done: new SafeSet<WeakKey>() }));
    return keys;
  }

  private ask(collection: object, key: WeakKey, entries: [collection: object, key: WeakKey][]): void {
    const has = (isWeakMap(collection) ? weakMapHas : weakSetHas) as (collection: object, key: WeakKey) => boolean;
    const { done } = this.keysOf(collection);
    if (done.has(key) || !has(collection, key)) return;
    done.add(key);
    entries[entries.length] = [collection, key];
  }
}

const PROBE = {};

export function isWeakMap(collection: object): collection is WeakMap<object, unknown> {
  return accepts((value: WeakMap<object, unknown>) => weakMapHas(value, PROBE), collection);
}
