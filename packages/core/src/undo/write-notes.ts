// Which statement has written each part of an object last (docs/time-machine.md, "Who has written this"). Barriers and mutators tell it. It notes where a
// write is, not the old value. Some only report that an object is written (`delete`, `splice`, private members): a later comparison shows which part.
import { getOwnPropertyDescriptor, getPrototypeOf, hasOwn, isArray, isObject, ownKeys } from '../intrinsics.ts';
import { SafeWeakMap } from '../safe-collections.ts';
import { isIndex } from './program-notes.ts';
import {
  isLater,
  notesFor,
  notesOf,
  WHOLE,
  WrittenParts,
  type Held,
  type WritingAt,
  type WrittenAt,
} from './written-parts.ts';
import type { PrivateAccessors } from '../language.ts';
import type { WriteListener } from './mutators.ts';
import type { ModuleRecord } from '../modules/record.ts';
import type { Realm } from '../realm.ts';

export interface LastWrite {
  readonly at: WritingAt;
  /** Much was written at once, this among it or not: of what has so many parts it is not compared. */
  readonly isWhole: boolean;
  /** The object came into being in that stretch, and perhaps it has this from there: who notes what is made sees where. */
  readonly isMade?: boolean;
}

/** Of what has more parts it is not noted what they are. */
const FEW = 64;
/** Statements in whose course objects come into being that are looked at closely in any case. */
const FIRST = 50_000;
const isView = ArrayBuffer.isView;
const NONE: Held = { keys: [], values: [] };

type Sort = 'properties' | 'privates' | 'variables' | 'entries';
type NamedAccessors = readonly [name: string, accessors: PrivateAccessors];

export class WriteNotes implements WriteListener {
  readonly #realm: Realm;
  #stretch = 0;
  #list = 0;
  #statement = 0;
  #file = '';
  #number = -1;
  /** Made once for a statement that writes. */
  #here: WritingAt | undefined;
  /** Objects whose keys are still being evaluated. */
  readonly #objects: unknown[] = [];
  readonly #privatesBelow = new SafeWeakMap<object, PrivatesBelow>();
  readonly #closely: number | 'all' | undefined;
  #makings = 0;
  /** The statement before which the program is, while it is where it has been. */
  #asOf: WrittenAt | undefined;

  /** @param closely in which stretches all writes while objects are made are noted, at many times the cost; in others only for the first objects */
  constructor(realm: Realm, closely: number | 'all' | undefined) {
    this.#realm = realm;
    this.#closely = closely;
  }

  /** From now on it is this statement that writes. @param number in its file; -1 before the first one of a stretch */
  comesTo(stretch: number, list: number, statement: number, file: string, number: number): void {
    this.#stretch = stretch;
    this.#list = list;
    this.#statement = statement;
    this.#file = file;
    this.#number = number;
    this.#here = undefined;
  }

  get #at(): WritingAt {
    return (this.#here ??= {
      stretch: this.#stretch,
      list: this.#list,
      statement: this.#statement,
      file: this.#file,
      number: this.#number,
    });
  }

  /** Asks as of an earlier statement. Notes cover all that has run: a write at or after it only says that one exists, and perhaps an earlier one. */
  asOf<T>(at: WrittenAt, ask: () => T): T {
    this.#asOf = at;
    try {
      return ask();
    } finally {
      this.#asOf = undefined;
    }
  }

  #isAhead(at: WrittenAt): boolean {
    return this.#asOf !== undefined && !isLater(this.#asOf, at);
  }

  /** A property of its own. */
  ofProperty(object: object, key: PropertyKey): LastWrite | undefined {
    const own = this.#orMade(object, this.#last(object, 'properties', keyOf(key)));
    return isView(object) ? later(own, this.#last(object.buffer, 'properties', WHOLE)) : own;
  }

  /** @param name without its `#` */
  ofPrivate(object: object, name: string): LastWrite | undefined {
    return this.#orMade(object, this.#last(object, 'privates', name));
  }

  /** What a Map has for a key, whether a Set has a member. */
  ofEntry(collection: object, key: unknown): LastWrite | undefined {
    const own = this.#last(collection, 'entries', key);
    return own === undefined && isObject(key) ? this.#last(key, 'entries', collection) : own;
  }

  /** A variable of a file's top scope. */
  ofVariable(record: ModuleRecord, name: string): LastWrite | undefined {
    return this.#last(record, 'variables', name);
  }

  #last(object: object, sort: Sort, key: unknown): LastWrite | undefined {
    const parts = notesOf(object, this)?.[sort];
    if (parts === undefined) return undefined;
    const { announcedAt } = parts;
    // What is different by then is nowhere to be seen.
    if (announcedAt !== undefined && this.#isAhead(announcedAt)) return { at: announcedAt, isWhole: true };
    if (announcedAt !== undefined) parts.settle(this.#held(sort, object));
    const own = key === WHOLE ? undefined : parts.at(key);
    const whole = parts.at(WHOLE);
    return later(own && { at: own, isWhole: false }, whole && { at: whole, isWhole: true });
  }

  /** What was written behind its making, or else when that was. */
  #orMade(object: object, last: LastWrite | undefined): LastWrite | undefined {
    const { made, finished } = notesOf(object, this) ?? {};
    if (made === undefined || finished === undefined) return last;
    if (last !== undefined && !isLater(finished, last.at)) return last;
    return { at: this.#isAhead(finished) ? finished : made, isWhole: false, isMade: true };
  }

  #held(sort: Sort, object: object): Held | undefined {
    switch (sort) {
      case 'properties':
        return propertiesOf(object);
      case 'privates':
        return this.#privatesOf(object);
      case 'variables':
        return variablesOf(object as ModuleRecord);
      case 'entries':
        return undefined;
    }
  }

  property(object: unknown, key: unknown): void {
    if (!isObject(object)) return;
    if (this.isProxy(object)) {
      const parts = this.#realm.parts.host.engine?.proxyParts(object);
      if (parts !== undefined) this.property(parts.target, key);
    } else if (isObject(key)) this.whole(object);
    else this.#note(object, 'properties', keyOf(key as PropertyKey));
  }

  object(object: unknown): void {
    this.#objects[this.#objects.length] = object;
  }

  key(key: unknown): void {
    const objects = this.#objects;
    const object = objects[objects.length - 1];
    objects.length = Math.max(0, objects.length - 1);
    this.property(object, key);
  }

  /** The last of the names is that of the property, null for all of them; the others lead to the object. */
  below(object: unknown, path: readonly unknown[]): void {
    let at = object;
    for (let i = 0; i < path.length - 1; i++) at = this.#valueAt(at, path[i] as string);
    const last = path[path.length - 1];
    if (last === null) this.whole(at);
    else if (path.length > 0) this.property(at, last);
  }

  /** Without calling anybody: nothing, where a getter would have to be. */
  #valueAt(object: unknown, name: string): unknown {
    for (let at: unknown = object; isObject(at) && !this.isProxy(at); at = getPrototypeOf(at)) {
      const descriptor = getOwnPropertyDescriptor(at, name);
      if (descriptor !== undefined) return descriptor.value;
    }
    return undefined;
  }

  whole(object: unknown): void {
    if (isObject(object) && !this.isProxy(object)) this.#announce(object, 'properties');
  }

  elements(object: unknown): void {
    if (isView(object)) this.bytes(object);
    else this.whole(object);
  }

  end(object: unknown, isRemoved: boolean): void {
    if (!isArray(object) || this.isProxy(object)) return this.whole(object);
    const { length } = object;
    this.#note(object, 'properties', 'length');
    this.#note(object, 'properties', isRemoved ? length - 1 : length);
  }

  bytes(view: unknown): void {
    if (isView(view)) this.#note(view.buffer, 'properties', WHOLE);
  }

  privates(object: unknown, name: string): void {
    if (isObject(object)) this.#note(object, 'privates', name);
  }

  variables(record: object | null, name?: string): void {
    if (record === null) this.property(globalThis, name);
    else this.#announce(record, 'variables');
  }

  /** A variable has its first value since a statement that has begun before, and perhaps another one by now. */
  began(of: object, sort: 'properties' | 'variables', key: string, at: WritingAt): void {
    this.#parts(of, sort).noteUnlessLater(key, at);
  }

  /** An object that comes into being: what it is given by its class has no barriers. */
  making(object: unknown): void {
    if (!isObject(object)) return;
    if (this.#makings++ < FIRST || this.#closely === 'all' || this.#closely === this.#stretch) {
      this.whole(object);
      return this.#announce(object, 'privates');
    }
    const notes = notesFor(object, this);
    notes.finished = this.#at;
    notes.made ??= notes.finished;
  }

  date(date: Date): void {
    this.#note(date, 'properties', WHOLE);
  }

  entry(map: object, key: unknown): void {
    this.#note(map, 'entries', key);
  }

  entries(map: object, ...key: readonly unknown[]): void {
    this.#note(map, 'entries', key.length === 0 ? WHOLE : key[0]);
  }

  member(set: object, member: unknown): void {
    this.entry(set, member);
  }

  members(set: object, ...member: readonly unknown[]): void {
    this.#note(set, 'entries', member.length === 0 ? WHOLE : member[0]);
  }

  /** Noted with the key, which it must not keep alive. */
  weakEntry(map: object, key: WeakKey): void {
    if (isObject(key)) this.#note(key, 'entries', map);
  }

  weakMember(set: object, member: WeakKey): void {
    this.weakEntry(set, member);
  }

  state(object: object): void {
    this.#note(object, 'properties', WHOLE);
  }

  cannot(): void {}

  isProxy(object: object): boolean {
    return this.#realm.parts.host.isProxy?.(object) === true;
  }

  #parts(object: object, sort: Sort): WrittenParts {
    const notes = notesFor(object, this);
    return (notes[sort] ??= new WrittenParts());
  }

  #note(object: object, sort: Sort, key: unknown): void {
    this.#parts(object, sort).note(key, this.#at);
  }

  #announce(object: object, sort: Sort): void {
    this.#parts(object, sort).announce(this.#at, this.#held(sort, object));
  }

  /** Of all classes that it is of. */
  #privatesOf(object: object): Held {
    const { names, accessors, isPlain } = this.#privatesFor(object);
    let isAll = isPlain;
    for (let i = 0; isAll && i < accessors.length; i++) isAll = (accessors[i] as PrivateAccessors).has(object);
    const values: unknown[] = [];
    if (isAll) {
      for (let i = 0; i < accessors.length; i++) values[i] = (accessors[i] as PrivateAccessors).get(object);
      return { keys: names, values };
    }
    const keys: unknown[] = [];
    for (let i = 0; i < accessors.length; i++) {
      const { has, get } = accessors[i] as PrivateAccessors;
      if (isAmong(keys, names[i]) || !has(object)) continue;
      values[keys.length] = get(object);
      keys[keys.length] = names[i];
    }
    return { keys, values };
  }

  #privatesFor(object: object): PrivatesBelow {
    const { classOf } = this.#realm.parts.classes;
    const own = fieldsIn(classOf(object)?.privates);
    const prototype = this.isProxy(object) ? null : getPrototypeOf(object);
    if (prototype === null || own.length > 0) return privatesBelow(this.#fieldsBelow(prototype, own));
    let known = this.#privatesBelow.get(prototype);
    if (known === undefined)
      this.#privatesBelow.set(prototype, (known = privatesBelow(this.#fieldsBelow(prototype, own))));
    return known;
  }

  /** @param found its own */
  #fieldsBelow(prototype: object | null, found: NamedAccessors[]): NamedAccessors[] {
    const { classOf, ownerOf } = this.#realm.parts.classes;
    for (let at = prototype; at !== null && !this.isProxy(at); at = getPrototypeOf(at)) {
      const owner = ownerOf(at);
      const fields = fieldsIn(owner === undefined ? undefined : classOf(owner)?.privates);
      for (let i = 0; i < fields.length; i++) found[found.length] = fields[i] as NamedAccessors;
    }
    return found;
  }
}

/** Private members that are values, of objects with one prototype. */
interface PrivatesBelow {
  readonly names: readonly string[];
  readonly accessors: readonly PrivateAccessors[];
  /** No name is there twice. */
  readonly isPlain: boolean;
}

function privatesBelow(all: readonly NamedAccessors[]): PrivatesBelow {
  const names: string[] = [];
  const accessors: PrivateAccessors[] = [];
  let isPlain = true;
  for (let i = 0; i < all.length; i++) {
    const [name, its] = all[i] as NamedAccessors;
    if (isAmong(names, name)) isPlain = false;
    names[i] = name;
    accessors[i] = its;
  }
  return { names, accessors, isPlain };
}

function fieldsIn(privates: Readonly<Record<string, PrivateAccessors>> | null | undefined): NamedAccessors[] {
  const found: NamedAccessors[] = [];
  if (privates === undefined || privates === null) return found;
  const names = ownKeys(privates) as string[];
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const accessors = privates[name] as PrivateAccessors;
    if (accessors.field === true) found[found.length] = [name, accessors];
  }
  return found;
}

function isAmong(list: readonly unknown[], one: unknown): boolean {
  for (let i = 0; i < list.length; i++) if (list[i] === one) return true;
  return false;
}

function later(one: LastWrite | undefined, other: LastWrite | undefined): LastWrite | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return isLater(other.at, one.at) ? other : one;
}

/** Elements are known by their numbers. */
function keyOf(key: PropertyKey): PropertyKey {
  return typeof key === 'string' && isIndex(key) ? Number(key) : key;
}

/** Own properties that are values. */
function propertiesOf(object: object): Held | undefined {
  if (isView(object) || (isArray(object) && object.length > FEW)) return undefined;
  const names = ownKeys(object);
  if (names.length > FEW) return undefined;
  if (names.length === 0) return NONE;
  const keys: unknown[] = [];
  const values: unknown[] = [];
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as PropertyKey;
    const descriptor = getOwnPropertyDescriptor(object, name);
    if (descriptor === undefined || !hasOwn(descriptor, 'value')) continue;
    values[keys.length] = descriptor.value;
    keys[keys.length] = keyOf(name);
  }
  return { keys, values };
}

/** Those of a file's top scope that can be assigned. */
function variablesOf({ table, assignable, readScope }: ModuleRecord): Held {
  if (readScope === undefined) return NONE;
  const keys: unknown[] = [];
  const values: unknown[] = [];
  for (let i = 0; i < assignable.length; i++) {
    const index = assignable[i] as number;
    try {
      values[keys.length] = readScope(index);
      keys[keys.length] = table.variables?.[index];
    } catch {
      // It has no value yet.
    }
  }
  return { keys, values };
}
