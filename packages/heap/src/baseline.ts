// The properties of known objects as they were, and what has become of them. Most of these objects are functions that nobody ever
// touches; where the engine tells, those are passed over by looking whether they still have the shape every function is born with.
// That takes 5 µs in the place of 700.

import { descriptorOf, is, isExtensible, ownKeys, prototypeOf, SafeSet } from './intrinsics.ts';

export interface Difference {
  readonly object: object;
  /** In the order of the object's keys; undefined for a property that was deleted. */
  readonly properties: readonly [PropertyKey, PropertyDescriptor | undefined][];
  /** Present if the prototype is another one. */
  readonly prototype?: { readonly value: object | null };
  readonly sealed: boolean;
}

interface Entry {
  readonly object: object;
  readonly keys: readonly PropertyKey[];
  readonly descriptors: readonly PropertyDescriptor[];
  readonly prototype: object | null;
  readonly extensible: boolean;
  /** Its place among all. */
  readonly place: number;
}

/**
 * The place, from `from` on, of the first of `objects` that has not the shape of `reference`: own keys and their attributes, prototype,
 * extensibility, but no values. Their number, if there is none.
 */
export type FirstUnlike = (objects: readonly object[], reference: object, from: number) => number;

/** Length and name of such a function are not values of its own: they cannot be changed without its shape changing. */
const { untouched } = { untouched(): void {} };

export class Baseline {
  /** Those that are looked at closely, and the functions that look like any other, with their entries. */
  readonly #entries: Entry[] = [];
  readonly #functions: object[] = [];
  readonly #functionEntries: Entry[] = [];
  readonly #firstUnlike: FirstUnlike | undefined;
  #size = 0;

  constructor(firstUnlike: FirstUnlike | undefined) {
    this.#firstUnlike = firstUnlike;
  }

  add(object: object): void {
    const entry = entryOf(object, this.#size++);
    if (typeof object === 'function' && this.#firstUnlike?.([object], untouched, 0) === 1) {
      this.#functions[this.#functions.length] = object;
      this.#functionEntries[this.#functionEntries.length] = entry;
    } else this.#entries[this.#entries.length] = entry;
  }

  /** In the order in which the objects were added. */
  differences(): Difference[] {
    const found: [place: number, difference: Difference][] = [];
    const look = (entry: Entry): void => {
      const difference = differenceTo(entry);
      if (difference !== undefined) insert(found, entry.place, difference);
    };
    for (let i = 0; i < this.#entries.length; i++) look(this.#entries[i] as Entry);
    const functions = this.#functions;
    for (let i = 0; this.#firstUnlike !== undefined && i < functions.length; i++) {
      i = this.#firstUnlike(functions, untouched, i);
      if (i < functions.length) look(this.#functionEntries[i] as Entry);
    }
    const differences: Difference[] = [];
    for (let i = 0; i < found.length; i++) differences[i] = (found[i] as [number, Difference])[1];
    return differences;
  }
}

function insert(found: [place: number, difference: Difference][], place: number, difference: Difference): void {
  let at = found.length;
  for (; at > 0 && (found[at - 1] as [number, Difference])[0] > place; at--)
    found[at] = found[at - 1] as [number, Difference];
  found[at] = [place, difference];
}

function entryOf(object: object, place: number): Entry {
  const keys = ownKeys(object);
  const descriptors: PropertyDescriptor[] = [];
  for (let i = 0; i < keys.length; i++) descriptors[i] = descriptorOf(object, keys[i] as string) as PropertyDescriptor;
  return { object, keys, descriptors, prototype: prototypeOf(object), extensible: isExtensible(object), place };
}

function differenceTo(entry: Entry): Difference | undefined {
  const { object, keys, descriptors } = entry;
  const now = ownKeys(object);
  const prototype = prototypeOf(object);
  const sealed = entry.extensible && !isExtensible(object);
  let same = now.length === keys.length && prototype === entry.prototype && !sealed;
  for (let i = 0; same && i < keys.length; i++) {
    same = now[i] === keys[i] && isSame(descriptorOf(object, keys[i] as string), descriptors[i] as PropertyDescriptor);
  }
  if (same) return undefined;
  const properties: [PropertyKey, PropertyDescriptor | undefined][] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as PropertyKey;
    const descriptor = descriptorOf(object, key);
    if (!isSame(descriptor, descriptors[i] as PropertyDescriptor)) properties[properties.length] = [key, descriptor];
  }
  const old = new SafeSet<PropertyKey>();
  for (let i = 0; i < keys.length; i++) old.add(keys[i] as PropertyKey);
  for (let i = 0; i < now.length; i++) {
    const key = now[i] as PropertyKey;
    if (!old.has(key)) properties[properties.length] = [key, descriptorOf(object, key)];
  }
  const difference = { object, properties, sealed };
  if (prototype !== entry.prototype) return { ...difference, prototype: { value: prototype } };
  return properties.length === 0 && !sealed ? undefined : difference;
}

function isSame(a: PropertyDescriptor | undefined, b: PropertyDescriptor): boolean {
  if (a === undefined) return false;
  return (
    is(a.value, b.value) &&
    a.get === b.get &&
    a.set === b.set &&
    a.writable === b.writable &&
    a.enumerable === b.enumerable &&
    a.configurable === b.configurable
  );
}
