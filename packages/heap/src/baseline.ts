// The properties of known objects as they were, and what has become of them. Most of these objects are functions that nobody ever
// touches; where the engine tells, those are passed over by looking whether they still have the shape every function is born with.
// That takes 5 µs in the place of 700. The others take some milliseconds, which no cut has: who trusts that only those differ that did
// before (`differencesOfChanged`, exact for these) confirms it in slices afterwards.

import {
  defineProperty,
  deleteProperty,
  descriptorOf,
  is,
  isExtensible,
  ownKeys,
  prototypeOf,
  SafeMap,
  SafeSet,
  setPrototypeOf,
} from './intrinsics.ts';
import type { EngineView } from '@turntable/core';

export interface Difference {
  readonly object: object;
  /** In the order of the object's keys; undefined for a property that was deleted. */
  readonly properties: readonly [PropertyKey, PropertyDescriptor | undefined][];
  /** Present if the prototype is another one. */
  readonly prototype?: { readonly value: object | null };
  readonly sealed: boolean;
}

/** Properties that nobody has asked for yet, and that must not be read: looking at one makes the host load what it stands for. */
export interface Unread {
  is(object: object, key: PropertyKey): boolean;
  /** Whether that is what the host puts there once it is asked. */
  isOfHost(key: PropertyKey, descriptor: PropertyDescriptor): boolean;
}

/** Stands for what such a property is. */
export const UNREAD: PropertyDescriptor = {};

interface Entry extends ReadProperties {
  readonly object: object;
  readonly prototype: object | null;
  readonly extensible: boolean;
  /** Its place among all. */
  readonly place: number;
  /** When it was first found to be different, counted in such moments; 0 before. */
  changedAt: number;
}

/** What a pass has found so far: `same` at its end, if nothing has become different since it began; an object that has; or nothing yet. */
export type Finding = 'same' | { readonly changed: Difference } | 'more';

/** A pass in slices, each of about `budget` objects. */
export type Confirmation = (budget: number) => Finding;

export type FirstUnlike = EngineView['firstUnlike'];

/** Own properties of an object, as somebody has read them already. */
export interface ReadProperties {
  readonly keys: readonly PropertyKey[];
  readonly descriptors: readonly PropertyDescriptor[];
}

/** Whether what has become of a property counts. `born`: what it was, nothing if it was not there. */
export type Counts = (
  object: object,
  key: PropertyKey,
  born: PropertyDescriptor | undefined,
  now: PropertyDescriptor | undefined,
) => boolean;

/** Functions that look alike. Length and name of theirs are no values of their own: they cannot be changed without the shape changing. */
interface Alikes {
  readonly reference: object;
  readonly functions: object[];
  readonly entries: Entry[];
  /** What is no part of the shape, of functions that have one. */
  readonly prototypes: unknown[] | undefined;
}

const { untouched } = { untouched(): void {} };
const constructible = function (): void {};

export class Baseline {
  /** Of all, those that are looked at closely, and the functions that look like any other, with their entries. */
  readonly #all = new SafeMap<object, Entry>();
  readonly #entries: Entry[] = [];
  /** Those that were different once, and how many moments there were at which one was first found to be. */
  readonly #changed: Entry[] = [];
  #moments = 0;
  readonly #alikes: readonly Alikes[];
  readonly #firstUnlike: FirstUnlike | undefined;
  readonly #unread: Unread | undefined;

  constructor(firstUnlike: FirstUnlike | undefined, unread?: Unread) {
    this.#firstUnlike = firstUnlike;
    this.#unread = unread;
    this.#alikes = [
      { reference: untouched, functions: [], entries: [], prototypes: undefined },
      { reference: constructible, functions: [], entries: [], prototypes: [] },
    ];
  }

  /** Once. `read`: what its properties are, if that is known. */
  add(object: object, read: ReadProperties = propertiesOf(object, this.#unread)): void {
    if (this.#all.has(object)) return;
    const entry = entryOf(object, read, this.#all.size);
    this.#all.set(object, entry);
    if (typeof object === 'function' && this.#firstUnlike !== undefined) {
      for (let i = 0; i < this.#alikes.length; i++) {
        const { reference, functions, entries, prototypes } = this.#alikes[i] as Alikes;
        if (this.#firstUnlike([object], reference, 0) !== 1) continue;
        functions[functions.length] = object;
        entries[entries.length] = entry;
        if (prototypes !== undefined) prototypes[prototypes.length] = (object as { prototype?: unknown }).prototype;
        return;
      }
    }
    this.#entries[this.#entries.length] = entry;
  }

  /** What a property was; nothing if it was not there, or has never been read. */
  bornAs(object: object, key: PropertyKey): PropertyDescriptor | undefined {
    const entry = this.#all.get(object);
    const born = entry?.descriptors[placeIn(entry.keys, key)];
    return born === UNREAD ? undefined : born;
  }

  /** From now on these properties, as far as they are there, are as they are now. */
  accept({ object, properties }: Difference): void {
    const { keys, descriptors } = this.#all.get(object) as Entry;
    for (let i = 0; i < properties.length; i++) {
      const change = properties[i] as [PropertyKey, PropertyDescriptor | undefined];
      const now = change[1];
      if (now === undefined) continue;
      const at = placeIn(keys, change[0]);
      append(keys as PropertyKey[], change[0], at);
      append(descriptors as PropertyDescriptor[], now, at);
    }
  }

  /** Gives back what a program has replaced or taken away, and takes away what disturbs everybody. Calling the answer brings the differences back. */
  mend(differences: readonly Difference[]): () => void {
    // A chain: what a program has put in the way of arrays is still there.
    let undo = (): void => {};
    for (let i = 0; i < differences.length; i++) {
      const { object, properties } = differences[i] as Difference;
      for (let p = 0; p < properties.length; p++) {
        const key = (properties[p] as [PropertyKey, PropertyDescriptor | undefined])[0];
        // It may have changed again since the difference was found.
        const now = descriptorOf(object, key);
        if (now?.configurable === false) continue;
        const born = this.bornAs(object, key);
        if (born === undefined ? !disturbs(key) || !deleteProperty(object, key) : !define(object, key, born)) continue;
        const before = undo;
        undo = () => {
          if (now === undefined) deleteProperty(object, key);
          else define(object, key, now);
          before();
        };
      }
    }
    return undo;
  }

  /** In the order in which the objects were added. */
  differences(counts?: Counts): Difference[] {
    const found: Found[] = [];
    const look = (entry: Entry): void => this.#look(entry, counts, found);
    for (let i = 0; i < this.#entries.length; i++) look(this.#entries[i] as Entry);
    for (let i = 0; i < this.#alikes.length; i++) this.#unlike(this.#alikes[i] as Alikes, look);
    return differencesOf(found);
  }

  /** Of those that have been different before. What has not is as it was, or a confirmation that begins now will say so. */
  differencesOfChanged(counts?: Counts): Difference[] {
    const found: Found[] = [];
    const { length } = this.#changed;
    for (let i = 0; i < length; i++) this.#look(this.#changed[i] as Entry, counts, found);
    return differencesOf(found);
  }

  /** Whether objects that have never been different still are not. */
  confirmation(counts?: Counts): Confirmation {
    const begun = this.#moments;
    const found: Found[] = [];
    const look = (entry: Entry): void => {
      if (entry.changedAt === 0 || entry.changedAt > begun) this.#look(entry, counts, found);
    };
    let next = 0;
    let group = 0;
    return (budget) => {
      const end = next + budget;
      for (; next < end && next < this.#entries.length; next++) look(this.#entries[next] as Entry);
      if (next === this.#entries.length && group < this.#alikes.length)
        this.#unlike(this.#alikes[group++] as Alikes, look);
      if (found.length > 0) return { changed: (found[0] as Found)[1] };
      return next < this.#entries.length || group < this.#alikes.length ? 'more' : 'same';
    };
  }

  /** One that came late may be different already. */
  look(object: object, counts?: Counts): void {
    const entry = this.#all.get(object);
    if (entry !== undefined) this.#look(entry, counts, []);
  }

  #look(entry: Entry, counts: Counts | undefined, found: Found[]): void {
    const difference = differenceTo(entry, counts, this.#unread);
    if (difference === undefined) return;
    insert(found, entry.place, difference);
    if (entry.changedAt > 0) return;
    entry.changedAt = ++this.#moments;
    append(this.#changed, entry);
  }

  /** Those that do not look like the others of their group. */
  #unlike({ reference, functions, entries, prototypes }: Alikes, look: (entry: Entry) => void): void {
    for (let from = 0; this.#firstUnlike !== undefined && from < functions.length;) {
      const at = this.#firstUnlike(functions, reference, from);
      const born = prototypes ?? [];
      for (let p = from; p < born.length && p < at; p++)
        if ((functions[p] as { prototype?: unknown }).prototype !== born[p]) look(entries[p] as Entry);
      if (at < functions.length) look(entries[at] as Entry);
      from = at + 1;
    }
  }
}

type Found = [place: number, difference: Difference];

function differencesOf(found: readonly Found[]): Difference[] {
  const differences: Difference[] = [];
  for (let i = 0; i < found.length; i++) append(differences, (found[i] as Found)[1]);
  return differences;
}

/** The number of keys if it is none of them. */
function placeIn(keys: readonly PropertyKey[], key: PropertyKey): number {
  let at = 0;
  while (at < keys.length && keys[at] !== key) at++;
  return at;
}

const textOf = String;
const numberOf = Number;

/** Whatever a program has made of objects and arrays in general. */
function define(object: object, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
  setPrototypeOf(descriptor, null);
  return defineProperty(object, key, descriptor);
}

function append<T>(list: T[], value: T, at = list.length): void {
  defineProperty(list, at, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}

/** Of a property descriptor that is made as a literal, if an object that all others inherit from has them. */
const FIELDS = new SafeSet<PropertyKey>();
for (const field of ['value', 'get', 'set', 'writable', 'enumerable', 'configurable']) FIELDS.add(field);

/** Whether a property that an object of the language did not have may change what ordinary code does. */
function disturbs(key: PropertyKey): boolean {
  return FIELDS.has(key) || (typeof key === 'string' && textOf(numberOf(key) >>> 0) === key);
}

function insert(found: Found[], place: number, difference: Difference): void {
  let at = found.length;
  append(found, [place, difference]);
  for (; at > 0 && (found[at - 1] as Found)[0] > place; at--) found[at] = found[at - 1] as Found;
  found[at] = [place, difference];
}

function propertiesOf(object: object, unread: Unread | undefined): ReadProperties {
  const keys = ownKeys(object);
  const descriptors: PropertyDescriptor[] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as PropertyKey;
    descriptors[i] = unread?.is(object, key) === true ? UNREAD : (descriptorOf(object, key) as PropertyDescriptor);
  }
  return { keys, descriptors };
}

/** What a property is now that is known to have been something. */
function readAgain(
  object: object,
  key: PropertyKey,
  born: PropertyDescriptor,
  unread: Unread | undefined,
): PropertyDescriptor | undefined {
  if (born !== UNREAD || unread === undefined) return descriptorOf(object, key);
  if (unread.is(object, key)) return UNREAD;
  const now = descriptorOf(object, key);
  return now !== undefined && unread.isOfHost(key, now) ? UNREAD : now;
}

function entryOf(object: object, { keys, descriptors }: ReadProperties, place: number): Entry {
  return {
    object,
    keys,
    descriptors,
    prototype: prototypeOf(object),
    extensible: isExtensible(object),
    place,
    changedAt: 0,
  };
}

function differenceTo(entry: Entry, counts: Counts | undefined, unread: Unread | undefined): Difference | undefined {
  const { object, keys, descriptors } = entry;
  const now = ownKeys(object);
  const prototype = prototypeOf(object);
  const sealed = entry.extensible && !isExtensible(object);
  let same = now.length === keys.length && prototype === entry.prototype && !sealed;
  for (let i = 0; same && i < keys.length; i++) {
    const born = descriptors[i] as PropertyDescriptor;
    same = now[i] === keys[i] && isSame(readAgain(object, keys[i] as PropertyKey, born, unread), born);
  }
  if (same) return undefined;
  const properties: [PropertyKey, PropertyDescriptor | undefined][] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as PropertyKey;
    const born = descriptors[i] as PropertyDescriptor;
    const descriptor = readAgain(object, key, born, unread);
    if (!isSame(descriptor, born) && counts?.(object, key, born, descriptor) !== false)
      append(properties, [key, descriptor]);
  }
  const old = new SafeSet<PropertyKey>();
  for (let i = 0; i < keys.length; i++) old.add(keys[i] as PropertyKey);
  for (let i = 0; i < now.length; i++) {
    const key = now[i] as PropertyKey;
    if (old.has(key)) continue;
    const descriptor = descriptorOf(object, key);
    if (counts?.(object, key, undefined, descriptor) !== false) append(properties, [key, descriptor]);
  }
  const difference = { object, properties, sealed };
  if (prototype !== entry.prototype) return { ...difference, prototype: { value: prototype } };
  return properties.length === 0 && !sealed ? undefined : difference;
}

function isSame(a: PropertyDescriptor | undefined, b: PropertyDescriptor): boolean {
  if (a === undefined || a === UNREAD || b === UNREAD) return a === b;
  return (
    is(a.value, b.value) &&
    a.get === b.get &&
    a.set === b.set &&
    a.writable === b.writable &&
    a.enumerable === b.enumerable &&
    a.configurable === b.configurable
  );
}

/** The part of `HeapPorts` that says which functions on known objects are left out. */
interface LeavingPort {
  leaves?(fn: () => unknown): boolean;
}

/** Whether a property of a known object stays behind. */
export function isLeft({ leaves }: LeavingPort, descriptor: PropertyDescriptor): boolean {
  if (leaves === undefined) return false;
  const { value, get, set } = descriptor;
  const fn: unknown = value ?? get ?? set;
  return typeof fn === 'function' && leaves(fn as () => unknown);
}

/** What is to be written of them. */
export function withoutLeft(differences: readonly Difference[], ports: LeavingPort): readonly Difference[] {
  if (ports.leaves === undefined) return differences;
  const kept: Difference[] = [];
  for (let i = 0; i < differences.length; i++) {
    const difference = differences[i] as Difference;
    const properties: [PropertyKey, PropertyDescriptor | undefined][] = [];
    for (let p = 0; p < difference.properties.length; p++) {
      const [key, descriptor] = difference.properties[p] as [PropertyKey, PropertyDescriptor | undefined];
      if (descriptor === undefined || !isLeft(ports, descriptor)) properties[properties.length] = [key, descriptor];
    }
    if (properties.length > 0 || difference.prototype !== undefined || difference.sealed)
      kept[kept.length] = { ...difference, properties };
  }
  return kept;
}
