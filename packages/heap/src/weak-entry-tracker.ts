// Entries of weak collections whose keys are reached otherwise, and which are therefore state. They are written in the
// order of their keys, not the engine's, and in rounds, since a value may lead to another key. A collection's keys are
// read once, after it was written. If a graph is written in pieces, unreached keys wait for later pieces, which check
// new objects only; keys of earlier pieces then come in the engine's order.

import {
  passesBrandCheck,
  descriptorOf,
  hasOwn,
  SafeMap,
  SafeSet,
  weakMapGet,
  weakMapHas,
  weakMapSet,
  weakSetHas,
} from './intrinsics.ts';
import type { IdentityTable } from './identity-table.ts';
import type { HeapPorts } from './ports.ts';

type WeakEntry = [collection: object, key: WeakKey];

/** A collection whose keys the engine does not show, and the keys found in it. */
interface OpaqueCollection {
  readonly collection: object;
  readonly foundKeys: SafeSet<WeakKey>;
}

export class WeakEntryTracker {
  private readonly ports: HeapPorts;
  private readonly identityTable: IdentityTable;
  private readonly collections: object[] = [];
  /** Collections by their keys that have not been reached. */
  private readonly collectionsByPendingKey = new SafeMap<WeakKey, object[]>();
  /** Unreached keys, by the objects whose restore also restores them. */
  private readonly keysByCarrier = new SafeMap<WeakKey, object[]>();
  private readonly opaqueCollections: OpaqueCollection[] = [];
  /** Proxies and symbols met so far. The engine does not list them as keys of a weak collection. */
  private readonly opaqueKeys: WeakKey[] = [];
  /** Numbers of collections and of opaque keys for which all pairs have been checked. */
  private checkedCollections = 0;
  private checkedKeys = 0;
  private isFirstPiece = true;

  constructor(ports: HeapPorts, identityTable: IdentityTable) {
    this.ports = ports;
    this.identityTable = identityTable;
  }

  add(collection: object): void {
    this.collections[this.collections.length] = collection;
  }

  addOpaqueKey(key: WeakKey): void {
    this.opaqueKeys[this.opaqueKeys.length] = key;
  }

  startPiece(): void {
    this.isFirstPiece = false;
  }

  /** Returns entries whose keys have been reached since the last call. */
  takeReached(): WeakEntry[] {
    const { collections, ports, identityTable, opaqueCollections, collectionsByPendingKey } = this;
    const entries: WeakEntry[] = [];
    const hasNewCollections = this.checkedCollections < collections.length;
    const opaqueBefore = opaqueCollections.length;
    let hasKnownKeys = false;
    for (let i = this.checkedCollections; i < collections.length; i++)
      hasKnownKeys = this.addKeysOf(collections[i] as object, entries) || hasKnownKeys;
    const addEntriesOf = (key: WeakKey): void => {
      const collectionsOfKey = collectionsByPendingKey.get(key) ?? NO_COLLECTIONS;
      for (let i = 0; i < collectionsOfKey.length; i++) {
        const collection = collectionsOfKey[i] as object;
        if (hasKey(collection, key)) entries[entries.length] = [collection, key];
      }
      if (collectionsOfKey !== NO_COLLECTIONS) collectionsByPendingKey.delete(key);
      for (let i = 0; i < opaqueCollections.length; i++)
        checkOpaque(opaqueCollections[i] as OpaqueCollection, key, entries);
    };
    const visit = (key: WeakKey): void => {
      addEntriesOf(key);
      const carriedKeys = this.keysByCarrier.get(key);
      if (carriedKeys === undefined) return;
      this.keysByCarrier.delete(key);
      sortByName(carriedKeys).forEach(addEntriesOf);
    };
    const { length } = opaqueCollections;
    // Known objects are not in the list of objects met.
    if (hasKnownKeys || length > opaqueBefore) ports.known.forEach(visit);
    if ((hasNewCollections && this.isFirstPiece) || length > opaqueBefore) {
      if (collectionsByPendingKey.size > 0 || length > 0) identityTable.forEach(visit);
    } else if (collectionsByPendingKey.size > 0 || length > 0) identityTable.forEachNew(visit);
    if (identityTable.singleSet !== undefined) identityTable.setListing(collectionsByPendingKey.size > 0 || length > 0);
    this.takeOpaque(entries);
    return entries;
  }

  /** Returns the object whose restore also restores the key: the class of a method, the function of a prototype. */
  private carrierOf(key: object): object | undefined {
    for (const adapter of this.ports.adapters ?? []) {
      const carrier =
        (adapter.appliesTo === 'functions') === (typeof key === 'function') ? adapter.carrierOf?.(key) : undefined;
      if (carrier !== undefined) return carrier;
    }
    if (typeof key === 'function' || !hasOwn(key, 'constructor')) return undefined;
    const madeFunction: unknown = descriptorOf(key, 'constructor')?.value;
    return typeof madeFunction === 'function' && descriptorOf(madeFunction, 'prototype')?.value === key
      ? madeFunction
      : undefined;
  }

  /** Reads a new collection's keys. Returns whether a pending key is a known object. */
  private addKeysOf(collection: object, entries: WeakEntry[]): boolean {
    const engineKeys = this.ports.weakKeys?.(collection);
    if (engineKeys === undefined) {
      this.opaqueCollections[this.opaqueCollections.length] = { collection, foundKeys: new SafeSet<WeakKey>() };
      return false;
    }
    let hasKnownKeys = false;
    for (let i = 0; i < engineKeys.length; i++) {
      const key = engineKeys[i] as object;
      const isKnown = this.ports.known.nameOf(key) !== undefined;
      const carrier = isKnown ? undefined : this.carrierOf(key);
      const isMet = (object: object): boolean => !this.isFirstPiece && this.identityTable.isMet(object);
      if ((!this.isFirstPiece && isKnown) || isMet(key) || (carrier !== undefined && isMet(carrier))) {
        entries[entries.length] = [collection, key];
        continue;
      }
      hasKnownKeys ||= isKnown;
      const waitingCollections = this.collectionsByPendingKey.get(key);
      if (waitingCollections !== undefined) {
        waitingCollections[waitingCollections.length] = collection;
        continue;
      }
      this.collectionsByPendingKey.set(key, [collection]);
      if (carrier === undefined) continue;
      const keysOfCarrier = this.keysByCarrier.get(carrier);
      if (keysOfCarrier === undefined) this.keysByCarrier.set(carrier, [key]);
      else keysOfCarrier[keysOfCarrier.length] = key;
    }
    return hasKnownKeys;
  }

  /** Checks each pair of a collection and an opaque key once. */
  private takeOpaque(entries: WeakEntry[]): void {
    const { collections, opaqueKeys } = this;
    for (let h = 0; h < opaqueKeys.length; h++) {
      const key = opaqueKeys[h] as WeakKey;
      for (let c = h < this.checkedKeys ? this.checkedCollections : 0; c < collections.length; c++) {
        const collection = collections[c] as object;
        if (hasKey(collection, key)) entries[entries.length] = [collection, key];
      }
    }
    this.checkedCollections = collections.length;
    this.checkedKeys = opaqueKeys.length;
  }
}

function checkOpaque({ collection, foundKeys }: OpaqueCollection, key: WeakKey, entries: WeakEntry[]): void {
  if (foundKeys.has(key) || !hasKey(collection, key)) return;
  foundKeys.add(key);
  entries[entries.length] = [collection, key];
}

/** Sorts by name, for an order independent of the engine's. */
function sortByName(keys: readonly object[]): object[] {
  const nameOf = (key: object): string => String(descriptorOf(key, 'name')?.value);
  return keys.toSorted((first, second) => (nameOf(first) < nameOf(second) ? -1 : 1));
}

function hasKey(collection: object, key: WeakKey): boolean {
  return isWeakMap(collection)
    ? weakMapHas(collection, key as object)
    : weakSetHas(collection as WeakSet<WeakKey>, key);
}

const NO_COLLECTIONS: readonly object[] = [];
const PROBE = {};

/** Cached results, because telling a WeakMap from a WeakSet takes an error. */
const isMapCache = new WeakMap<object, boolean>();

export function isWeakMap(collection: object): collection is WeakMap<object, unknown> {
  let isMap = weakMapGet(isMapCache, collection) as boolean | undefined;
  if (isMap === undefined) {
    isMap = passesBrandCheck((value: WeakMap<object, unknown>) => weakMapHas(value, PROBE), collection);
    weakMapSet(isMapCache, collection, isMap);
  }
  return isMap;
}
