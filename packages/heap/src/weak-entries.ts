// The entries of weak collections that are state: those whose keys are reached otherwise. Written in the order in which their keys were,
// whatever order the engine gives, in rounds: the value of an entry may lead to the key of another. The keys of a collection are asked
// for once, when it has been written; where a graph is written in pieces, those that were not reached wait for later ones, which
// look at what is new only. There keys that earlier pieces have reached come in the engine's order.

import {
  accepts,
  descriptorOf,
  hasOwn,
  SafeMap,
  SafeSet,
  weakMapGet,
  weakMapHas,
  weakMapSet,
  weakSetHas,
} from './intrinsics.ts';
import type { Mentions } from './identities.ts';
import type { HeapPorts } from './ports.ts';

type Entry = [collection: object, key: WeakKey];

/** A collection whose keys the engine does not show, and those that have been found in it. */
interface Hiding {
  readonly collection: object;
  readonly found: SafeSet<WeakKey>;
}

export class WeakEntries {
  private readonly ports: HeapPorts;
  private readonly mentions: Mentions;
  private readonly collections: object[] = [];
  /** By the keys that have not been reached, the collections that have them. */
  private readonly waiting = new SafeMap<WeakKey, object[]>();
  /** Of these, by what they come back with. */
  private readonly carried = new SafeMap<WeakKey, object[]>();
  private readonly hiding: Hiding[] = [];
  /** Proxies and symbols that were met: the engine does not show keys of these sorts. */
  private readonly hidden: WeakKey[] = [];
  /** How many of the collections and of the hidden keys have been asked about each other. */
  private asked = 0;
  private askedFor = 0;
  private isFirst = true;

  constructor(ports: HeapPorts, mentions: Mentions) {
    this.ports = ports;
    this.mentions = mentions;
  }

  add(collection: object): void {
    this.collections[this.collections.length] = collection;
  }

  /** A proxy or symbol has been met. */
  hide(key: WeakKey): void {
    this.hidden[this.hidden.length] = key;
  }

  /** Another piece begins. */
  begin(): void {
    this.isFirst = false;
  }

  /** The entries whose keys have been reached since the last time. */
  take(): Entry[] {
    const { collections, ports, mentions, hiding, waiting } = this;
    const entries: Entry[] = [];
    const hasNew = this.asked < collections.length;
    const hid = hiding.length;
    let areKnown = false;
    for (let i = this.asked; i < collections.length; i++)
      areKnown = this.meet(collections[i] as object, entries) || areKnown;
    const reach = (key: WeakKey): void => {
      const found = waiting.get(key) ?? NONE;
      for (let i = 0; i < found.length; i++) {
        const collection = found[i] as object;
        if (hasKey(collection, key)) entries[entries.length] = [collection, key];
      }
      if (found !== NONE) waiting.delete(key);
      for (let i = 0; i < hiding.length; i++) ask(hiding[i] as Hiding, key, entries);
    };
    const visit = (key: WeakKey): void => {
      reach(key);
      const carried = this.carried.get(key);
      if (carried === undefined) return;
      this.carried.delete(key);
      inOrderOfNames(carried).forEach(reach);
    };
    const { length } = hiding;
    // What is known by name is not among what was met.
    if (areKnown || length > hid) ports.known.forEach(visit);
    if ((hasNew && this.isFirst) || length > hid) {
      if (waiting.size > 0 || length > 0) mentions.forEach(visit);
    } else if (waiting.size > 0 || length > 0) mentions.forEachNew(visit);
    if (mentions.one !== undefined) mentions.list(waiting.size > 0 || length > 0);
    this.takeHidden(entries);
    return entries;
  }

  /** What a key comes back with if nobody mentions it: a method with its class, what a function makes inherit from with the function. */
  private carrierOf(key: object): object | undefined {
    for (const adapter of this.ports.adapters ?? []) {
      const carrier =
        (adapter.asks === 'functions') === (typeof key === 'function') ? adapter.bornWith?.(key) : undefined;
      if (carrier !== undefined) return carrier;
    }
    if (typeof key === 'function' || !hasOwn(key, 'constructor')) return undefined;
    const made: unknown = descriptorOf(key, 'constructor')?.value;
    return typeof made === 'function' && descriptorOf(made, 'prototype')?.value === key ? made : undefined;
  }

  /** Asks a new collection for its keys; whether some of those that wait are known by name. */
  private meet(collection: object, entries: Entry[]): boolean {
    const given = this.ports.weakKeys?.(collection);
    if (given === undefined) {
      this.hiding[this.hiding.length] = { collection, found: new SafeSet<WeakKey>() };
      return false;
    }
    let areKnown = false;
    for (let i = 0; i < given.length; i++) {
      const key = given[i] as object;
      const isKnown = this.ports.known.nameOf(key) !== undefined;
      const carrier = isKnown ? undefined : this.carrierOf(key);
      const isMet = (object: object): boolean => !this.isFirst && this.mentions.isMet(object);
      if ((!this.isFirst && isKnown) || isMet(key) || (carrier !== undefined && isMet(carrier))) {
        entries[entries.length] = [collection, key];
        continue;
      }
      areKnown ||= isKnown;
      const before = this.waiting.get(key);
      if (before !== undefined) {
        before[before.length] = collection;
        continue;
      }
      this.waiting.set(key, [collection]);
      if (carrier === undefined) continue;
      const others = this.carried.get(carrier);
      if (others === undefined) this.carried.set(carrier, [key]);
      else others[others.length] = key;
    }
    return areKnown;
  }

  /** Each collection and each hidden key are asked about once. */
  private takeHidden(entries: Entry[]): void {
    const { collections, hidden } = this;
    for (let h = 0; h < hidden.length; h++) {
      const key = hidden[h] as WeakKey;
      for (let c = h < this.askedFor ? this.asked : 0; c < collections.length; c++) {
        const collection = collections[c] as object;
        if (hasKey(collection, key)) entries[entries.length] = [collection, key];
      }
    }
    this.asked = collections.length;
    this.askedFor = hidden.length;
  }
}

function ask({ collection, found }: Hiding, key: WeakKey, entries: Entry[]): void {
  if (found.has(key) || !hasKey(collection, key)) return;
  found.add(key);
  entries[entries.length] = [collection, key];
}

/** Whatever order the engine gives. */
function inOrderOfNames(keys: readonly object[]): object[] {
  const nameOf = (key: object): string => String(descriptorOf(key, 'name')?.value);
  return keys.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

function hasKey(collection: object, key: WeakKey): boolean {
  return isWeakMap(collection)
    ? weakMapHas(collection, key as object)
    : weakSetHas(collection as WeakSet<WeakKey>, key);
}

const NONE: readonly object[] = [];
const PROBE = {};

/** Those that have been asked: it takes an error to tell that one is a WeakSet. */
const areMaps = new WeakMap<object, boolean>();

export function isWeakMap(collection: object): collection is WeakMap<object, unknown> {
  let isMap = weakMapGet(areMaps, collection) as boolean | undefined;
  if (isMap === undefined) {
    isMap = accepts((value: WeakMap<object, unknown>) => weakMapHas(value, PROBE), collection);
    weakMapSet(areMaps, collection, isMap);
  }
  return isMap;
}
