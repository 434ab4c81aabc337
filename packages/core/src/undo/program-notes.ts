// What an undo log notes of the program's objects before they change: properties one by one with what was there, objects of which much has been noted as a
// whole; elements of arrays, bytes by pages, entries of collections. Called by barriers in code and by the methods that change something (mutators.ts).
// What an object was like is noted once, so each place of it goes back to what it was at the beginning whatever is noted of it later.
// It runs for each write while a log is kept; guarded by no bench yet.

import { getOwnPropertyDescriptor, getPrototypeOf, hasOwn, isArray, isObject, ownKeys, apply } from '../intrinsics.ts';
import { SafeMap, SafeSet } from '../safe-collections.ts';
import { Cell } from '../cell.ts';
import { MappedParameter } from '../mapped-parameter.ts';
import * as was from './own-state.ts';
import type { PrivateAccessors } from '../language.ts';
import type { ModuleRecord } from '../modules/record.ts';
import type { Realm } from '../realm.ts';
import type { Barriers } from '../statement-clock.ts';

// What is known of an object in a stretch: how many of its properties have been noted, or one of these.
const WHOLE = -1;
/** All elements of an array, but no other properties. */
const ELEMENTS = -2;
const PROXY = -3;
const VIEW = -4;

/** So many properties of an object are noted one by one before it is asked whether to note all of them is cheaper. */
const FEW = 8;
/** Elements are copied so many times faster than one is noted. */
const ELEMENTS_EACH = 64;
const { PAGE } = was;
/** A variable that native code imports: it is told of each value. */
const FOLLOWED = {
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
const tagOf = getterOf(typedArrayPrototype, Symbol.toStringTag as never);

const MAPPED: was.Access<MappedParameter, Pick<MappedParameter, 'elements' | 'own'>> = {
  read: ({ elements, own }) => ({ elements, own }),
  write(target, { elements, own }) {
    target.elements = elements;
    target.own = own;
  },
};

export class ProgramNotes implements Barriers {
  protected readonly realm: Realm;
  /** Four words for each: kind, object, and two that say what it was like. */
  readonly noted: unknown[] = [];
  /** Bytes of what was copied, roughly. */
  protected copied = 0;
  obstacle: string | undefined;
  protected readonly known = new SafeMap<object, number>();
  /** Objects of core's, and collections, whose state is noted. */
  protected readonly seen = new SafeSet<object>();
  /** Names of private members that are noted, or begin with what is. */
  protected readonly withPrivates = new SafeMap<object, SafeSet<string>>();
  protected readonly pages = new SafeMap<object, SafeSet<number>>();
  /** Objects whose keys are still being evaluated. */
  protected readonly objects: unknown[] = [];

  constructor(realm: Realm) {
    this.realm = realm;
  }

  /** Bytes that it keeps, roughly. */
  get weight(): number {
    return this.noted.length * 8 + this.copied + this.known.size * 40;
  }

  protected add(kind: number, target: object, first: unknown, second: unknown): void {
    const { noted } = this;
    const at = noted.length;
    noted[at] = kind;
    noted[at + 1] = target;
    noted[at + 2] = first;
    noted[at + 3] = second;
  }

  protected other<O extends object, S>(target: O, access: was.Access<O, S>): void {
    this.add(was.OTHER, target, access, access.read(target));
  }

  /** Whether it is the first time. */
  protected isNew(object: object): boolean {
    const { seen } = this;
    if (seen.has(object)) return false;
    seen.add(object);
    return true;
  }

  /** The object whose property is about to be written; its key comes next. */
  object(object: unknown): void {
    this.objects[this.objects.length] = object;
  }

  key(key: unknown): void {
    const objects = this.objects;
    const object = objects[objects.length - 1];
    objects.length--;
    this.property(object, key);
  }

  property(object: unknown, key: unknown): void {
    if (!isObject(object)) return;
    const { known } = this;
    const before = known.get(object);
    const count = before ?? this.#kindOf(object);
    if (count >= 0) {
      known.set(object, count + 1);
      if (isObject(key)) return this.whole(object);
      if (count >= FEW && (count & (count - 1)) === 0 && this.#isCheaperWhole(object, count)) return;
      if (isArray(object)) this.#elementOrProperty(object, key as PropertyKey);
      else this.#property(object, key as PropertyKey);
      return;
    }
    if (count === WHOLE) return;
    if (before === undefined) known.set(object, count);
    if (count === ELEMENTS) {
      if (isObject(key)) return this.whole(object);
      if (key !== 'length' && !isIndex(key)) this.#property(object, key as PropertyKey);
    } else if (count === VIEW) {
      if (isObject(key)) this.bytes(object);
      else if (isIndex(key)) this.#element(object as Uint8Array, Number(key));
      else this.#property(object, key as PropertyKey);
    } else {
      const parts = this.realm.parts.host.engine?.proxyParts(object);
      if (parts !== undefined) this.property(parts.target, key);
    }
  }

  /** The last of the names is that of the property, null for all of them; the others lead to the object. */
  below(object: unknown, path: readonly unknown[]): void {
    if (path.length === 0) return this.cannot('something below an optional chain was deleted');
    let at = object;
    for (let i = 0; i < path.length - 1; i++) {
      const value = this.#valueAt(at, path[i] as string);
      if (value === was.ABSENT)
        return this.cannot('something was assigned or deleted below what a getter or a proxy answers');
      at = value;
    }
    const last = path[path.length - 1];
    if (last === null) this.whole(at);
    else this.property(at, last);
  }

  /** What an object has or inherits, without calling anybody. */
  #valueAt(object: unknown, name: string): unknown {
    for (let at: unknown = object; isObject(at); at = getPrototypeOf(at)) {
      if (this.isProxy(at)) return was.ABSENT;
      const descriptor = getOwnPropertyDescriptor(at, name);
      if (descriptor !== undefined) return hasOwn(descriptor, 'value') ? descriptor.value : was.ABSENT;
    }
    return undefined;
  }

  /** All properties: where some may go, or change their places. */
  whole(object: unknown): void {
    if (!isObject(object)) return;
    const { known } = this;
    const count = known.get(object) ?? this.#meet(object);
    if (count === WHOLE) return;
    if (count === PROXY) {
      const parts = this.realm.parts.host.engine?.proxyParts(object);
      if (parts !== undefined) this.whole(parts.target);
      return;
    }
    if (count !== VIEW) known.set(object, WHOLE);
    if (isArray(object)) this.#elements(object);
    if (count === VIEW || !isExtensible(object)) {
      // Of a view, elements are bytes; what cannot be extended loses properties at most, and not by an order of theirs that matters.
      if (isExtensible(object)) this.cannot('properties of a typed array or of a Buffer are made or deleted');
      else if (count !== VIEW) this.#each(object);
      return;
    }
    const properties = was.propertiesOf(object);
    this.copied += properties.length * 40;
    this.add(was.OBJECT, object, properties, getPrototypeOf(object));
  }

  #each(object: object): void {
    const keys = ownKeys(object);
    for (let i = 0; i < keys.length; i++) this.#property(object, keys[i] as PropertyKey);
  }

  /** All elements of an array, its length included. */
  elements(object: unknown): void {
    if (!isObject(object)) return;
    const { known } = this;
    const count = known.get(object) ?? this.#meet(object);
    if (count === WHOLE || count === ELEMENTS) return;
    if (count === VIEW) return this.bytes(object);
    if (!isArray(object) || count === PROXY) return this.whole(object);
    known.set(object, ELEMENTS);
    this.#elements(object);
  }

  /** Elements that are about to be added or to go at the end. */
  end(object: unknown, isRemoved: boolean): void {
    if (!isObject(object)) return;
    const { known } = this;
    const count = known.get(object) ?? this.#meet(object);
    if (count === WHOLE || count === ELEMENTS) return;
    if (count < 0 || !isArray(object)) return this.elements(object);
    const { length } = object;
    known.set(object, count + 1);
    if (length <= ELEMENTS_EACH * (count + 1)) return this.elements(object);
    this.add(was.LENGTH, object, length, undefined);
    if (isRemoved) this.#property(object, length - 1);
  }

  /** A private member that is a value; of several classes by the same name, each. */
  privates(object: unknown, name: string): void {
    if (!isObject(object)) return;
    const { withPrivates } = this;
    let names = withPrivates.get(object);
    if (names === undefined) withPrivates.set(object, (names = new SafeSet()));
    if (names.has(name)) return;
    names.add(name);
    const { classOf, ownerOf } = this.realm.parts.classes;
    this.#private(object, name, classOf(object)?.privates);
    if (this.isProxy(object)) return;
    for (let at = getPrototypeOf(object); at !== null && !this.isProxy(at); at = getPrototypeOf(at)) {
      const owner = ownerOf(at);
      if (owner !== undefined) this.#private(object, name, classOf(owner)?.privates);
    }
  }

  #private(object: object, name: string, members: Readonly<Record<string, PrivateAccessors>> | null | undefined): void {
    if (members === undefined || members === null || !hasOwn(members, name)) return;
    const { get: read, set: write, has, field } = members[name] as PrivateAccessors;
    if (field === true && has(object)) this.other(object, { read, write, name: `#${name}` });
  }

  /** The variables of a file's top scope that can be assigned; a variable that no file declares. */
  variables(of: object | null, name?: string): void {
    const record = of as ModuleRecord | null;
    if (record === null) return this.property(globalThis, name);
    if (!this.isNew(record)) return;
    const { assignScope: assign, assignable, readScope } = record;
    if (assign === undefined || readScope === undefined) return;
    for (let i = 0; i < assignable.length; i++) {
      const index = assignable[i] as number;
      try {
        this.other(record, { read: () => readScope(index), write: (_, value) => assign(index, value) });
      } catch {
        // It gets its first value by an evaluation.
      }
    }
  }

  #meet(object: object): number {
    const kind = this.#kindOf(object);
    this.known.set(object, kind);
    return kind;
  }

  #kindOf(object: object): number {
    if (this.isProxy(object)) return PROXY;
    if (isView(object)) return apply(tagOf, object, []) === undefined ? 0 : VIEW;
    // Not instanceof: that would ask proxies among its prototypes.
    if (getPrototypeOf(object) === MappedParameter.prototype) {
      this.elements((object as MappedParameter).elements);
      this.other(object, MAPPED);
    }
    return 0;
  }

  #isCheaperWhole(object: object, count: number): boolean {
    if (isArray(object)) {
      if (object.length > ELEMENTS_EACH * count) return false;
      this.elements(object);
      return true;
    }
    if (!isExtensible(object) || ownKeys(object).length > 4 * count) return false;
    this.whole(object);
    return true;
  }

  #elementOrProperty(list: unknown[], key: PropertyKey): void {
    if (key === 'length') return this.elements(list);
    if (isIndex(key) && Number(key) >= list.length) this.add(was.ELEMENT, list, key, list.length);
    else this.#property(list, key);
  }

  #property(object: object, key: PropertyKey): void {
    const descriptor = getOwnPropertyDescriptor(object, key);
    if (descriptor === undefined) {
      if (isExtensible(object)) this.add(was.PROPERTY, object, key, was.ABSENT);
    } else if (descriptor.writable === true) this.add(was.PROPERTY, object, key, descriptor.value);
    else if (descriptor.set !== undefined && object instanceof Cell && this.isNew(object)) this.other(object, FOLLOWED);
  }

  #elements(list: unknown[]): void {
    this.copied += list.length * 8;
    this.add(was.ELEMENTS, list, was.elementsOf(list), undefined);
  }

  #element(view: Uint8Array, index: number): void {
    const size = view.BYTES_PER_ELEMENT;
    const offset = view.byteOffset + index * size;
    if (index < view.length) this.#page(view.buffer, (offset / PAGE) | 0);
  }

  /** All bytes that a view shows. */
  bytes(view: unknown): void {
    if (!isView(view)) return;
    const { buffer, byteOffset, byteLength } = view;
    for (let page = (byteOffset / PAGE) | 0; page * PAGE < byteOffset + byteLength; page++) this.#page(buffer, page);
  }

  #page(buffer: ArrayBufferLike, page: number): void {
    let pages = this.pages.get(buffer);
    if (pages === undefined) this.pages.set(buffer, (pages = new SafeSet()));
    if (pages.has(page)) return;
    pages.add(page);
    if (!(buffer instanceof ArrayBuffer)) return this.cannot('memory that threads share is written');
    const from = page * PAGE;
    const to = Math.min(from + PAGE, buffer.byteLength);
    this.copied += to - from;
    this.add(was.BYTES, buffer, from, new Uint8Array(buffer.slice(from, to)));
  }

  entry(map: Map<unknown, unknown>, key: unknown): void {
    if (this.seen.has(map)) return;
    if (this.#isSmall(map, map.size)) return this.entries(map);
    const isThere = was.mapHas(map, key);
    this.add(was.MAP_VALUE, map, key, isThere ? was.mapGet(map, key) : was.ABSENT);
  }

  entries(map: Map<unknown, unknown>): void {
    if (!this.isNew(map)) return;
    const entries = was.entriesOf(map);
    this.copied += entries.length * 8;
    this.add(was.MAP_ENTRIES, map, entries, undefined);
  }

  member(set: Set<unknown>, member: unknown): void {
    if (this.seen.has(set)) return;
    if (this.#isSmall(set, set.size)) return this.members(set);
    if (!was.setHas(set, member)) this.add(was.SET_MEMBER, set, member, was.ABSENT);
  }

  members(set: Set<unknown>): void {
    if (!this.isNew(set)) return;
    const members = was.membersOf(set);
    this.copied += members.length * 8;
    this.add(was.SET_MEMBERS, set, members, undefined);
  }

  /** Collections are copied once as much of them has been noted one by one. */
  #isSmall(collection: object, size: number): boolean {
    const { known } = this;
    const count = known.get(collection) ?? this.#meet(collection);
    if (count >= 0) known.set(collection, count + 1);
    return size <= 16 * (count + 1);
  }

  weakEntry(map: WeakMap<WeakKey, unknown>, key: WeakKey): void {
    this.add(was.WEAK_VALUE, map, key, map.has(key) ? map.get(key) : was.ABSENT);
  }

  weakMember(set: WeakSet<WeakKey>, key: WeakKey): void {
    this.add(was.WEAK_MEMBER, set, key, set.has(key) ? key : was.ABSENT);
  }

  date(date: Date): void {
    if (this.isNew(date)) this.add(was.DATE, date, was.timeOf(date), undefined);
  }

  /** Whether it may have written this part of an object, which is its key, or its name with `#`: of what is noted as a whole nobody knows. */
  mentions(object: object, key: unknown): boolean {
    const { noted } = this;
    for (let i = 0; i < noted.length; i += 4) {
      if (noted[i + 1] !== object) continue;
      const name = noted[i] === was.PROPERTY ? noted[i + 2] : was.nameOf(noted[i] as number, noted[i + 2]);
      if (name === undefined || String(name) === String(key)) return true;
    }
    return false;
  }

  isProxy(object: object): boolean {
    return this.realm.parts.host.isProxy?.(object) === true;
  }

  cannot(what: string): void {
    this.obstacle ??= what;
  }
}

export function isIndex(key: unknown): boolean {
  if (typeof key === 'number') return key >>> 0 === key;
  return typeof key === 'string' && String((key as unknown as number) >>> 0) === key;
}
