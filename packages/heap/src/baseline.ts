// Initial properties of the known objects, and their changes. Most known objects are functions that no program touches.
// If the engine compares shapes, a check of all unchanged functions takes 5 µs instead of 700. A full search takes
// milliseconds, too long for a cut. So a cut uses `recheckChanged`, which is exact for objects that have changed
// before, and a `Confirmation` checks the rest in slices afterwards.

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

export interface ObjectChange {
  readonly object: object;
  /** Changed properties with their descriptors, in the order of the object's keys; undefined for a deleted property. */
  readonly properties: readonly [PropertyKey, PropertyDescriptor | undefined][];
  /** Set if the prototype has changed. */
  readonly prototype?: { readonly value: object | null };
  readonly isSealed: boolean;
}

/** Properties that no code has read yet. They must not be read, because a read makes the host load their values. */
export interface UnreadProperties {
  is(object: object, key: PropertyKey): boolean;
  /** Returns whether the property has the value that the host loads on the first read, not a value of the program. */
  isHostValue(key: PropertyKey, descriptor: PropertyDescriptor): boolean;
}

/** Placeholder for the descriptor of an unread property. */
export const UNREAD: PropertyDescriptor = {};

interface BaselineEntry extends OwnProperties {
  readonly object: object;
  readonly prototype: object | null;
  readonly isExtensible: boolean;
  /** Position of the object in the order in which the objects were added. */
  readonly index: number;
  /** Ordinal of the object's first change among the first changes of all objects, from 1; 0 while unchanged. */
  changeNumber: number;
}

/** Result of a step of a confirmation: complete without changes (`same`), a changed object, or unfinished (`more`). */
export type ConfirmationResult = 'same' | { readonly changed: ObjectChange } | 'more';

/** Continues the check for about `budget` objects. */
export type Confirmation = (budget: number) => ConfirmationResult;

export type FirstUnlike = EngineView['firstDifferentShape'];

/** Own properties of an object, already read. */
export interface OwnProperties {
  readonly keys: readonly PropertyKey[];
  readonly descriptors: readonly PropertyDescriptor[];
}

/** Returns whether a changed property is state. @param original the initial descriptor, if the property existed */
export type ChangeFilter = (
  object: object,
  key: PropertyKey,
  original: PropertyDescriptor | undefined,
  current: PropertyDescriptor | undefined,
) => boolean;

/** Functions of one shape. Their length and name need no check, because changing these changes the shape. */
interface SameShapeGroup {
  readonly reference: object;
  readonly functions: object[];
  readonly entries: BaselineEntry[];
  /** Values of `prototype`, which the shape does not determine, for functions that have one. */
  readonly prototypes: unknown[] | undefined;
}

const { untouched } = { untouched(): void {} };
const constructible = function (): void {};

export class Baseline {
  /** All entries by object, and the entries that are compared property by property. */
  readonly #entryByObject = new SafeMap<object, BaselineEntry>();
  readonly #comparedEntries: BaselineEntry[] = [];
  /** Entries of objects that have been found changed at least once, and the number of these entries. */
  readonly #changedEntries: BaselineEntry[] = [];
  #changeCount = 0;
  readonly #groups: readonly SameShapeGroup[];
  readonly #firstUnlike: FirstUnlike | undefined;
  readonly #unreadProperties: UnreadProperties | undefined;

  constructor(firstUnlike: FirstUnlike | undefined, unreadProperties?: UnreadProperties) {
    this.#firstUnlike = firstUnlike;
    this.#unreadProperties = unreadProperties;
    this.#groups = [
      { reference: untouched, functions: [], entries: [], prototypes: undefined },
      { reference: constructible, functions: [], entries: [], prototypes: [] },
    ];
  }

  /** Adds an object unless it was added before. @param properties its properties, if already read */
  add(object: object, properties: OwnProperties = readOwnProperties(object, this.#unreadProperties)): void {
    if (this.#entryByObject.has(object)) return;
    const entry = createEntry(object, properties, this.#entryByObject.size);
    this.#entryByObject.set(object, entry);
    if (typeof object === 'function' && this.#firstUnlike !== undefined) {
      for (let i = 0; i < this.#groups.length; i++) {
        const { reference, functions, entries, prototypes } = this.#groups[i] as SameShapeGroup;
        if (this.#firstUnlike([object], reference, 0) !== 1) continue;
        functions[functions.length] = object;
        entries[entries.length] = entry;
        if (prototypes !== undefined) prototypes[prototypes.length] = (object as { prototype?: unknown }).prototype;
        return;
      }
    }
    this.#comparedEntries[this.#comparedEntries.length] = entry;
  }

  /** Initial descriptor of a property; undefined if it was missing or unread. */
  originalDescriptor(object: object, key: PropertyKey): PropertyDescriptor | undefined {
    const entry = this.#entryByObject.get(object);
    const original = entry?.descriptors[indexOfKey(entry.keys, key)];
    return original === UNREAD ? undefined : original;
  }

  /** Makes the current values of these properties their initial ones. */
  accept({ object, properties }: ObjectChange): void {
    const { keys, descriptors } = this.#entryByObject.get(object) as BaselineEntry;
    for (let i = 0; i < properties.length; i++) {
      const property = properties[i] as [PropertyKey, PropertyDescriptor | undefined];
      const current = property[1];
      if (current === undefined) continue;
      const index = indexOfKey(keys, property[0]);
      append(keys as PropertyKey[], property[0], index);
      append(descriptors as PropertyDescriptor[], current, index);
    }
  }

  /** Restores initial properties, and removes added ones that affect builtins. Returns a function that undoes this. */
  restoreOriginals(changes: readonly ObjectChange[]): () => void {
    // The undo functions form a chain and no array, because the program's changes to arrays are still in effect.
    let undo = (): void => {};
    for (let i = 0; i < changes.length; i++) {
      const { object, properties: changedProperties } = changes[i] as ObjectChange;
      for (let p = 0; p < changedProperties.length; p++) {
        const key = (changedProperties[p] as [PropertyKey, PropertyDescriptor | undefined])[0];
        // The property may have changed since the search.
        const current = descriptorOf(object, key);
        if (current?.configurable === false) continue;
        const original = this.originalDescriptor(object, key);
        if (
          original === undefined
            ? !canDisturbBuiltins(key) || !deleteProperty(object, key)
            : !defineSafely(object, key, original)
        )
          continue;
        const previousUndo = undo;
        undo = () => {
          if (current === undefined) deleteProperty(object, key);
          else defineSafely(object, key, current);
          previousUndo();
        };
      }
    }
    return undo;
  }

  /** Finds all changes, in the order in which the objects were added. */
  findChanges(filter?: ChangeFilter): ObjectChange[] {
    const foundChanges: FoundChange[] = [];
    const check = (entry: BaselineEntry): void => this.#check(entry, filter, foundChanges);
    for (let i = 0; i < this.#comparedEntries.length; i++) check(this.#comparedEntries[i] as BaselineEntry);
    for (let i = 0; i < this.#groups.length; i++) this.#checkGroup(this.#groups[i] as SameShapeGroup, check);
    return changesOf(foundChanges);
  }

  /** Returns the changes of objects that were found changed before. A confirmation that starts now finds all others. */
  recheckChanged(filter?: ChangeFilter): ObjectChange[] {
    const foundChanges: FoundChange[] = [];
    const { length } = this.#changedEntries;
    for (let i = 0; i < length; i++) this.#check(this.#changedEntries[i] as BaselineEntry, filter, foundChanges);
    return changesOf(foundChanges);
  }

  /** Starts a check that no further object has changed. */
  confirmation(filter?: ChangeFilter): Confirmation {
    const startCount = this.#changeCount;
    const foundChanges: FoundChange[] = [];
    const check = (entry: BaselineEntry): void => {
      if (entry.changeNumber === 0 || entry.changeNumber > startCount) this.#check(entry, filter, foundChanges);
    };
    let next = 0;
    let group = 0;
    return (budget) => {
      const end = next + budget;
      for (; next < end && next < this.#comparedEntries.length; next++)
        check(this.#comparedEntries[next] as BaselineEntry);
      if (next === this.#comparedEntries.length && group < this.#groups.length)
        this.#checkGroup(this.#groups[group++] as SameShapeGroup, check);
      if (foundChanges.length > 0) return { changed: (foundChanges[0] as FoundChange)[1] };
      return next < this.#comparedEntries.length || group < this.#groups.length ? 'more' : 'same';
    };
  }

  /** Checks an object that may have changed before it was added, so that `recheckChanged` includes its changes. */
  check(object: object, filter?: ChangeFilter): void {
    const entry = this.#entryByObject.get(object);
    if (entry !== undefined) this.#check(entry, filter, []);
  }

  #check(entry: BaselineEntry, filter: ChangeFilter | undefined, foundChanges: FoundChange[]): void {
    const difference = findChange(entry, filter, this.#unreadProperties);
    if (difference === undefined) return;
    insertSorted(foundChanges, entry.index, difference);
    if (entry.changeNumber > 0) return;
    entry.changeNumber = ++this.#changeCount;
    append(this.#changedEntries, entry);
  }

  /** Calls `check` for the functions of a group whose shape or `prototype` has changed. */
  #checkGroup(
    { reference, functions, entries, prototypes }: SameShapeGroup,
    check: (entry: BaselineEntry) => void,
  ): void {
    for (let start = 0; this.#firstUnlike !== undefined && start < functions.length;) {
      const index = this.#firstUnlike(functions, reference, start);
      const originalPrototypes = prototypes ?? [];
      for (let p = start; p < originalPrototypes.length && p < index; p++)
        if ((functions[p] as { prototype?: unknown }).prototype !== originalPrototypes[p])
          check(entries[p] as BaselineEntry);
      if (index < functions.length) check(entries[index] as BaselineEntry);
      start = index + 1;
    }
  }
}

type FoundChange = [place: number, difference: ObjectChange];

function changesOf(foundChanges: readonly FoundChange[]): ObjectChange[] {
  const changes: ObjectChange[] = [];
  for (let i = 0; i < foundChanges.length; i++) append(changes, (foundChanges[i] as FoundChange)[1]);
  return changes;
}

/** Returns the index of a key, or the number of keys if the key is missing. */
function indexOfKey(keys: readonly PropertyKey[], key: PropertyKey): number {
  let index = 0;
  while (index < keys.length && keys[index] !== key) index++;
  return index;
}

const toText = String;
const toNumber = Number;

/** Defines a property regardless of the program's changes to `Object` and `Array`. */
function defineSafely(object: object, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
  setPrototypeOf(descriptor, null);
  return defineProperty(object, key, descriptor);
}

function append<T>(list: T[], value: T, index = list.length): void {
  defineProperty(list, index, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  } as PropertyDescriptor);
}

/** Keys that would take effect in descriptor literals if `Object.prototype` had them. */
const DESCRIPTOR_FIELDS = new SafeSet<PropertyKey>();
for (const field of ['value', 'get', 'set', 'writable', 'enumerable', 'configurable']) DESCRIPTOR_FIELDS.add(field);

/** Returns whether a property added to a builtin may change the behaviour of ordinary code. */
function canDisturbBuiltins(key: PropertyKey): boolean {
  return DESCRIPTOR_FIELDS.has(key) || (typeof key === 'string' && toText(toNumber(key) >>> 0) === key);
}

function insertSorted(foundChanges: FoundChange[], index: number, change: ObjectChange): void {
  let slot = foundChanges.length;
  append(foundChanges, [index, change]);
  for (; slot > 0 && (foundChanges[slot - 1] as FoundChange)[0] > index; slot--)
    foundChanges[slot] = foundChanges[slot - 1] as FoundChange;
  foundChanges[slot] = [index, change];
}

function readOwnProperties(object: object, unreadProperties: UnreadProperties | undefined): OwnProperties {
  const keys = ownKeys(object);
  const descriptors: PropertyDescriptor[] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as PropertyKey;
    descriptors[i] =
      unreadProperties?.is(object, key) === true ? UNREAD : (descriptorOf(object, key) as PropertyDescriptor);
  }
  return { keys, descriptors };
}

/** Returns the current state of a property that existed initially. */
function rereadProperty(
  object: object,
  key: PropertyKey,
  original: PropertyDescriptor,
  unreadProperties: UnreadProperties | undefined,
): PropertyDescriptor | undefined {
  if (original !== UNREAD || unreadProperties === undefined) return descriptorOf(object, key);
  if (unreadProperties.is(object, key)) return UNREAD;
  const current = descriptorOf(object, key);
  return current !== undefined && unreadProperties.isHostValue(key, current) ? UNREAD : current;
}

function createEntry(object: object, { keys, descriptors }: OwnProperties, index: number): BaselineEntry {
  return {
    object,
    keys,
    descriptors,
    prototype: prototypeOf(object),
    isExtensible: isExtensible(object),
    index,
    changeNumber: 0,
  };
}

function findChange(
  entry: BaselineEntry,
  filter: ChangeFilter | undefined,
  unreadProperties: UnreadProperties | undefined,
): ObjectChange | undefined {
  const { object, keys, descriptors } = entry;
  const current = ownKeys(object);
  const prototype = prototypeOf(object);
  const isSealed = entry.isExtensible && !isExtensible(object);
  let isUnchanged = current.length === keys.length && prototype === entry.prototype && !isSealed;
  for (let i = 0; isUnchanged && i < keys.length; i++) {
    const original = descriptors[i] as PropertyDescriptor;
    isUnchanged =
      current[i] === keys[i] &&
      isSameDescriptor(rereadProperty(object, keys[i] as PropertyKey, original, unreadProperties), original);
  }
  if (isUnchanged) return undefined;
  const properties: [PropertyKey, PropertyDescriptor | undefined][] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as PropertyKey;
    const original = descriptors[i] as PropertyDescriptor;
    const descriptor = rereadProperty(object, key, original, unreadProperties);
    if (!isSameDescriptor(descriptor, original) && filter?.(object, key, original, descriptor) !== false)
      append(properties, [key, descriptor]);
  }
  const oldKeys = new SafeSet<PropertyKey>();
  for (let i = 0; i < keys.length; i++) oldKeys.add(keys[i] as PropertyKey);
  for (let i = 0; i < current.length; i++) {
    const key = current[i] as PropertyKey;
    if (oldKeys.has(key)) continue;
    const descriptor = descriptorOf(object, key);
    if (filter?.(object, key, undefined, descriptor) !== false) append(properties, [key, descriptor]);
  }
  const change = { object, properties, isSealed };
  if (prototype !== entry.prototype) return { ...change, prototype: { value: prototype } };
  return properties.length === 0 && !isSealed ? undefined : change;
}

function isSameDescriptor(a: PropertyDescriptor | undefined, b: PropertyDescriptor): boolean {
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

/** The part of `HeapPorts` that omits functions of known objects. */
interface OmissionPort {
  isOmitted?(fn: () => unknown): boolean;
}

/** Returns whether a property of a known object holds a function that is omitted. */
export function isOmittedProperty({ isOmitted: leaves }: OmissionPort, descriptor: PropertyDescriptor): boolean {
  if (leaves === undefined) return false;
  const { value, get, set } = descriptor;
  const fn: unknown = value ?? get ?? set;
  return typeof fn === 'function' && leaves(fn as () => unknown);
}

/** Returns the changes without omitted properties, as a state contains them. */
export function withoutOmitted(changes: readonly ObjectChange[], ports: OmissionPort): readonly ObjectChange[] {
  if (ports.isOmitted === undefined) return changes;
  const kept: ObjectChange[] = [];
  for (let i = 0; i < changes.length; i++) {
    const change = changes[i] as ObjectChange;
    const properties: [PropertyKey, PropertyDescriptor | undefined][] = [];
    for (let p = 0; p < change.properties.length; p++) {
      const [key, descriptor] = change.properties[p] as [PropertyKey, PropertyDescriptor | undefined];
      if (descriptor === undefined || !isOmittedProperty(ports, descriptor))
        properties[properties.length] = [key, descriptor];
    }
    if (properties.length > 0 || change.prototype !== undefined || change.isSealed)
      kept[kept.length] = { ...change, properties };
  }
  return kept;
}
