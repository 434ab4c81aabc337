// Which statement has written each part of an object last: of one sort of parts, its properties or what a Map has. Objects have few parts that are written, so they are looked through; nothing
// is made for one but two lists. All objects that a program writes have these, so they stand on the objects themselves: in a WeakMap each would take ten times as long.
import { is } from '../intrinsics.ts';
import { createHiddenField } from '../hidden-field.ts';
import { SafeMap, SafeWeakMap } from '../safe-collections.ts';

/** A place in a run: list and statement within a task are both 0 where none of it has begun. */
export interface WritePosition {
  readonly task: number;
  readonly list: number;
  readonly statement: number;
}

/** The statement there, as probes tell of it. */
export interface WriteSite extends WritePosition {
  readonly file: string;
  readonly number: number;
}

/** What an object has: keys, and their values in the same order. */
export interface PartValues {
  readonly keys: readonly unknown[];
  readonly values: readonly unknown[];
}

/** In the place of a key: any of them. */
export const ALL_PARTS: unique symbol = Symbol('whole');

/** Of more, nobody looks through. */
const MAX_LISTED_PARTS = 16;

export class PartWrites {
  readonly #keys: unknown[] = [];
  readonly #sites: WriteSite[] = [];
  #sitesByKey: SafeMap<unknown, WriteSite> | undefined;
  /** Something may have been written there that is not known yet; what the object had before. */
  #announced: { readonly site: WriteSite; readonly values: PartValues } | undefined;

  set(key: unknown, site: WriteSite): void {
    if (this.#sitesByKey !== undefined) {
      this.#sitesByKey.set(key, site);
      return;
    }
    const index = this.#indexOf(key);
    this.#keys[index] = key;
    this.#sites[index] = site;
    if (index < MAX_LISTED_PARTS) return;
    const sitesByKey = (this.#sitesByKey = new SafeMap<unknown, WriteSite>());
    for (let i = 0; i <= index; i++) sitesByKey.set(this.#keys[i], this.#sites[i] as WriteSite);
  }

  get(key: unknown): WriteSite | undefined {
    return this.#sitesByKey === undefined ? this.#sites[this.#indexOf(key)] : this.#sitesByKey.get(key);
  }

  /** Behind the last one if it is none of them. */
  #indexOf(key: unknown): number {
    const keys = this.#keys;
    for (let i = 0; i < keys.length; i++) if (keys[i] === key || is(keys[i], key)) return i;
    return keys.length;
  }

  /** Some of them may be about to be written. @param values undefined if they are many */
  announce(site: WriteSite, values: PartValues | undefined): void {
    this.resolveAnnounced(values);
    if (values === undefined) this.set(ALL_PARTS, site);
    else this.#announced = { site, values };
  }

  /** Where that was announced which is not known yet. */
  get announcedSite(): WriteSite | undefined {
    return this.#announced?.site;
  }

  /** By what is different now: what was announced is known from then on. */
  resolveAnnounced(current: PartValues | undefined): void {
    const announced = this.#announced;
    if (announced === undefined) return;
    this.#announced = undefined;
    const { site, values } = announced;
    if (current === undefined) return this.setUnlessLater(ALL_PARTS, site);
    const hasSameKeys = values.keys === current.keys;
    for (let i = 0; i < current.keys.length; i++) {
      const oldIndex = hasSameKeys ? i : indexIn(values.keys, current.keys[i], i);
      if (oldIndex === -1 || !is(values.values[oldIndex], current.values[i]))
        this.setUnlessLater(current.keys[i], site);
    }
    if (hasSameKeys) return;
    for (let i = 0; i < values.keys.length; i++)
      if (indexIn(current.keys, values.keys[i], i) === -1) this.setUnlessLater(values.keys[i], site);
  }

  setUnlessLater(key: unknown, site: WriteSite): void {
    const existing = this.get(key);
    if (existing === undefined || !isLater(existing, site)) this.set(key, site);
  }
}

/** Mostly it is where it was. */
function indexIn(keys: readonly unknown[], key: unknown, likelyIndex: number): number {
  if (keys[likelyIndex] === key) return likelyIndex;
  for (let i = 0; i < keys.length; i++) if (keys[i] === key) return i;
  return -1;
}

/** All that is noted of one object. */
export class ObjectWrites {
  /** By whom. */
  readonly owner: object;
  properties: PartWrites | undefined = undefined;
  privates: PartWrites | undefined = undefined;
  variables: PartWrites | undefined = undefined;
  entries: PartWrites | undefined = undefined;
  /** Statements in the course of which it came into being: the first one, and the last. */
  creationStart: WriteSite | undefined = undefined;
  creationEnd: WriteSite | undefined = undefined;

  constructor(owner: object) {
    this.owner = owner;
  }
}

const objectWrites = createHiddenField<ObjectWrites>();
/** Of the global object, which takes none. */
const globalWrites = new SafeWeakMap<object, ObjectWrites>();

/** What somebody has noted of an object. */
export function findWrites(object: object, owner: object): ObjectWrites | undefined {
  const writes = object === globalThis ? globalWrites.get(object) : objectWrites.get(object);
  return writes?.owner === owner ? writes : undefined;
}

export function ensureWrites(object: object, owner: object): ObjectWrites {
  const existing = findWrites(object, owner);
  if (existing !== undefined) return existing;
  const writes = new ObjectWrites(owner);
  if (object === globalThis) globalWrites.set(object, writes);
  else objectWrites.set(object, writes);
  return writes;
}

export function isLater(first: WritePosition, second: WritePosition): boolean {
  return (first.task - second.task || first.list - second.list || first.statement - second.statement) > 0;
}
