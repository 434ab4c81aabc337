// The part of a task's undo log that notes the program's objects before they change. A part is noted once: the first
// old value is the one at the start of the task, so later notes are redundant. Properties are noted one by one until
// copying the whole object is cheaper. Arrays are noted by element, buffers by page, collections by entry.
//
// Barriers in debug code and the mutating methods of the language (mutators.ts) call this class for each write while a
// log takes notes. No code of the program may run here: neither getters nor proxy handlers. No benchmark guards it.

import { getOwnPropertyDescriptor, getPrototypeOf, hasOwn, isArray, isObject, ownKeys, apply } from '../intrinsics.ts';
import { SafeMap, SafeSet } from '../safe-collections.ts';
import { Cell } from '../cell.ts';
import { MappedParameter } from '../mapped-parameter.ts';
import * as undoEntries from './undo-entries.ts';
import type { PrivateAccessors, PrivateAccessorTable } from '../language.ts';
import type { ModuleRecord } from '../modules/record.ts';
import type { Realm } from '../realm.ts';
import type { BarrierListener } from '../statement-clock.ts';

// Values of `noteCounts`: the number of properties of an object noted so far, or one of these.
const ALL_PROPERTIES = -1;
/** All elements of an array have been noted, but not its other properties. */
const ALL_ELEMENTS = -2;
const PROXY = -3;
const BYTE_VIEW = -4;

/** Number of properties noted one by one before a copy of the whole object is considered. */
const MIN_NOTES_BEFORE_COPY = 8;
/** Number of elements that can be copied in the time that one note takes. */
const ELEMENTS_PER_NOTE = 64;
const { PAGE_BYTES } = undoEntries;
/** Access to a variable imported from native code. Its cell has a setter, which forwards each value. */
const CELL_ACCESS = {
  name: 'v',
  read: (cell: Cell): unknown => cell.v,
  write(cell: Cell, value: unknown): void {
    cell.v = value;
  },
};

const { isExtensible } = Reflect;
const isView = ArrayBuffer.isView;
const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as object;
const getterOf = (holder: object, key: string): (() => unknown) =>
  getOwnPropertyDescriptor(holder, key)?.get as () => unknown;
const getTypedArrayTag = getterOf(typedArrayPrototype, Symbol.toStringTag as never);

const MAPPED_PARAMETER_ACCESS: undoEntries.StateAccess<MappedParameter, Pick<MappedParameter, 'elements' | 'own'>> = {
  read: ({ elements, own }) => ({ elements, own }),
  write(target, { elements, own }) {
    target.elements = elements;
    target.own = own;
  },
};

export class ProgramUndoLog implements BarrierListener {
  protected readonly realm: Realm;
  /** Flat list of entries with four slots each: kind, object, and two values whose meaning depends on the kind. */
  readonly entries: unknown[] = [];
  /** Approximate number of bytes in copies of elements, properties and pages. */
  protected copiedBytes = 0;
  obstacle: string | undefined;
  protected readonly noteCounts = new SafeMap<object, number>();
  /** Core objects and collections whose whole state has been noted. */
  protected readonly notedObjects = new SafeSet<object>();
  /** Names of the private members noted so far, by object. */
  protected readonly notedPrivates = new SafeMap<object, SafeSet<string>>();
  protected readonly notedPages = new SafeMap<object, SafeSet<number>>();
  /** Objects whose property keys are still being evaluated, innermost last. */
  protected readonly pendingObjects: unknown[] = [];

  constructor(realm: Realm) {
    this.realm = realm;
  }

  /** Approximate size of the log, in bytes. */
  get sizeBytes(): number {
    return this.entries.length * 8 + this.copiedBytes + this.noteCounts.size * 40;
  }

  protected addEntry(kind: number, target: object, detail: unknown, value: unknown): void {
    const { entries } = this;
    const index = entries.length;
    entries[index] = kind;
    entries[index + 1] = target;
    entries[index + 2] = detail;
    entries[index + 3] = value;
  }

  protected addCustom<O extends object, S>(target: O, access: undoEntries.StateAccess<O, S>): void {
    this.addEntry(undoEntries.CUSTOM, target, access, access.read(target));
  }

  /** Whether an object has not been noted before. The call marks the object as noted. */
  protected isFirstNote(object: object): boolean {
    const { notedObjects } = this;
    if (notedObjects.has(object)) return false;
    notedObjects.add(object);
    return true;
  }

  /** Announces a write to a property of an object. `noteKey` follows when the key has been evaluated. */
  noteObject(object: unknown): void {
    this.pendingObjects[this.pendingObjects.length] = object;
  }

  noteKey(key: unknown): void {
    const objects = this.pendingObjects;
    const object = objects[objects.length - 1];
    objects.length--;
    this.noteProperty(object, key);
  }

  noteProperty(object: unknown, key: unknown): void {
    if (!isObject(object)) return;
    const { noteCounts } = this;
    const knownCount = noteCounts.get(object);
    const count = knownCount ?? this.#kindOf(object);
    if (count >= 0) {
      noteCounts.set(object, count + 1);
      if (isObject(key)) return this.noteAllProperties(object);
      if (count >= MIN_NOTES_BEFORE_COPY && (count & (count - 1)) === 0 && this.#copiedWhole(object, count)) return;
      if (isArray(object)) this.#addElementOrProperty(object, key as PropertyKey);
      else this.#addProperty(object, key as PropertyKey);
      return;
    }
    if (count === ALL_PROPERTIES) return;
    if (knownCount === undefined) noteCounts.set(object, count);
    if (count === ALL_ELEMENTS) {
      if (isObject(key)) return this.noteAllProperties(object);
      if (key !== 'length' && !isIndex(key)) this.#addProperty(object, key as PropertyKey);
    } else if (count === BYTE_VIEW) {
      if (isObject(key)) this.noteBytes(object);
      else if (isIndex(key)) this.#addViewElement(object as Uint8Array, Number(key));
      else this.#addProperty(object, key as PropertyKey);
    } else {
      const parts = this.realm.parts.host.engine?.proxyParts(object);
      if (parts !== undefined) this.noteProperty(parts.target, key);
    }
  }

  /** Notes the property at the end of a path of names. If the last name is null, it notes all properties. */
  notePath(object: unknown, path: readonly unknown[]): void {
    if (path.length === 0) return this.noteObstacle('a property was deleted through an optional chain');
    let current = object;
    for (let i = 0; i < path.length - 1; i++) {
      const value = this.#valueAt(current, path[i] as string);
      if (value === undoEntries.ABSENT)
        return this.noteObstacle('a property of a value from a getter or a proxy was assigned or deleted');
      current = value;
    }
    const last = path[path.length - 1];
    if (last === null) this.noteAllProperties(current);
    else this.noteProperty(current, last);
  }

  /** Value of a property, own or inherited; `ABSENT` where reading it would run code. */
  #valueAt(object: unknown, name: string): unknown {
    for (let holder: unknown = object; isObject(holder); holder = getPrototypeOf(holder)) {
      if (this.isProxy(holder)) return undoEntries.ABSENT;
      const descriptor = getOwnPropertyDescriptor(holder, name);
      if (descriptor !== undefined) return hasOwn(descriptor, 'value') ? descriptor.value : undoEntries.ABSENT;
    }
    return undefined;
  }

  /** Notes all properties and their order. Needed before properties are deleted, reordered or redefined. */
  noteAllProperties(object: unknown): void {
    if (!isObject(object)) return;
    const { noteCounts } = this;
    const count = noteCounts.get(object) ?? this.#startCounting(object);
    if (count === ALL_PROPERTIES) return;
    if (count === PROXY) {
      const parts = this.realm.parts.host.engine?.proxyParts(object);
      if (parts !== undefined) this.noteAllProperties(parts.target);
      return;
    }
    if (count !== BYTE_VIEW) noteCounts.set(object, ALL_PROPERTIES);
    if (isArray(object)) this.#addElements(object);
    if (count === BYTE_VIEW || !isExtensible(object)) {
      // The elements of a view are bytes, noted by page. A non-extensible object can only lose properties.
      if (isExtensible(object)) this.noteObstacle('properties of a typed array or Buffer are added or deleted');
      else if (count !== BYTE_VIEW) this.#addEachProperty(object);
      return;
    }
    const properties = undoEntries.copyProperties(object);
    this.copiedBytes += properties.length * 40;
    this.addEntry(undoEntries.OBJECT, object, properties, getPrototypeOf(object));
  }

  #addEachProperty(object: object): void {
    const keys = ownKeys(object);
    for (let i = 0; i < keys.length; i++) this.#addProperty(object, keys[i] as PropertyKey);
  }

  /** Notes all elements of an array, and its length. */
  noteElements(object: unknown): void {
    if (!isObject(object)) return;
    const { noteCounts } = this;
    const count = noteCounts.get(object) ?? this.#startCounting(object);
    if (count === ALL_PROPERTIES || count === ALL_ELEMENTS) return;
    if (count === BYTE_VIEW) return this.noteBytes(object);
    if (!isArray(object) || count === PROXY) return this.noteAllProperties(object);
    noteCounts.set(object, ALL_ELEMENTS);
    this.#addElements(object);
  }

  /** Notes the end of an array, where elements are about to be added or removed. */
  noteArrayEnd(object: unknown, isRemoved: boolean): void {
    if (!isObject(object)) return;
    const { noteCounts } = this;
    const count = noteCounts.get(object) ?? this.#startCounting(object);
    if (count === ALL_PROPERTIES || count === ALL_ELEMENTS) return;
    if (count < 0 || !isArray(object)) return this.noteElements(object);
    const { length } = object;
    noteCounts.set(object, count + 1);
    if (length <= ELEMENTS_PER_NOTE * (count + 1)) return this.noteElements(object);
    this.addEntry(undoEntries.LENGTH, object, length, undefined);
    if (isRemoved) this.#addProperty(object, length - 1);
  }

  /** Notes a private field of every class on the prototype chain that has a field of this name. */
  notePrivate(object: unknown, name: string): void {
    if (!isObject(object)) return;
    const { notedPrivates } = this;
    let names = notedPrivates.get(object);
    if (names === undefined) notedPrivates.set(object, (names = new SafeSet()));
    if (names.has(name)) return;
    names.add(name);
    const { classOf, ownerOf } = this.realm.parts.classes;
    this.#addPrivate(object, name, classOf(object)?.privates);
    if (this.isProxy(object)) return;
    for (
      let prototype = getPrototypeOf(object);
      prototype !== null && !this.isProxy(prototype);
      prototype = getPrototypeOf(prototype)
    ) {
      const owner = ownerOf(prototype);
      if (owner !== undefined) this.#addPrivate(object, name, classOf(owner)?.privates);
    }
  }

  #addPrivate(object: object, name: string, members: PrivateAccessorTable | null | undefined): void {
    if (members === undefined || members === null || !hasOwn(members, name)) return;
    const { get: read, set: write, has, field } = members[name] as PrivateAccessors;
    if (field === true && has(object)) this.addCustom(object, { read, write, name: `#${name}` });
  }

  /** Notes the assignable variables of a file's top scope; without a record, the undeclared variable `name`. */
  noteVariables(moduleRecord: object | null, name?: string): void {
    const record = moduleRecord as ModuleRecord | null;
    if (record === null) return this.noteProperty(globalThis, name);
    if (!this.isFirstNote(record)) return;
    const { assignScope: assign, assignableIndexes: assignable, readScope } = record;
    if (assign === undefined || readScope === undefined) return;
    for (let i = 0; i < assignable.length; i++) {
      const index = assignable[i] as number;
      try {
        this.addCustom(record, { read: () => readScope(index), write: (_, value) => assign(index, value) });
      } catch {
        // The variable is in its dead zone. Only the evaluation of the module initialises it.
      }
    }
  }

  #startCounting(object: object): number {
    const kind = this.#kindOf(object);
    this.noteCounts.set(object, kind);
    return kind;
  }

  #kindOf(object: object): number {
    if (this.isProxy(object)) return PROXY;
    if (isView(object)) return apply(getTypedArrayTag, object, []) === undefined ? 0 : BYTE_VIEW;
    // `instanceof` would call a proxy on the prototype chain.
    if (getPrototypeOf(object) === MappedParameter.prototype) {
      this.noteElements((object as MappedParameter).elements);
      this.addCustom(object, MAPPED_PARAMETER_ACCESS);
    }
    return 0;
  }

  #copiedWhole(object: object, count: number): boolean {
    if (isArray(object)) {
      if (object.length > ELEMENTS_PER_NOTE * count) return false;
      this.noteElements(object);
      return true;
    }
    if (!isExtensible(object) || ownKeys(object).length > 4 * count) return false;
    this.noteAllProperties(object);
    return true;
  }

  #addElementOrProperty(list: unknown[], key: PropertyKey): void {
    if (key === 'length') return this.noteElements(list);
    if (isIndex(key) && Number(key) >= list.length) this.addEntry(undoEntries.ELEMENT, list, key, list.length);
    else this.#addProperty(list, key);
  }

  #addProperty(object: object, key: PropertyKey): void {
    const descriptor = getOwnPropertyDescriptor(object, key);
    if (descriptor === undefined) {
      if (isExtensible(object)) this.addEntry(undoEntries.PROPERTY, object, key, undoEntries.ABSENT);
    } else if (descriptor.writable === true) this.addEntry(undoEntries.PROPERTY, object, key, descriptor.value);
    else if (descriptor.set !== undefined && object instanceof Cell && this.isFirstNote(object))
      this.addCustom(object, CELL_ACCESS);
  }

  #addElements(list: unknown[]): void {
    this.copiedBytes += list.length * 8;
    this.addEntry(undoEntries.ELEMENTS, list, undoEntries.copyElements(list), undefined);
  }

  #addViewElement(view: Uint8Array, index: number): void {
    const size = view.BYTES_PER_ELEMENT;
    const offset = view.byteOffset + index * size;
    if (index < view.length) this.#addPage(view.buffer, (offset / PAGE_BYTES) | 0);
  }

  /** Notes all bytes of a view. */
  noteBytes(view: unknown): void {
    if (!isView(view)) return;
    const { buffer, byteOffset, byteLength } = view;
    for (let page = (byteOffset / PAGE_BYTES) | 0; page * PAGE_BYTES < byteOffset + byteLength; page++)
      this.#addPage(buffer, page);
  }

  #addPage(buffer: ArrayBufferLike, page: number): void {
    let pages = this.notedPages.get(buffer);
    if (pages === undefined) this.notedPages.set(buffer, (pages = new SafeSet()));
    if (pages.has(page)) return;
    pages.add(page);
    if (!(buffer instanceof ArrayBuffer)) return this.noteObstacle('memory that threads share is written');
    const from = page * PAGE_BYTES;
    const to = Math.min(from + PAGE_BYTES, buffer.byteLength);
    this.copiedBytes += to - from;
    this.addEntry(undoEntries.BYTES, buffer, from, new Uint8Array(buffer.slice(from, to)));
  }

  noteEntry(map: Map<unknown, unknown>, key: unknown): void {
    if (this.notedObjects.has(map)) return;
    if (this.#isSmall(map, map.size)) return this.noteEntries(map);
    const isThere = undoEntries.mapHas(map, key);
    this.addEntry(undoEntries.MAP_VALUE, map, key, isThere ? undoEntries.mapGet(map, key) : undoEntries.ABSENT);
  }

  noteEntries(map: Map<unknown, unknown>): void {
    if (!this.isFirstNote(map)) return;
    const entries = undoEntries.copyEntries(map);
    this.copiedBytes += entries.length * 8;
    this.addEntry(undoEntries.MAP_ENTRIES, map, entries, undefined);
  }

  noteMember(set: Set<unknown>, member: unknown): void {
    if (this.notedObjects.has(set)) return;
    if (this.#isSmall(set, set.size)) return this.noteMembers(set);
    if (!undoEntries.setHas(set, member)) this.addEntry(undoEntries.SET_MEMBER, set, member, undoEntries.ABSENT);
  }

  noteMembers(set: Set<unknown>): void {
    if (!this.isFirstNote(set)) return;
    const members = undoEntries.copyMembers(set);
    this.copiedBytes += members.length * 8;
    this.addEntry(undoEntries.SET_MEMBERS, set, members, undefined);
  }

  /** Counts a note, and returns whether a copy of the whole collection is cheaper by now than further single notes. */
  #isSmall(collection: object, size: number): boolean {
    const { noteCounts } = this;
    const count = noteCounts.get(collection) ?? this.#startCounting(collection);
    if (count >= 0) noteCounts.set(collection, count + 1);
    return size <= 16 * (count + 1);
  }

  noteWeakEntry(map: WeakMap<WeakKey, unknown>, key: WeakKey): void {
    this.addEntry(undoEntries.WEAK_VALUE, map, key, map.has(key) ? map.get(key) : undoEntries.ABSENT);
  }

  noteWeakMember(set: WeakSet<WeakKey>, key: WeakKey): void {
    this.addEntry(undoEntries.WEAK_MEMBER, set, key, set.has(key) ? key : undoEntries.ABSENT);
  }

  noteDate(date: Date): void {
    if (this.isFirstNote(date)) this.addEntry(undoEntries.DATE, date, undoEntries.timeOf(date), undefined);
  }

  /** Whether the task may have written a part. @param key a property key, or a private name with its `#` */
  mayHaveWritten(object: object, key: unknown): boolean {
    const { entries } = this;
    for (let i = 0; i < entries.length; i += 4) {
      if (entries[i + 1] !== object) continue;
      const name =
        entries[i] === undoEntries.PROPERTY
          ? entries[i + 2]
          : undoEntries.partName(entries[i] as number, entries[i + 2]);
      if (name === undefined || String(name) === String(key)) return true;
    }
    return false;
  }

  isProxy(object: object): boolean {
    return this.realm.parts.host.isProxy?.(object) === true;
  }

  noteObstacle(reason: string): void {
    this.obstacle ??= reason;
  }
}

export function isIndex(key: unknown): boolean {
  if (typeof key === 'number') return key >>> 0 === key;
  return typeof key === 'string' && String((key as unknown as number) >>> 0) === key;
}
