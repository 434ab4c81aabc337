// The index of last writes: for each part of an object, the statement that wrote the part last
// (docs/guide/debug.md). Barriers and mutators report writes to the index, which notes where a write is made and not
// the old value. Some reports name only the object (`delete`, `splice`, private members). A later comparison of the
// object's parts shows which of them changed.
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
import type { PrivateAccessors, PrivateAccessorTable } from '../language.ts';
import type { WriteListener } from './mutators.ts';
import type { ModuleRecord } from '../modules/record.ts';
import type { Realm } from '../realm.ts';

export interface LastWrite {
  readonly site: WriteSite;
  /** Whether the write covered an object with too many parts to compare. It may not have changed this part. */
  readonly isWholeObject: boolean;
  /** Whether this is the construction of the object. A later statement of the constructor may have written the part. */
  readonly isCreation?: boolean;
}

/** Maximum number of parts of an object for a comparison. */
const MAX_COMPARED_PARTS = 64;
/** Number of constructions at the start of a run whose parts are noted one by one in any case. */
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
  /** Site of the current statement; undefined until its first write. */
  #cachedSite: WriteSite | undefined;
  /** Objects whose property keys are still being evaluated, innermost last. */
  readonly #pendingObjects: unknown[] = [];
  readonly #privatesByPrototype = new SafeWeakMap<object, PrivateFields>();
  readonly #closelyWatchedTask: number | 'all' | undefined;
  #creationCount = 0;
  /** Position given to `readAsOf`, during its call. */
  #asOfPosition: WritePosition | undefined;

  /** @param closelyWatchedTask task (or all) whose constructions are noted part by part, at many times the cost */
  constructor(realm: Realm, closelyWatchedTask: number | 'all' | undefined) {
    this.#realm = realm;
    this.#closelyWatchedTask = closelyWatchedTask;
  }

  /** Sets the statement that makes the next writes. @param number in the file; -1 before the first statement */
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

  /**
   * Calls `read` with answers as of an earlier position. The index has notes of all code that has run. So a part that
   * was written at or after `position` yields this later write, which means only that earlier writes may exist.
   */
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

  /** Last write of an own property; undefined if no write is known. */
  lastPropertyWrite(object: object, key: PropertyKey): LastWrite | undefined {
    const ownWrite = this.#orCreation(object, this.#lastWrite(object, 'properties', normalizeKey(key)));
    return isView(object) ? laterWrite(ownWrite, this.#lastWrite(object.buffer, 'properties', ALL_PARTS)) : ownWrite;
  }

  /** Last write of a private member; undefined if no write is known. @param name without its `#` */
  lastPrivateWrite(object: object, name: string): LastWrite | undefined {
    return this.#orCreation(object, this.#lastWrite(object, 'privates', name));
  }

  /** Last write of a Map's value for a key, or of a Set's membership; undefined if no write is known. */
  lastEntryWrite(collection: object, key: unknown): LastWrite | undefined {
    const ownWrite = this.#lastWrite(collection, 'entries', key);
    return ownWrite === undefined && isObject(key) ? this.#lastWrite(key, 'entries', collection) : ownWrite;
  }

  /** Last write of a variable in a file's top scope; undefined if no write is known. */
  lastVariableWrite(record: ModuleRecord, name: string): LastWrite | undefined {
    return this.#lastWrite(record, 'variables', name);
  }

  #lastWrite(object: object, partKind: PartKind, key: unknown): LastWrite | undefined {
    const partWrites = findWrites(object, this)?.[partKind];
    if (partWrites === undefined) return undefined;
    const { announcedSite } = partWrites;
    // The current values must not be compared: later writes than `position` may have changed them.
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

  /** `last` if it is later than the construction, otherwise the construction. */
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

  /** Notes a write to a property at the end of a path of names. If the last name is null, it notes all properties. */
  notePath(object: unknown, path: readonly unknown[]): void {
    let current = object;
    for (let i = 0; i < path.length - 1; i++) current = this.#valueAt(current, path[i] as string);
    const last = path[path.length - 1];
    if (last === null) this.noteAllProperties(current);
    else if (path.length > 0) this.noteProperty(current, last);
  }

  /** Value of a property, own or inherited; undefined where reading it would run code. */
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

  /** Notes the initialisation of a variable at an earlier statement. Has no effect if a later write is noted. */
  noteFirstValue(object: object, partKind: 'properties' | 'variables', key: string, site: WriteSite): void {
    this.#writesOf(object, partKind).setUnlessLater(key, site);
  }

  /** Notes the construction of an object. This covers class fields, whose initialisation has no barriers. */
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

  /** Notes the write on the key, because a note on the map would keep the key alive. */
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

  /** Private fields of an object, from all classes that it is an instance of. */
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

  /** Appends the private fields of the classes on the prototype chain to `found`, which has the object's own. */
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

/** Private fields that the classes of a prototype chain define, with their accessors. */
interface PrivateFields {
  readonly names: readonly string[];
  readonly accessors: readonly PrivateAccessors[];
  /** Whether all names are different. Classes on one chain can have private fields of the same name. */
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

function namedFields(privates: PrivateAccessorTable | null | undefined): NamedAccessors[] {
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

/** Turns array indexes into numbers, and leaves other keys unchanged. */
function normalizeKey(key: PropertyKey): PropertyKey {
  return typeof key === 'string' && isIndex(key) ? Number(key) : key;
}

/** Own data properties of an object; undefined if there are too many to compare. */
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

/** Current values of the assignable variables of a file's top scope. */
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
      // The variable is in its dead zone.
    }
  }
  return { keys, values };
}
