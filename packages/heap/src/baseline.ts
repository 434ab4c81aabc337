// The properties of known objects as they were, and what has become of them. Most of these objects are functions that nobody ever
// touches; where the engine tells, those are passed over by looking whether they still have the shape every function is born with.
// That takes 5 µs in the place of 700.

import {
  defineProperty,
  deleteProperty,
  descriptorOf,
  is,
  isExtensible,
  ownKeys,
  prototypeOf,
  SafeSet,
  setPrototypeOf,
} from './intrinsics.ts';

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

  /**
   * Gives the objects back what a program has replaced or taken away, and takes away what is in everybody's way. What it answers
   * brings the differences about again.
   */
  mend(differences: readonly Difference[], except: object): () => void {
    // A chain: what a program has put in the way of arrays is still there.
    let undo = (): void => {};
    for (let i = 0; i < differences.length; i++) {
      const { object, properties } = differences[i] as Difference;
      if (object === except) continue;
      for (let p = 0; p < properties.length; p++) {
        const change = properties[p] as [PropertyKey, PropertyDescriptor | undefined];
        const key = change[0];
        const now = change[1];
        if (now?.configurable === false) continue;
        const born = this.#bornAs(object, key);
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

  #bornAs(object: object, key: PropertyKey): PropertyDescriptor | undefined {
    const entry = entryIn(this.#entries, object) ?? entryIn(this.#functionEntries, object);
    if (entry === undefined) return undefined;
    for (let i = 0; i < entry.keys.length; i++) if (entry.keys[i] === key) return entry.descriptors[i];
    return undefined;
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
    for (let i = 0; i < found.length; i++) append(differences, (found[i] as [number, Difference])[1]);
    return differences;
  }
}

function entryIn(entries: readonly Entry[], object: object): Entry | undefined {
  for (let i = 0; i < entries.length; i++) if ((entries[i] as Entry).object === object) return entries[i];
  return undefined;
}

const textOf = String;
const numberOf = Number;

/** Whatever a program has made of objects and arrays in general. */
function define(object: object, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
  setPrototypeOf(descriptor, null);
  return defineProperty(object, key, descriptor);
}

function append<T>(list: T[], value: T): void {
  defineProperty(list, list.length, {
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

function insert(found: [place: number, difference: Difference][], place: number, difference: Difference): void {
  let at = found.length;
  append(found, [place, difference]);
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
    if (!isSame(descriptor, descriptors[i] as PropertyDescriptor)) append(properties, [key, descriptor]);
  }
  const old = new SafeSet<PropertyKey>();
  for (let i = 0; i < keys.length; i++) old.add(keys[i] as PropertyKey);
  for (let i = 0; i < now.length; i++) {
    const key = now[i] as PropertyKey;
    if (!old.has(key)) append(properties, [key, descriptorOf(object, key)]);
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
