// The last write of each part of an object: properties, private members, variables, or collection entries. Few parts of
// an object are written, so a list of them is searched linearly. Each object that a program writes has such lists, in a
// hidden field of the object itself, because a WeakMap entry would cost ten times as much.
import { is } from '../intrinsics.ts';
import { createHiddenField } from '../hidden-field.ts';
import { SafeMap, SafeWeakMap } from '../safe-collections.ts';

/** Position in a run. `list` and `statement` are both 0 before the first statement of the task. */
export interface WritePosition {
  readonly task: number;
  readonly list: number;
  readonly statement: number;
}

/** Position of a write, and the statement there as probes report it. */
export interface WriteSite extends WritePosition {
  readonly file: string;
  readonly number: number;
}

/** Snapshot of an object's parts. `values[i]` is the value of the part `keys[i]`. */
export interface PartValues {
  readonly keys: readonly unknown[];
  readonly values: readonly unknown[];
}

/** Key of a write that may have changed any part of an object. */
export const ALL_PARTS: unique symbol = Symbol('whole');

/** Maximum number of parts for the linear search. With more parts, a Map is used. */
const MAX_LISTED_PARTS = 16;

export class PartWrites {
  readonly #keys: unknown[] = [];
  readonly #sites: WriteSite[] = [];
  #sitesByKey: SafeMap<unknown, WriteSite> | undefined;
  /** Write that may have changed any part, and the values before the write. Later values show which parts changed. */
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

  /** Index of a key; the length of the list if the key is not in it. */
  #indexOf(key: unknown): number {
    const keys = this.#keys;
    for (let i = 0; i < keys.length; i++) if (keys[i] === key || is(keys[i], key)) return i;
    return keys.length;
  }

  /** Records a write that may change any part. @param values the parts before the write; undefined if too many */
  announce(site: WriteSite, values: PartValues | undefined): void {
    this.resolveAnnounced(values);
    if (values === undefined) this.set(ALL_PARTS, site);
    else this.#announced = { site, values };
  }

  /** Site of the announced write that has not been resolved yet. */
  get announcedSite(): WriteSite | undefined {
    return this.#announced?.site;
  }

  /**
   * Attributes the announced write to the parts whose values differ now. The write stays announced: its statement may not
   * have made it yet, for example during a call that evaluates the new value.
   */
  resolveAnnounced(current: PartValues | undefined): void {
    const announced = this.#announced;
    if (announced === undefined) return;
    const { site, values } = announced;
    this.#announced = current && { site, values: current };
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

/** Index of a key, which usually is `likelyIndex`; -1 if the list does not have the key. */
function indexIn(keys: readonly unknown[], key: unknown, likelyIndex: number): number {
  if (keys[likelyIndex] === key) return likelyIndex;
  for (let i = 0; i < keys.length; i++) if (keys[i] === key) return i;
  return -1;
}

/** Last writes of all parts of one object. */
export class ObjectWrites {
  /** Index that noted these writes. */
  readonly owner: object;
  properties: PartWrites | undefined = undefined;
  privates: PartWrites | undefined = undefined;
  variables: PartWrites | undefined = undefined;
  entries: PartWrites | undefined = undefined;
  /** First and last statement during which the object was constructed. */
  creationStart: WriteSite | undefined = undefined;
  creationEnd: WriteSite | undefined = undefined;

  constructor(owner: object) {
    this.owner = owner;
  }
}

const objectWrites = createHiddenField<ObjectWrites>();
/** Writes of the global object, on which no hidden field can be stored. */
const globalWrites = new SafeWeakMap<object, ObjectWrites>();

/** Writes of an object; undefined if `owner` has noted none. */
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
