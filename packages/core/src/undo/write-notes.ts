// Which statement has written what last, for who asks where a value comes from (docs/time-machine.md, "Who has written this"). Told by the barriers and methods that an undo log
// is told by, it notes where a write stands and nothing of what was there, so it costs memory by what is written and not by how often. Some announce that they write to an
// object and do not say what (`delete`, `splice`, private members): what that was is seen when somebody looks the next time, by what is different.
import { getOwnPropertyDescriptor, getPrototypeOf, hasOwn, is, isArray, isObject, ownKeys } from '../intrinsics.ts';
import { isIndex, SafeMap, SafeWeakMap } from './program-notes.ts';
import type { WriteListener } from './mutators.ts';
import type { ModuleRecord } from '../modules/record.ts';
import type { Realm } from '../realm.ts';

/** A statement: list and statement within a stretch are both 0 where none of it has begun. */
export interface WrittenAt {
  readonly stretch: number;
  readonly list: number;
  readonly statement: number;
}

export interface LastWrite {
  readonly at: WrittenAt;
  /** Much was written at once, this among it or not: of what has so many parts it is not compared. */
  readonly isWhole: boolean;
}

/** Of what has more parts it is not noted what they are. */
const FEW = 64;
const WHOLE = Symbol('whole');
const isView = ArrayBuffer.isView;

export class WriteNotes implements WriteListener {
  readonly #realm: Realm;
  #stretch = 0;
  #list = 0;
  #statement = 0;
  /** Made once for a statement that writes. */
  #here: WrittenAt | undefined;
  /** Objects whose keys are still being evaluated. */
  readonly #objects: unknown[] = [];
  readonly #properties = new Parts(propertiesOf);
  readonly #privates = new Parts((object) => this.#privatesOf(object));
  readonly #variables = new Parts((record) => variablesOf(record as ModuleRecord));
  readonly #entries = new Parts(() => undefined);

  constructor(realm: Realm) {
    this.#realm = realm;
  }

  // ── Where the program is ─────────────────────────────────────────────────────────────────────────────────────────────

  /** From now on it is this statement that writes. */
  comesTo(stretch: number, list: number, statement: number): void {
    this.#stretch = stretch;
    this.#list = list;
    this.#statement = statement;
    this.#here = undefined;
  }

  get #at(): WrittenAt {
    return (this.#here ??= { stretch: this.#stretch, list: this.#list, statement: this.#statement });
  }

  // ── What is asked ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A property of its own. */
  ofProperty(object: object, key: PropertyKey): LastWrite | undefined {
    const own = this.#properties.last(object, keyOf(key));
    return isView(object) ? later(own, this.#properties.last(object.buffer, WHOLE)) : own;
  }

  /** @param name without its `#` */
  ofPrivate(object: object, name: string): LastWrite | undefined {
    return this.#privates.last(object, name);
  }

  /** What a Map has for a key, whether a Set has a member. */
  ofEntry(collection: object, key: unknown): LastWrite | undefined {
    const own = this.#entries.last(collection, key);
    return own === undefined && isObject(key) ? this.#entries.last(key, collection) : own;
  }

  /** A variable of a file's top scope. */
  ofVariable(record: ModuleRecord, name: string): LastWrite | undefined {
    return this.#variables.last(record, name);
  }

  // ── What is told ─────────────────────────────────────────────────────────────────────────────────────────────────────

  property(object: unknown, key: unknown): void {
    if (!isObject(object)) return;
    if (this.isProxy(object)) {
      const parts = this.#realm.parts.host.engine?.proxyParts(object);
      if (parts !== undefined) this.property(parts.target, key);
    } else if (isObject(key)) this.whole(object);
    else this.#properties.note(object, keyOf(key as PropertyKey), this.#at);
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
    if (isObject(object) && !this.isProxy(object)) this.#properties.announce(object, this.#at);
  }

  elements(object: unknown): void {
    if (isView(object)) this.bytes(object);
    else this.whole(object);
  }

  end(object: unknown, isRemoved: boolean): void {
    if (!isArray(object) || this.isProxy(object)) return this.whole(object);
    const { length } = object;
    this.#properties.note(object, 'length', this.#at);
    this.#properties.note(object, isRemoved ? length - 1 : length, this.#at);
  }

  bytes(view: unknown): void {
    if (isView(view)) this.#properties.note(view.buffer, WHOLE, this.#at);
  }

  privates(object: unknown): void {
    if (isObject(object)) this.#privates.assigns(object, this.#at);
  }

  variables(record: object | null, name?: string): void {
    if (record === null) this.property(globalThis, name);
    else this.#variables.announce(record, this.#at);
  }

  /** An object that comes into being: what it is given by its class has no barriers. */
  making(object: unknown): void {
    this.whole(object);
    if (isObject(object)) this.#privates.announce(object, this.#at);
  }

  date(date: Date): void {
    this.#properties.note(date, WHOLE, this.#at);
  }

  entry(map: object, key: unknown): void {
    this.#entries.note(map, key, this.#at);
  }

  entries(map: object, ...key: readonly unknown[]): void {
    this.#entries.note(map, key.length === 0 ? WHOLE : key[0], this.#at);
  }

  member(set: object, member: unknown): void {
    this.entry(set, member);
  }

  members(set: object, ...member: readonly unknown[]): void {
    this.#entries.note(set, member.length === 0 ? WHOLE : member[0], this.#at);
  }

  /** Noted with the key, which it must not keep alive. */
  weakEntry(map: object, key: WeakKey): void {
    if (isObject(key)) this.#entries.note(key, map, this.#at);
  }

  weakMember(set: object, member: WeakKey): void {
    this.weakEntry(set, member);
  }

  state(object: object): void {
    this.#properties.note(object, WHOLE, this.#at);
  }

  cannot(): void {}

  isProxy(object: object): boolean {
    return this.#realm.parts.host.isProxy?.(object) === true;
  }

  /** Of all classes that it is of. */
  #privatesOf(object: object): SafeMap<unknown, unknown> | undefined {
    const found = new SafeMap<unknown, unknown>();
    const { classOf, ownerOf } = this.#realm.parts.classes;
    const own = classOf(object);
    for (let at: object | null = object; at !== null && !this.isProxy(at); at = getPrototypeOf(at)) {
      const owner = ownerOf(at);
      const members = (at === object && own) || (owner === undefined ? undefined : classOf(owner));
      const privates = members?.privates;
      if (privates === undefined || privates === null) continue;
      const names = ownKeys(privates) as string[];
      for (let i = 0; i < names.length; i++) {
        const name = names[i] as string;
        const accessors = privates[name];
        if (accessors?.field === true && !found.has(name) && accessors.has(object))
          found.set(name, accessors.get(object));
      }
    }
    return found;
  }
}

interface Announced {
  readonly at: WrittenAt;
  readonly values: SafeMap<unknown, unknown>;
}

/** Parts of objects, of one sort: which statement has written each of them last. */
class Parts {
  readonly #written = new SafeWeakMap<object, SafeMap<unknown, WrittenAt>>();
  /** Something of these was written that is not known yet. */
  readonly #announced = new SafeWeakMap<object, Announced>();
  readonly #read: (object: object) => SafeMap<unknown, unknown> | undefined;

  /** @param read what they are, if there are few */
  constructor(read: (object: object) => SafeMap<unknown, unknown> | undefined) {
    this.#read = read;
  }

  note(object: object, key: unknown, at: WrittenAt): void {
    let those = this.#written.get(object);
    if (those === undefined) this.#written.set(object, (those = new SafeMap()));
    those.set(key, at);
  }

  /** Some of them may be about to be written. */
  announce(object: object, at: WrittenAt): void {
    this.#settle(object);
    const values = this.#read(object);
    if (values === undefined) this.note(object, WHOLE, at);
    else this.#announced.set(object, { at, values });
  }

  /** One of them is about to be: the only one, if there is one, even if it stays what it is. */
  assigns(object: object, at: WrittenAt): void {
    this.announce(object, at);
    const values = this.#announced.get(object)?.values;
    if (values?.size === 1) values.forEach((_, key) => this.note(object, key, at));
  }

  /** By what is different since it was announced. */
  #settle(object: object): void {
    const announced = this.#announced.get(object);
    if (announced === undefined) return;
    this.#announced.delete(object);
    const { at, values } = announced;
    const now = this.#read(object);
    if (now === undefined) return this.#noteUnlessLater(object, WHOLE, at);
    now.forEach((value, key) => {
      if (!values.has(key) || !is(values.get(key), value)) this.#noteUnlessLater(object, key, at);
    });
    values.forEach((_, key) => {
      if (!now.has(key)) this.#noteUnlessLater(object, key, at);
    });
  }

  #noteUnlessLater(object: object, key: unknown, at: WrittenAt): void {
    const known = this.#written.get(object)?.get(key);
    if (known === undefined || !isLater(known, at)) this.note(object, key, at);
  }

  last(object: object, key: unknown): LastWrite | undefined {
    this.#settle(object);
    const those = this.#written.get(object);
    const own = key === WHOLE ? undefined : those?.get(key);
    const whole = those?.get(WHOLE);
    return later(own && { at: own, isWhole: false }, whole && { at: whole, isWhole: true });
  }
}

function later(one: LastWrite | undefined, other: LastWrite | undefined): LastWrite | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return isLater(other.at, one.at) ? other : one;
}

function isLater(one: WrittenAt, other: WrittenAt): boolean {
  return (one.stretch - other.stretch || one.list - other.list || one.statement - other.statement) > 0;
}

/** Elements are known by their numbers. */
function keyOf(key: PropertyKey): PropertyKey {
  return typeof key === 'string' && isIndex(key) ? Number(key) : key;
}

/** Own properties that are values. */
function propertiesOf(object: object): SafeMap<unknown, unknown> | undefined {
  if (isView(object) || (isArray(object) && object.length > FEW)) return undefined;
  const keys = ownKeys(object);
  if (keys.length > FEW) return undefined;
  const found = new SafeMap<unknown, unknown>();
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as PropertyKey;
    const descriptor = getOwnPropertyDescriptor(object, key);
    if (descriptor !== undefined && hasOwn(descriptor, 'value')) found.set(keyOf(key), descriptor.value);
  }
  return found;
}

/** Those of a file's top scope that can be assigned. */
function variablesOf({ table, assignable, readScope }: ModuleRecord): SafeMap<unknown, unknown> {
  const found = new SafeMap<unknown, unknown>();
  if (readScope === undefined) return found;
  for (let i = 0; i < assignable.length; i++) {
    const index = assignable[i] as number;
    try {
      found.set(table.variables?.[index], readScope(index));
    } catch {
      // It has no value yet.
    }
  }
  return found;
}
