// Adapters of functions and classes. Each is written as the module record of its file, its ordinal there and its
// captured variables. The restoring form of the file (docs/internals/abi.md, "Restoring form") recreates it without
// running program code. Methods, prototypes and constructors of a class are recreated with the class. Core identifies
// functions; the port provides the tables and restoring forms of files.

import { internals, UNINITIALISED, type EngineView, type Realm } from '@turntable/core';
import { CaptureRefusal } from './heap-error.ts';
import {
  construct,
  deleteProperty,
  descriptorOf,
  functionPrototype,
  isExtensible,
  objectPrototype,
  ownKeys,
  prototypeOf,
  SafeMap,
} from './intrinsics.ts';
import { isUnmodifiedFunction, functionShapeOf, type FunctionValue } from './function-shapes.ts';
import { constructorDescriptor, initialFunctionProperties, ClassMembers, type Constructor } from './class-members.ts';
import type { CodeEntries, CodeMember } from './code-entries.ts';
import type { ObjectAdapter, HeapPorts, ObjectParts, PrivateMembers } from './ports.ts';

/** Result of `functions[n]` and `classes[n]` in a restoring form. */
export interface RestoredCode {
  /** For each captured variable, true if its declaration will never be reached. */
  dead?: readonly (true | undefined)[];
  /** Keys of members with computed keys, by ordinal. */
  keys?: Readonly<Record<number, PropertyKey>>;
  fill?: (captures: readonly unknown[]) => void;
  members?: ReadonlyMap<number, FunctionValue>;
}

export interface CodeFactories {
  readonly functions: Readonly<Record<number, (restored: RestoredCode) => FunctionValue>>;
  readonly classes: Readonly<
    Record<number, (restored: RestoredCode, heritage: unknown, keys: readonly PropertyKey[]) => FunctionValue>
  >;
  readonly steps: Readonly<Record<number, FunctionValue>>;
}

/** Functions and classes of one file that a state refers to. */
export interface CodeSelection {
  readonly record: object;
  readonly functions: readonly number[];
  readonly classes: readonly number[];
}

export interface CodePort {
  /** Returns the table of a record's file; undefined if its text will not be found again. */
  entriesOf(record: object): CodeEntries | undefined;
  /** Returns the restoring form of a record's file. Used by readers. */
  factoriesOf(record: object): CodeFactories;
}

export const CODE_KINDS = {
  FUNCTION: 0,
  CLASS: 1,
  MEMBER: 2,
  STEP: 3,
  PROTOTYPE: 4,
  HANDLE: 5,
  CLASS_WITH_DEAD: 6,
} as const;
const { FUNCTION, CLASS, MEMBER, STEP, PROTOTYPE, HANDLE, CLASS_WITH_DEAD } = CODE_KINDS;

export class CodeAdapters {
  readonly #realm: Realm;
  readonly #port: CodePort;
  readonly #selected = new SafeMap<object, { functions: true[]; classes: true[] }>();
  readonly #restored = new SafeMap<object, RestoredCode>();
  readonly #suspensionPoints = new SafeMap<FunctionValue, SuspensionPoints>();
  readonly #members = new ClassMembers();
  readonly #sameShape: EngineView['sameShape'];
  readonly adapters: readonly ObjectAdapter[];

  constructor(realm: Realm, port: CodePort) {
    this.#realm = realm;
    this.#port = port;
    this.#sameShape = realm.parts.host.engine?.sameShape ?? alwaysFalse;
    this.adapters = [this.#functionAdapter(), this.#prototypeAdapter()];
  }

  /** Returns the functions and classes written so far, whose factories a reader needs. */
  selection(): CodeSelection[] {
    const selections: CodeSelection[] = [];
    this.#selected.forEach(({ functions, classes }, record) => {
      const ascending = (selected: readonly true[]): number[] => Object.keys(selected).map(Number);
      selections[selections.length] = { record, functions: ascending(functions), classes: ascending(classes) };
    });
    return selections;
  }

  /** Returns the classes whose private members instances of `prototype` carry, base classes first. */
  privateMembersOf(prototype: object): PrivateMembers[] {
    const groups: PrivateMembers[] = [];
    const { isProxy } = this.#realm.parts.brands;
    for (let each: object | null = prototype; each !== null && !isProxy(each); each = prototypeOf(each)) {
      const owner = this.#realm.ownerOf(each);
      const classRecord = owner === undefined ? undefined : this.#realm.classOf(owner);
      if (owner === undefined || classRecord === undefined) continue;
      const { brand, fields } = this.#classEntry(owner);
      if (brand === null) continue;
      const accessors = classRecord.privates ?? {};
      const has = (object: object): boolean => accessors[brand]?.has(object) === true;
      groups[groups.length] = {
        owner,
        names: fields.map((name) => `#${name}`),
        has,
        read: (object) => (has(object) ? fields.map((name) => accessors[name]?.get(object)) : undefined),
      };
    }
    return groups.toReversed();
  }

  /** Adds the private members of the classes, without values, to `object` or to an object that a class creates. */
  stampInstance(owners: readonly object[], object: object | undefined): object | undefined {
    let instance = object;
    for (const owner of owners) {
      const { derived } = this.#classEntry(owner);
      instance = this.#realm.parts.classes.stamp(owner, derived ? (instance ?? {}) : undefined);
    }
    if (instance !== undefined) for (const key of ownKeys(instance)) deleteProperty(instance, key);
    return instance;
  }

  /** Adds the private members of a derived class, without values, to an existing object. Throws for a base class. */
  stampExisting(object: object, owner: object): void {
    if (!this.#classEntry(owner).derived) throw new TypeError('expected a derived class');
    this.#realm.parts.classes.stamp(owner, object);
  }

  setPrivateFields(object: object, owner: object, values: readonly unknown[]): void {
    const accessors = this.#realm.classOf(owner)?.privates ?? {};
    this.#classEntry(owner).fields.forEach((name, i) => accessors[name]?.set(object, values[i]));
  }

  /** Returns the live slots of a suspended frame; undefined if unknown. */
  liveSlots(frame: object): readonly number[] | undefined {
    const { step, pc } = frame as { step: FunctionValue; pc: number };
    if (pc <= 0) return pc === 0 ? undefined : [];
    let points = this.#suspensionPoints.get(step);
    if (points === undefined) this.#suspensionPoints.set(step, (points = this.#suspensionPointsOf(step)));
    return points[pc - 1]?.live;
  }

  #suspensionPointsOf(step: FunctionValue): SuspensionPoints {
    const identity = internals.identify(step);
    if (identity?.step !== true) return [];
    return this.#port.entriesOf(identity.module as object)?.functions[identity.ordinal]?.step?.points ?? [];
  }

  #classEntry(constructor: object): CodeEntries['classes'][number] {
    const { module, ordinal } = this.#realm.classOf(constructor) as { module: object; ordinal: number };
    return this.#entriesOf(module, constructor).classes[ordinal] as CodeEntries['classes'][number];
  }

  #select(record: object, list: 'functions' | 'classes', ordinal: number): void {
    let selected = this.#selected.get(record);
    if (selected === undefined) {
      this.#selected.set(record, (selected = { functions: [], classes: [] }));
    }
    if (ordinal >= 0) selected[list][ordinal] = true;
  }

  #entriesOf(record: object, value: object): CodeEntries {
    const entries = this.#port.entriesOf(record);
    if (entries !== undefined) return entries;
    throw new CaptureRefusal(
      value,
      'its source text is unavailable',
      'define the function in a file, or drop it before the capture',
    );
  }

  #functionAdapter(): ObjectAdapter {
    return {
      name: 'code',
      appliesTo: 'functions',
      takeApart: (value) => this.#takeFunctionApart(value as FunctionValue),
      carrierOf: (value) => this.#classHolding(value as FunctionValue),
      allocate: (kind, header) => this.#allocateFunction(kind, header),
      fill: (object, kind, contents) => this.#fillFunction(object as FunctionValue, kind, contents),
    };
  }

  #takeFunctionApart(fn: FunctionValue): ObjectParts | undefined {
    if (this.#realm.classOf(fn) !== undefined) return this.#takeClassApart(fn as Constructor);
    const identity = identify(fn);
    if (identity === undefined || identity.module === internals.CORE) return undefined;
    const record = identity.module as object;
    const { ordinal, captures } = identity;
    const entries = this.#entriesOf(record, fn);
    if (identity.step === true) {
      this.#select(record, 'functions', -1);
      return { kind: STEP, header: [record, ordinal], contents: [], isComplete: true };
    }
    const entry = entries.functions[ordinal] as CodeEntries['functions'][number];
    const { member } = entry;
    if (member !== null) {
      const header = [this.#classOfMember(fn, record, ordinal, member), ordinal];
      const isUnmodified = isUnmodifiedFunction(fn, entry, functionShapeOf(fn, this.#sameShape), false);
      return {
        kind: MEMBER,
        header,
        contents: [],
        ...(isUnmodified ? UNMODIFIED : this.#initialState(entry, undefined)),
      };
    }
    const shape = functionShapeOf(fn, this.#sameShape);
    // A function of an initial shape has no accessors.
    const { prototype: initialPrototype, isBlank } =
      shape === 'bare'
        ? NO_PROTOTYPE
        : this.#ownPrototype(fn, shape === undefined ? descriptorOf(fn, 'prototype')?.value : fn.prototype);
    if (initialPrototype !== undefined && !isBlank) captures[captures.length] = initialPrototype;
    this.#select(record, 'functions', ordinal);
    const deadCaptures = encodeDeadCaptures(captures);
    const isUnmodified = isUnmodifiedFunction(fn, entry, shape, initialPrototype !== undefined);
    return {
      kind: FUNCTION,
      header: deadCaptures === '' ? [record, ordinal] : [record, ordinal, deadCaptures],
      contents: captures,
      ...(isUnmodified ? UNMODIFIED : this.#initialState(entry, initialPrototype)),
      label: (index, part) => (part === 'header' ? '' : captureLabel(entry.captures[index])),
    };
  }

  /** Returns the own properties and the prototype that the factory gives a function. */
  #initialState(
    entry: CodeEntries['functions'][number],
    prototype: object | undefined,
  ): Pick<ObjectParts, 'initialProperties' | 'prototype'> {
    const { AsyncFunction, GeneratorFunction, AsyncGeneratorFunction } = this.#realm.kinds;
    const generators = entry.async ? AsyncGeneratorFunction : GeneratorFunction;
    const type = entry.generator ? generators : entry.async ? AsyncFunction : undefined;
    return {
      initialProperties: initialFunctionProperties(entry, prototype),
      prototype: type?.prototype ?? functionPrototype,
    };
  }

  /** Returns the class that still has the function as a member; undefined if none has. */
  #classHolding(fn: FunctionValue): object | undefined {
    const identity = identify(fn);
    if (identity === undefined || identity.module === internals.CORE || identity.step === true) return undefined;
    const record = identity.module as object;
    const member = this.#port.entriesOf(record)?.functions[identity.ordinal]?.member;
    if (member === null || member === undefined) return undefined;
    return this.#realm.parts.classes.classesOf(record, member.class).find((each) => hasMember(each as Constructor, fn));
  }

  /** Returns the evaluation of a method's class. Refuses the method if there are several and none still has it. */
  #classOfMember(fn: FunctionValue, record: object, ordinal: number, { class: type, key }: CodeMember): object {
    const evaluations = this.#realm.parts.classes.classesOf(record, type);
    if (evaluations.length === 1) return evaluations[0] as object;
    for (const each of evaluations) if (hasMember(each as Constructor, fn)) return each;
    throw new CaptureRefusal(
      fn,
      `its class was evaluated ${evaluations.length} times, and no evaluation still has it as ${key ?? `member ${ordinal}`}`,
      'store the object instead of its method',
    );
  }

  /** Describes the `prototype` of a function. A Proxy, whose traps must not be called, is never an initial one. */
  #ownPrototype(fn: FunctionValue, prototype: unknown): OwnPrototype {
    const hasOtherPrototype =
      typeof prototype !== 'object' || prototype === null || this.#realm.parts.brands.isProxy(prototype);
    return hasOtherPrototype ? NO_PROTOTYPE : describeOwnPrototype(fn, prototype);
  }

  #takeClassApart(fn: Constructor): ObjectParts {
    const classRecord = this.#realm.classOf(fn) as NonNullable<ReturnType<Realm['classOf']>>;
    const entries = this.#entriesOf(classRecord.module, fn);
    this.#select(classRecord.module, 'classes', classRecord.ordinal);
    const entry = entries.classes[classRecord.ordinal] as CodeEntries['classes'][number];
    const captures = classRecord.captures?.() ?? [];
    const statics = entry.statics.map((name) => classRecord.privates?.[name]?.get(fn));
    const heritage = this.#heritage(fn, entry);
    const deadCaptures = encodeDeadCaptures(captures);
    const header = [classRecord.module, classRecord.ordinal, heritage];
    return {
      kind: deadCaptures === '' ? CLASS : CLASS_WITH_DEAD,
      header: [
        ...header,
        ...(deadCaptures === '' ? [] : [deadCaptures]),
        ...classRecord.keys,
        ...this.#members.currentComputedKeys(fn, entries, classRecord),
      ],
      contents: [captures.length, ...captures, ...statics, fn.prototype],
      prototype: heritage ?? functionPrototype,
      initialProperties: this.#members.initialClassProperties(fn, entries, classRecord),
      label: (index) => classLabel(index, captures.length, entry),
    };
  }

  /** Returns the superclass to recreate a class with: undefined for a base class, null if it cannot be extended. */
  #heritage(fn: Constructor, { derived }: CodeEntries['classes'][number]): object | null | undefined {
    if (!derived) return undefined;
    const heritage = prototypeOf(fn);
    return heritage !== null && this.#canBeExtended(heritage) ? heritage : null;
  }

  #canBeExtended(heritage: object): boolean {
    if (typeof heritage !== 'function') return false;
    if (this.#realm.parts.brands.isProxy(heritage)) return true;
    const prototype = descriptorOf(heritage, 'prototype');
    // A configurable `prototype` was added to a bound function, and is restored like any property.
    if (typeof prototype?.value !== 'object' || prototype.configurable === true) return false;
    try {
      // Fails before it calls anything, unless `heritage` is a constructor.
      construct(Object, [], heritage);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Returns the parent of a recreated class's prototype. If the parent is uncertain, returns a value that differs from
   * it, so that a capture writes the actual parent.
   */
  #expectedParentPrototype(fn: Constructor, entry: CodeEntries['classes'][number]): object | null {
    const heritage = this.#heritage(fn, entry);
    if (heritage === undefined) return objectPrototype;
    if (heritage === null) return null;
    // A Proxy may answer differently during a restore, when a handle of the host may not work yet.
    if (this.#realm.parts.brands.isProxy(heritage)) return null;
    // The `prototype` of an ordinary function may have been replaced since.
    const isOrdinary =
      this.#realm.classOf(heritage) === undefined && this.#isProgramFunction(heritage as FunctionValue);
    return isOrdinary ? functionPrototype : (heritage as Constructor).prototype;
  }

  #allocateFunction(kind: number, header: readonly unknown[]): object {
    const [first, ordinal] = header as [unknown, number];
    if (kind === MEMBER) {
      const member = this.#restored.get(first as object)?.members?.get(ordinal);
      if (member === undefined) throw new TypeError(`the class has no member ${ordinal}`);
      return member;
    }
    const factories = this.#port.factoriesOf(first as object);
    if (kind === STEP) return requireFactory(factories.steps[ordinal], 'step', ordinal);
    const restored: RestoredCode = {};
    let fn: FunctionValue;
    if (kind === FUNCTION) {
      if (header.length > 2) restored.dead = decodeDeadCaptures(header[2]);
      fn = requireFactory(factories.functions[ordinal], 'function', ordinal)(restored);
    } else if (kind === CLASS || kind === CLASS_WITH_DEAD) {
      if (kind === CLASS_WITH_DEAD) restored.dead = decodeDeadCaptures(header[3]);
      const computed = this.#members.computedMembers(this.#entriesOf(first as object, first as object), ordinal);
      const keysWithComputed = header.slice(kind === CLASS ? 3 : 4) as PropertyKey[];
      const keys = keysWithComputed.slice(0, keysWithComputed.length - computed.length);
      restored.keys = Object.fromEntries(computed.map(([n], i) => [n, keysWithComputed[keys.length + i]])) as Record<
        number,
        PropertyKey
      >;
      fn = requireFactory(factories.classes[ordinal], 'class', ordinal)(restored, header[2], keys);
    } else throw new TypeError(`unknown kind of function: ${kind}`);
    this.#restored.set(fn, restored);
    return fn;
  }

  #fillFunction(fn: FunctionValue, kind: number, contents: readonly unknown[]): void {
    const restored = this.#restored.get(fn);
    if (kind === FUNCTION) restored?.fill?.(contents);
    if (kind !== CLASS && kind !== CLASS_WITH_DEAD) return;
    const count = Number(contents[0]);
    restored?.fill?.(contents.slice(1, count + 1));
    const accessors = this.#realm.classOf(fn)?.privates ?? {};
    this.#classEntry(fn).statics.forEach((name, i) => accessors[name]?.set(fn, contents[count + 1 + i]));
  }

  #prototypeAdapter(): ObjectAdapter {
    return {
      name: 'prototypes',
      appliesTo: 'objects',
      isForAnyPrototype: true,
      matchesPrototype: (prototype) => prototype === handlePrototype,
      takeApart: (value) => this.#takePrototypeApart(value),
      carrierOf: (value) => this.#realm.ownerOf(value),
      allocate: (kind, header) => {
        const [owner] = header as [Constructor];
        if (kind === PROTOTYPE) return owner.prototype;
        const classRecord = this.#realm.classOf(owner);
        if (kind !== HANDLE || classRecord === undefined) throw new TypeError(`unknown kind of prototype: ${kind}`);
        return classRecord.handle;
      },
      fill: () => undefined,
    };
  }

  #takePrototypeApart(value: object): ObjectParts | undefined {
    if (prototypeOf(value) === handlePrototype) {
      return { kind: HANDLE, header: [(value as { home: object }).home], contents: [], isComplete: true };
    }
    const owner: unknown = this.#realm.ownerOf(value) ?? descriptorOf(value, 'constructor')?.value;
    if (typeof owner !== 'function' || this.#realm.parts.brands.isProxy(owner)) return undefined;
    if (descriptorOf(owner, 'prototype')?.value !== value) return undefined;
    const classRecord = this.#realm.classOf(owner);
    if (classRecord === undefined) {
      if (!this.#isProgramFunction(owner as FunctionValue)) return undefined;
      const initialProperties = { constructor: constructorDescriptor(owner as FunctionValue) };
      return { kind: PROTOTYPE, header: [owner], contents: [], initialProperties, prototype: objectPrototype };
    }
    const entries = this.#entriesOf(classRecord.module, owner);
    const entry = entries.classes[classRecord.ordinal] as CodeEntries['classes'][number];
    return {
      kind: PROTOTYPE,
      header: [owner],
      contents: [],
      initialProperties: this.#members.initialPrototypeProperties(owner as Constructor, entries, classRecord),
      prototype: this.#expectedParentPrototype(owner as Constructor, entry),
    };
  }

  #isProgramFunction(fn: FunctionValue): boolean {
    const identity = internals.identify(fn);
    return identity !== undefined && identity.module !== internals.CORE;
  }
}

const UNMODIFIED = { isUnmodified: true } as const;
const alwaysFalse = (): boolean => false;

type SuspensionPoints = readonly { readonly live: readonly number[] }[];

function hasMember(type: Constructor, fn: FunctionValue): boolean {
  for (const holder of [type, type.prototype]) {
    for (const name of ownKeys(holder)) {
      const { value, get, set } = descriptorOf(holder, name) as PropertyDescriptor;
      if (value === fn || get === fn || set === fn) return true;
    }
  }
  return false;
}

/** Identifies a function. Refuses a function with a captured variable that will never be initialised. */
function identify(fn: FunctionValue): ReturnType<typeof internals.identify> {
  try {
    return internals.identify(fn);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new CaptureRefusal(
      fn,
      `it captured a variable that will never be initialised (${error.message})`,
      'drop the function if its initialisation has failed',
    );
  }
}

/** Encodes the indices of the captured variables that will never be initialised. */
function encodeDeadCaptures(captures: readonly unknown[]): string {
  let encoded = '';
  for (let i = 0; i < captures.length; i++) if (captures[i] === UNINITIALISED) encoded += encoded === '' ? i : `,${i}`;
  return encoded;
}

function decodeDeadCaptures(encoded: unknown): (true | undefined)[] {
  const dead: (true | undefined)[] = [];
  if (typeof encoded !== 'string') throw new TypeError('expected the indexes of dead variables as a string');
  for (const indexText of encoded.split(',')) {
    if (!/^\d{1,5}$/.test(indexText)) throw new TypeError('expected numbers as indexes of dead variables');
    dead[Number(indexText)] = true;
  }
  return dead;
}

const handlePrototype: object = internals.handlePrototype;

function requireFactory<T>(factory: T | undefined, list: string, ordinal: number): T {
  if (factory === undefined) throw new TypeError(`the file has no ${list} ${ordinal}`);
  return factory;
}

interface OwnPrototype {
  /** The initial `prototype` object of the function, if it still has it; otherwise undefined. */
  readonly prototype: object | undefined;
  /** Whether `prototype` is unchanged, so that the function's own creation restores it. */
  readonly isBlank: boolean;
}

const NO_PROTOTYPE: OwnPrototype = { prototype: undefined, isBlank: false };

function describeOwnPrototype(fn: FunctionValue, prototype: object): OwnPrototype {
  const constructor = descriptorOf(prototype, 'constructor');
  if (constructor?.value !== fn || constructor.enumerable === true) return NO_PROTOTYPE;
  const isBlank =
    constructor.writable === true &&
    constructor.configurable === true &&
    prototypeOf(prototype) === objectPrototype &&
    isExtensible(prototype) &&
    ownKeys(prototype).length === 1;
  return { prototype, isBlank };
}

function captureLabel(name: string | undefined): string {
  return name === undefined ? '.prototype' : ` captured ${name}`;
}

function classLabel(index: number, capturedCount: number, entry: CodeEntries['classes'][number]): string {
  if (index <= capturedCount) return ` captured ${entry.captures[index - 1]}`;
  const name = entry.statics[index - capturedCount - 1];
  return name === undefined ? '.prototype' : `.#${name}`;
}

export function codePorts(
  code: CodeAdapters,
): Pick<HeapPorts, 'adapters' | 'privateMembersOf' | 'setPrivateFields' | 'stampInstance' | 'liveSlots'> {
  return {
    adapters: code.adapters,
    privateMembersOf: (prototype) => code.privateMembersOf(prototype),
    setPrivateFields: (object, owner, values) => code.setPrivateFields(object, owner, values),
    stampInstance: (owners, object) => code.stampInstance(owners, object),
    liveSlots: (frame) => code.liveSlots(frame),
  };
}
