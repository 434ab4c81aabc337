// Which statement has written each part of an object last (docs/time-machine.md, "Who has written this"). Barriers and mutators tell it. It notes where a
// write is, not the old value. Some only report that an object is written (`delete`, `splice`, private members): a later comparison shows which part.
import { getOwnPropertyDescriptor, getPrototypeOf, hasOwn, isArray, isObject, ownKeys } from '../intrinsics.ts';
import { SafeWeakMap } from '../safe-collections.ts';
import { isIndex } from './program-undo-log.ts';
import {
  isLater,
  ensureWrites,
  findWrites,
  ALL_PARTS,
  PartWrites,
  type PartValues,
  type WriteSite,
  type WritePosition,
} from './part-writes.ts';
import type { PrivateAccessors } from '../language.ts';
import type { WriteListener } from './mutators.ts';
import type { ModuleRecord } from '../modules/record.ts';
import type { Realm } from '../realm.ts';

export interface LastWrite {
  readonly site: WriteSite;
  /** Much was written at once, this among it or not: of what has so many parts it is not compared. */
  readonly isWholeObject: boolean;
  /** The object came into being in that task, and perhaps it has this from there: who notes what is made sees where. */
  readonly isCreation?: boolean;
}

/** Of what has more parts it is not noted what they are. */
const MAX_COMPARED_PARTS = 64;
/** Statements in whose course objects come into being that are looked at closely in any case. */
const CLOSELY_WATCHED_CREATIONS = 50_000;
const isView = ArrayBuffer.isView;
const NO_PARTS: PartValues = { keys: [], values: [] };

type PartKind = 'properties' | 'privates' | 'variables' | 'entries';
type NamedAccessors = readonly [name: string, accessors: PrivateAccessors];

export class LastWriteIndex implements WriteListener {
  readonly #realm: Realm;
  #task = 0;
  #list = 0;
  #statement = 0;
  #file = '';
  #number = -1;
  /** Made once for a statement that writes. */
  #cachedSite: WriteSite | undefined;
  /** Objects whose keys are still being evaluated. */
  readonly #pendingObjects: unknown[] = [];
  readonly #privatesByPrototype = new SafeWeakMap<object, PrivateFields>();
  readonly #closelyWatchedTask: number | 'all' | undefined;
  #creationCount = 0;
  /** The statement before which the program is, while it is where it has been. */
  #asOfPosition: WritePosition | undefined;

  /** @param closelyWatchedTask in which tasks all writes while objects are made are noted, at many times the cost; in others only for the first objects */
  constructor(realm: Realm, closelyWatchedTask: number | 'all' | undefined) {
    this.#realm = realm;
    this.#closelyWatchedTask = closelyWatchedTask;
  }

  /** From now on it is this statement that writes. @param number in its file; -1 before the first one of a task */
  setStatement(task: number, list: number, statement: number, file: string, number: number): void {
    this.#task = task;
    this.#list = list;
    this.#statement = statement;
    this.#file = file;
    this.#number = number;
    this.#cachedSite = undefined;
  }

  get #site(): WriteSite {
    return (this.#cachedSite ??= {
      task: this.#task,
      list: this.#list,
      statement: this.#statement,
      file: this.#file,
      number: this.#number,
    });
  }

  /** Asks as of an earlier statement. Notes cover all that has run: a write at or after it only says that one exists, and perhaps an earlier one. */
  readAsOf<T>(position: WritePosition, read: () => T): T {
    this.#asOfPosition = position;
    try {
      return read();
    } finally {
      this.#asOfPosition = undefined;
    }
  }

  #isAhead(position: WritePosition): boolean {
    return this.#asOfPosition !== undefined && !isLater(this.#asOfPosition, position);
  }

  /** A property of its own. */
  lastPropertyWrite(object: object, key: PropertyKey): LastWrite | undefined {
    const ownWrite = this.#orCreation(object, this.#lastWrite(object, 'properties', normalizeKey(key)));
    return isView(object) ? laterWrite(ownWrite, this.#lastWrite(object.buffer, 'properties', ALL_PARTS)) : ownWrite;
  }

  /** @param name without its `#` */
  lastPrivateWrite(object: object, name: string): LastWrite | undefined {
    return this.#orCreation(object, this.#lastWrite(object, 'privates', name));
  }

  /** What a Map has for a key, whether a Set has a member. */
  lastEntryWrite(collection: object, key: unknown): LastWrite | undefined {
    const ownWrite = this.#lastWrite(collection, 'entries', key);
    return ownWrite === undefined && isObject(key) ? this.#lastWrite(key, 'entries', collection) : ownWrite;
  }

  /** A variable of a file's top scope. */
  lastVariableWrite(record: ModuleRecord, name: string): LastWrite | undefined {
    return this.#lastWrite(record, 'variables', name);
  }

  #lastWrite(object: object, partKind: PartKind, key: unknown): LastWrite | undefined {
    const partWrites = findWrites(object, this)?.[partKind];
    if (partWrites === undefined) return undefined;
    const { announcedSite } = partWrites;
    // What is different by then is nowhere to be seen.
    if (announcedSite !== undefined && this.#isAhead(announcedSite))
      return { site: announcedSite, isWholeObject: true };
    if (announcedSite !== undefined) partWrites.resolveAnnounced(this.#readParts(partKind, object));
    const ownSite = key === ALL_PARTS ? undefined : partWrites.get(key);
    const wholeSite = partWrites.get(ALL_PARTS);
    return laterWrite(
      ownSite && { site: ownSite, isWholeObject: false },
      wholeSite && { site: wholeSite, isWholeObject: true },
    );
  }

  /** What was written behind its making, or else when that was. */
  #orCreation(object: object, last: LastWrite | undefined): LastWrite | undefined {
    const { creationStart, creationEnd } = findWrites(object, this) ?? {};
    if (creationStart === undefined || creationEnd === undefined) return last;
    if (last !== undefined && !isLater(creationEnd, last.site)) return last;
    return { site: this.#isAhead(creationEnd) ? creationEnd : creationStart, isWholeObject: false, isCreation: true };
  }

  #readParts(partKind: PartKind, object: object): PartValues | undefined {
    switch (partKind) {
      case 'properties':
        return readProperties(object);
      case 'privates':
        return this.#readPrivates(object);
      case 'variables':
        return readVariables(object as ModuleRecord);
      case 'entries':
        return undefined;
    }
  }

  noteProperty(object: unknown, key: unknown): void {
    if (!isObject(object)) return;
    if (this.isProxy(object)) {
      const parts = this.#realm.parts.host.engine?.proxyParts(object);
      if (parts !== undefined) this.noteProperty(parts.target, key);
    } else if (isObject(key)) this.noteAllProperties(object);
    else this.#note(object, 'properties', normalizeKey(key as PropertyKey));
  }

  noteObject(object: unknown): void {
    this.#pendingObjects[this.#pendingObjects.length] = object;
  }

  noteKey(key: unknown): void {
    const objects = this.#pendingObjects;
    const object = objects[objects.length - 1];
    objects.length = Math.max(0, objects.length - 1);
    this.noteProperty(object, key);
  }

  /** The last of the names is that of the property, null for all of them; the others lead to the object. */
  notePath(object: unknown, path: readonly unknown[]): void {
    let current = object;
    for (let i = 0; i < path.length - 1; i++) current = this.#valueAt(current, path[i] as string);
    const last = path[path.length - 1];
    if (last === null) this.noteAllProperties(current);
    else if (path.length > 0) this.noteProperty(current, last);
  }

  /** Without calling anybody: nothing, where a getter would have to be. */
  #valueAt(object: unknown, name: string): unknown {
    for (let holder: unknown = object; isObject(holder) && !this.isProxy(holder); holder = getPrototypeOf(holder)) {
      const descriptor = getOwnPropertyDescriptor(holder, name);
      if (descriptor !== undefined) return descriptor.value;
    }
    return undefined;
  }

  noteAllProperties(object: unknown): void {
    if (isObject(object) && !this.isProxy(object)) this.#announce(object, 'properties');
  }

  noteElements(object: unknown): void {
    if (isView(object)) this.noteBytes(object);
    else this.noteAllProperties(object);
  }

  noteArrayEnd(object: unknown, isRemoved: boolean): void {
    if (!isArray(object) || this.isProxy(object)) return this.noteAllProperties(object);
    const { length } = object;
    this.#note(object, 'properties', 'length');
    this.#note(object, 'properties', isRemoved ? length - 1 : length);
  }

  noteBytes(view: unknown): void {
    if (isView(view)) this.#note(view.buffer, 'properties', ALL_PARTS);
  }

  notePrivate(object: unknown, name: string): void {
    if (isObject(object)) this.#note(object, 'privates', name);
  }

  noteVariables(record: object | null, name?: string): void {
    if (record === null) this.noteProperty(globalThis, name);
    else this.#announce(record, 'variables');
  }

  /** A variable has its first value since a statement that has begun before, and perhaps another one by now. */
  noteFirstValue(object: object, partKind: 'properties' | 'variables', key: string, site: WriteSite): void {
    this.#writesOf(object, partKind).setUnlessLater(key, site);
  }

  /** An object that comes into being: what it is given by its class has no barriers. */
  noteCreation(object: unknown): void {
    if (!isObject(object)) return;
    if (
      this.#creationCount++ < CLOSELY_WATCHED_CREATIONS ||
      this.#closelyWatchedTask === 'all' ||
      this.#closelyWatchedTask === this.#task
    ) {
      this.noteAllProperties(object);
      return this.#announce(object, 'privates');
    }
    const objectWrites = ensureWrites(object, this);
    objectWrites.creationEnd = this.#site;
    objectWrites.creationStart ??= objectWrites.creationEnd;
  }

  noteDate(date: Date): void {
    this.#note(date, 'properties', ALL_PARTS);
  }

  noteEntry(map: object, key: unknown): void {
    this.#note(map, 'entries', key);
  }

  noteEntries(map: object, ...key: readonly unknown[]): void {
    this.#note(map, 'entries', key.length === 0 ? ALL_PARTS : key[0]);
  }

  noteMember(set: object, member: unknown): void {
    this.noteEntry(set, member);
  }

  noteMembers(set: object, ...member: readonly unknown[]): void {
    this.#note(set, 'entries', member.length === 0 ? ALL_PARTS : member[0]);
  }

  /** Noted with the key, which it must not keep alive. */
  noteWeakEntry(map: object, key: WeakKey): void {
    if (isObject(key)) this.#note(key, 'entries', map);
  }

  noteWeakMember(set: object, member: WeakKey): void {
    this.noteWeakEntry(set, member);
  }

  noteState(object: object): void {
    this.#note(object, 'properties', ALL_PARTS);
  }

  noteObstacle(): void {}

  isProxy(object: object): boolean {
    return this.#realm.parts.host.isProxy?.(object) === true;
  }

  #writesOf(object: object, partKind: PartKind): PartWrites {
    const objectWrites = ensureWrites(object, this);
    return (objectWrites[partKind] ??= new PartWrites());
  }

  #note(object: object, partKind: PartKind, key: unknown): void {
    this.#writesOf(object, partKind).set(key, this.#site);
  }

  #announce(object: object, partKind: PartKind): void {
    this.#writesOf(object, partKind).announce(this.#site, this.#readParts(partKind, object));
  }

  /** Of all classes that it is of. */
  #readPrivates(object: object): PartValues {
    const { names, accessors, hasUniqueNames } = this.#privatesFor(object);
    let hasAll = hasUniqueNames;
    for (let i = 0; hasAll && i < accessors.length; i++) hasAll = (accessors[i] as PrivateAccessors).has(object);
    const values: unknown[] = [];
    if (hasAll) {
      for (let i = 0; i < accessors.length; i++) values[i] = (accessors[i] as PrivateAccessors).get(object);
      return { keys: names, values };
    }
    const keys: unknown[] = [];
    for (let i = 0; i < accessors.length; i++) {
      const { has, get } = accessors[i] as PrivateAccessors;
      if (includes(keys, names[i]) || !has(object)) continue;
      values[keys.length] = get(object);
      keys[keys.length] = names[i];
    }
    return { keys, values };
  }

  #privatesFor(object: object): PrivateFields {
    const { classOf } = this.#realm.parts.classes;
    const ownFields = namedFields(classOf(object)?.privates);
    const prototype = this.isProxy(object) ? null : getPrototypeOf(object);
    if (prototype === null || ownFields.length > 0) return createPrivateFields(this.#fieldsBelow(prototype, ownFields));
    let fields = this.#privatesByPrototype.get(prototype);
    if (fields === undefined)
      this.#privatesByPrototype.set(prototype, (fields = createPrivateFields(this.#fieldsBelow(prototype, ownFields))));
    return fields;
  }

  /** @param found its own */
  #fieldsBelow(prototype: object | null, found: NamedAccessors[]): NamedAccessors[] {
    const { classOf, ownerOf } = this.#realm.parts.classes;
    for (let current = prototype; current !== null && !this.isProxy(current); current = getPrototypeOf(current)) {
      const owner = ownerOf(current);
      const fields = namedFields(owner === undefined ? undefined : classOf(owner)?.privates);
      for (let i = 0; i < fields.length; i++) found[found.length] = fields[i] as NamedAccessors;
    }
    return found;
  }
}

/** Private members that are values, of objects with one prototype. */
interface PrivateFields {
  readonly names: readonly string[];
  readonly accessors: readonly PrivateAccessors[];
  /** No name is there twice. */
  readonly hasUniqueNames: boolean;
}

function createPrivateFields(fields: readonly NamedAccessors[]): PrivateFields {
  const names: string[] = [];
  const accessors: PrivateAccessors[] = [];
  let hasUniqueNames = true;
  for (let i = 0; i < fields.length; i++) {
    const [name, fieldAccessors] = fields[i] as NamedAccessors;
    if (includes(names, name)) hasUniqueNames = false;
    names[i] = name;
    accessors[i] = fieldAccessors;
  }
  return { names, accessors, hasUniqueNames };
}

function namedFields(privates: Readonly<Record<string, PrivateAccessors>> | null | undefined): NamedAccessors[] {
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

function includes(list: readonly unknown[], item: unknown): boolean {
  for (let i = 0; i < list.length; i++) if (list[i] === item) return true;
  return false;
}

function laterWrite(first: LastWrite | undefined, second: LastWrite | undefined): LastWrite | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return isLater(second.site, first.site) ? second : first;
}

/** Elements are known by their numbers. */
function normalizeKey(key: PropertyKey): PropertyKey {
  return typeof key === 'string' && isIndex(key) ? Number(key) : key;
}

/** Own properties that are values. */
function readProperties(object: object): PartValues | undefined {
  if (isView(object) || (isArray(object) && object.length > MAX_COMPARED_PARTS)) return undefined;
  const names = ownKeys(object);
  if (names.length > MAX_COMPARED_PARTS) return undefined;
  if (names.length === 0) return NO_PARTS;
  const keys: unknown[] = [];
  const values: unknown[] = [];
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as PropertyKey;
    const descriptor = getOwnPropertyDescriptor(object, name);
    if (descriptor === undefined || !hasOwn(descriptor, 'value')) continue;
    values[keys.length] = descriptor.value;
    keys[keys.length] = normalizeKey(name);
  }
  return { keys, values };
}

/** Those of a file's top scope that can be assigned. */
function readVariables({ table, assignableIndexes: assignable, readScope }: ModuleRecord): PartValues {
  if (readScope === undefined) return NO_PARTS;
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
