// Functions and classes: written as the record of the file they come from, their number in its table and what they captured; made again by the
// file's second form (docs/abi.md, "The form that restores"), which runs no code of the program. Methods come with their class,
// the prototypes of classes and constructors with these. Who a function is, only core can tell; what a file consists of and
// how its second form is had, the port.

import { internals, UNINITIALISED, type EngineView, type Realm } from '@turntable/core';
import { Refusal } from './heap-error.ts';
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
import { isUntouched, lookOf, type AnyFunction } from './function-looks.ts';
import { bornConstructor, bornFunction, ClassMembers, type Constructor } from './class-members.ts';
import type { CodeEntries, Member } from './code-entries.ts';
import type { Adapter, HeapPorts, Parts, PrivateMembers } from './ports.ts';

/** What `functions[n]` and `classes[n]` of a second form leave behind. */
export interface Made {
  /** Of the captured variables, those whose declaration will never be reached. */
  dead?: readonly (true | undefined)[];
  /** Of members with computed keys, by their ordinal, the keys under which they stand. */
  keys?: Readonly<Record<number, PropertyKey>>;
  fill?: (captures: readonly unknown[]) => void;
  members?: ReadonlyMap<number, AnyFunction>;
}

export interface Factories {
  readonly functions: Readonly<Record<number, (made: Made) => AnyFunction>>;
  readonly classes: Readonly<
    Record<number, (made: Made, heritage: unknown, keys: readonly PropertyKey[]) => AnyFunction>
  >;
  readonly steps: Readonly<Record<number, AnyFunction>>;
}

/** Which functions and classes of a file a state refers to. */
export interface CodeSelection {
  readonly record: object;
  readonly functions: readonly number[];
  readonly classes: readonly number[];
}

export interface CodePort {
  /** Nothing if the text behind a record will not be found again. */
  entriesOf(record: object): CodeEntries | undefined;
  /** Where a state is read: what the second form of the record's file answers. */
  factories(record: object): Factories;
}

/** Numbers of the format. */
export const KINDS_OF_CODE = {
  FUNCTION: 0,
  CLASS: 1,
  MEMBER: 2,
  STEP: 3,
  PROTOTYPE: 4,
  HANDLE: 5,
  CLASS_WITH_DEAD: 6,
} as const;
const { FUNCTION, CLASS, MEMBER, STEP, PROTOTYPE, HANDLE, CLASS_WITH_DEAD } = KINDS_OF_CODE;

export class CodeAdapters {
  readonly #realm: Realm;
  readonly #port: CodePort;
  readonly #selection = new SafeMap<object, { functions: true[]; classes: true[] }>();
  readonly #made = new SafeMap<object, Made>();
  readonly #points = new SafeMap<AnyFunction, Points>();
  readonly #members = new ClassMembers();
  readonly #sameShape: EngineView['sameShape'];
  readonly adapters: readonly Adapter[];

  constructor(realm: Realm, port: CodePort) {
    this.#realm = realm;
    this.#port = port;
    this.#sameShape = realm.parts.host.engine?.sameShape ?? never;
    this.adapters = [this.#functions(), this.#objects()];
  }

  /** What has been written so far refers to these; a reader needs their factories. */
  selection(): CodeSelection[] {
    const found: CodeSelection[] = [];
    this.#selection.forEach(({ functions, classes }, record) => {
      const ascending = (selected: readonly true[]): number[] => Object.keys(selected).map(Number);
      found[found.length] = { record, functions: ascending(functions), classes: ascending(classes) };
    });
    return found;
  }

  /** The classes whose private members objects below `prototype` carry, the ones that come into being first before others. */
  privates(prototype: object): PrivateMembers[] {
    const found: PrivateMembers[] = [];
    const { isProxy } = this.#realm.parts.brands;
    for (let each: object | null = prototype; each !== null && !isProxy(each); each = prototypeOf(each)) {
      const owner = this.#realm.ownerOf(each);
      const type = owner === undefined ? undefined : this.#realm.classOf(owner);
      if (owner === undefined || type === undefined) continue;
      const { brand, fields } = this.#class(owner);
      if (brand === null) continue;
      const accessors = type.privates ?? {};
      const has = (object: object): boolean => accessors[brand]?.has(object) === true;
      found[found.length] = {
        owner,
        names: fields.map((name) => `#${name}`),
        has,
        read: (object) => (has(object) ? fields.map((name) => accessors[name]?.get(object)) : undefined),
      };
    }
    return found.toReversed();
  }

  /** An object with the private members of these classes, without values: `object` itself, unless a class makes its own. */
  birth(owners: readonly object[], object: object | undefined): object | undefined {
    let born = object;
    for (const owner of owners) {
      const { derived } = this.#class(owner);
      born = this.#realm.parts.classes.stamp(owner, derived ? (born ?? {}) : undefined);
    }
    if (born !== undefined) for (const key of ownKeys(born)) deleteProperty(born, key);
    return born;
  }

  /** To an object that is there already, its private members, without values. */
  bear(object: object, owner: object): void {
    if (!this.#class(owner).derived) throw new TypeError('a class that makes its instances itself is given none');
    this.#realm.parts.classes.stamp(owner, object);
  }

  /** Gives private fields their values. */
  brand(object: object, owner: object, values: readonly unknown[]): void {
    const accessors = this.#realm.classOf(owner)?.privates ?? {};
    this.#class(owner).fields.forEach((name, i) => accessors[name]?.set(object, values[i]));
  }

  /** The slots of a suspended frame that can still be read; nothing if that is not known. */
  liveSlots(frame: object): readonly number[] | undefined {
    const { step, pc } = frame as { step: AnyFunction; pc: number };
    if (pc <= 0) return pc === 0 ? undefined : [];
    let points = this.#points.get(step);
    if (points === undefined) this.#points.set(step, (points = this.#pointsOf(step)));
    return points[pc - 1]?.live;
  }

  #pointsOf(step: AnyFunction): Points {
    const identity = internals.identify(step);
    if (identity?.step !== true) return [];
    return this.#port.entriesOf(identity.module as object)?.functions[identity.ordinal]?.step?.points ?? [];
  }

  #class(constructor: object): CodeEntries['classes'][number] {
    const { module, ordinal } = this.#realm.classOf(constructor) as { module: object; ordinal: number };
    return this.#entries(module, constructor).classes[ordinal] as CodeEntries['classes'][number];
  }

  #select(record: object, what: 'functions' | 'classes', ordinal: number): void {
    let selected = this.#selection.get(record);
    if (selected === undefined) {
      this.#selection.set(record, (selected = { functions: [], classes: [] }));
    }
    if (ordinal >= 0) selected[what][ordinal] = true;
  }

  #entries(record: object, value: object): CodeEntries {
    const entries = this.#port.entriesOf(record);
    if (entries !== undefined) return entries;
    throw new Refusal(
      value,
      'the text it was made of is kept nowhere',
      'make functions in files rather than at run time, or drop it before the capture',
    );
  }

  #functions(): Adapter {
    return {
      name: 'code',
      asks: 'functions',
      take: (value) => this.#takeFunction(value as AnyFunction),
      bornWith: (value) => this.#classWith(value as AnyFunction),
      allocate: (kind, header) => this.#allocateFunction(kind, header),
      fill: (object, kind, contents) => this.#fillFunction(object as AnyFunction, kind, contents),
    };
  }

  #takeFunction(fn: AnyFunction): Parts | undefined {
    if (this.#realm.classOf(fn) !== undefined) return this.#takeClass(fn as Constructor);
    const identity = identified(fn);
    if (identity === undefined || identity.module === internals.CORE) return undefined;
    const record = identity.module as object;
    const { ordinal, captures } = identity;
    const entries = this.#entries(record, fn);
    if (identity.step === true) {
      this.#select(record, 'functions', -1);
      return { kind: STEP, header: [record, ordinal], contents: [], whole: true };
    }
    const entry = entries.functions[ordinal] as CodeEntries['functions'][number];
    const { member } = entry;
    if (member !== null) {
      const header = [this.#ownerOf(fn, record, ordinal, member), ordinal];
      const untouched = isUntouched(fn, entry, lookOf(fn, this.#sameShape), false);
      return { kind: MEMBER, header, contents: [], ...(untouched ? UNTOUCHED : this.#born(entry, undefined)) };
    }
    const look = lookOf(fn, this.#sameShape);
    // What has the look of a function that was just made has no accessor there.
    const { prototype, isBlank } =
      look === 'bare'
        ? NO_PROTOTYPE
        : this.#ownPrototype(fn, look === undefined ? descriptorOf(fn, 'prototype')?.value : fn.prototype);
    if (prototype !== undefined && !isBlank) captures[captures.length] = prototype;
    this.#select(record, 'functions', ordinal);
    const dead = deadAmong(captures);
    const untouched = isUntouched(fn, entry, look, prototype !== undefined);
    return {
      kind: FUNCTION,
      header: dead === '' ? [record, ordinal] : [record, ordinal, dead],
      contents: captures,
      ...(untouched ? UNTOUCHED : this.#born(entry, prototype)),
      label: (index, part) => (part === 'header' ? '' : capturedLabel(entry.captures[index])),
    };
  }

  /** What a function is when its factory has just made it. */
  #born(entry: CodeEntries['functions'][number], prototype: object | undefined): Pick<Parts, 'born' | 'prototype'> {
    const { AsyncFunction, GeneratorFunction, AsyncGeneratorFunction } = this.#realm.kinds;
    const generators = entry.async ? AsyncGeneratorFunction : GeneratorFunction;
    const type = entry.generator ? generators : entry.async ? AsyncFunction : undefined;
    return { born: bornFunction(entry, prototype), prototype: type?.prototype ?? functionPrototype };
  }

  /** The class that still has a function as its member. */
  #classWith(fn: AnyFunction): object | undefined {
    const identity = identified(fn);
    if (identity === undefined || identity.module === internals.CORE || identity.step === true) return undefined;
    const record = identity.module as object;
    const member = this.#port.entriesOf(record)?.functions[identity.ordinal]?.member;
    if (member === null || member === undefined) return undefined;
    return this.#realm.parts.classes.classesOf(record, member.class).find((each) => hasMember(each as Constructor, fn));
  }

  /** The evaluation of a class that a method is of. */
  #ownerOf(fn: AnyFunction, record: object, ordinal: number, { class: type, key }: Member): object {
    const living = this.#realm.parts.classes.classesOf(record, type);
    if (living.length === 1) return living[0] as object;
    for (const each of living) if (hasMember(each as Constructor, fn)) return each;
    throw new Refusal(
      fn,
      `its class has been evaluated ${living.length} times, and none of these still has it as ${key ?? `member ${ordinal}`}`,
      'keep the object it is a method of instead of the method',
    );
  }

  /** A Proxy is none that was made with the function, and nobody is to notice that it was looked at. */
  #ownPrototype(fn: AnyFunction, prototype: unknown): OwnPrototype {
    const isOther = typeof prototype !== 'object' || prototype === null || this.#realm.parts.brands.isProxy(prototype);
    return isOther ? NO_PROTOTYPE : ownPrototype(fn, prototype);
  }

  #takeClass(fn: Constructor): Parts {
    const type = this.#realm.classOf(fn) as NonNullable<ReturnType<Realm['classOf']>>;
    const entries = this.#entries(type.module, fn);
    this.#select(type.module, 'classes', type.ordinal);
    const entry = entries.classes[type.ordinal] as CodeEntries['classes'][number];
    const captures = type.captures?.() ?? [];
    const statics = entry.statics.map((name) => type.privates?.[name]?.get(fn));
    const heritage = this.#heritage(fn, entry);
    const dead = deadAmong(captures);
    const header = [type.module, type.ordinal, heritage];
    return {
      kind: dead === '' ? CLASS : CLASS_WITH_DEAD,
      header: [
        ...header,
        ...(dead === '' ? [] : [dead]),
        ...type.keys,
        ...this.#members.computedKeys(fn, entries, type),
      ],
      contents: [captures.length, ...captures, ...statics, fn.prototype],
      prototype: heritage ?? functionPrototype,
      born: this.#members.bornClass(fn, entries, type),
      label: (index) => classLabel(index, captures.length, entry),
    };
  }

  /** What a class is to extend when it is made again: prototypes that somebody has set since follow when it exists. */
  #heritage(fn: Constructor, { derived }: CodeEntries['classes'][number]): object | null | undefined {
    if (!derived) return undefined;
    const heritage = prototypeOf(fn);
    return heritage !== null && this.#canBeExtended(heritage) ? heritage : null;
  }

  #canBeExtended(heritage: object): boolean {
    if (typeof heritage !== 'function') return false;
    if (this.#realm.parts.brands.isProxy(heritage)) return true;
    const prototype = descriptorOf(heritage, 'prototype');
    // One that can be deleted has been added, to a bound function: it follows as any property does.
    if (typeof prototype?.value !== 'object' || prototype.configurable === true) return false;
    try {
      // Fails before anything is called unless it is a constructor.
      construct(Object, [], heritage);
      return true;
    } catch {
      return false;
    }
  }

  /** What the prototype of a class is below when the class is made again; anything else if that is not certain. */
  #prototypeBelow(fn: Constructor, entry: CodeEntries['classes'][number]): object | null {
    const heritage = this.#heritage(fn, entry);
    if (heritage === undefined) return objectPrototype;
    if (heritage === null) return null;
    // What a Proxy answers for `prototype` is for others to say, each time: a handle from outside may know nothing while a state is put back.
    if (this.#realm.parts.brands.isProxy(heritage)) return null;
    // That of an ordinary function may be another by then than the one it is born with.
    const isOrdinary = this.#realm.classOf(heritage) === undefined && this.#isPlain(heritage as AnyFunction);
    return isOrdinary ? functionPrototype : (heritage as Constructor).prototype;
  }

  #allocateFunction(kind: number, header: readonly unknown[]): object {
    const [first, ordinal] = header as [unknown, number];
    if (kind === MEMBER) {
      const member = this.#made.get(first as object)?.members?.get(ordinal);
      if (member === undefined) throw new TypeError(`the class has no member ${ordinal}`);
      return member;
    }
    const factories = this.#port.factories(first as object);
    if (kind === STEP) return found(factories.steps[ordinal], 'step', ordinal);
    const made: Made = {};
    let fn: AnyFunction;
    if (kind === FUNCTION) {
      if (header.length > 2) made.dead = deadFrom(header[2]);
      fn = found(factories.functions[ordinal], 'function', ordinal)(made);
    } else if (kind === CLASS || kind === CLASS_WITH_DEAD) {
      if (kind === CLASS_WITH_DEAD) made.dead = deadFrom(header[3]);
      const computed = this.#members.computed(this.#entries(first as object, first as object), ordinal);
      const given = header.slice(kind === CLASS ? 3 : 4) as PropertyKey[];
      const keys = given.slice(0, given.length - computed.length);
      made.keys = Object.fromEntries(computed.map(([n], i) => [n, given[keys.length + i]])) as Record<
        number,
        PropertyKey
      >;
      fn = found(factories.classes[ordinal], 'class', ordinal)(made, header[2], keys);
    } else throw new TypeError(`there is no kind ${kind} of function`);
    this.#made.set(fn, made);
    return fn;
  }

  #fillFunction(fn: AnyFunction, kind: number, contents: readonly unknown[]): void {
    const made = this.#made.get(fn);
    if (kind === FUNCTION) made?.fill?.(contents);
    if (kind !== CLASS && kind !== CLASS_WITH_DEAD) return;
    const count = Number(contents[0]);
    made?.fill?.(contents.slice(1, count + 1));
    const accessors = this.#realm.classOf(fn)?.privates ?? {};
    this.#class(fn).statics.forEach((name, i) => accessors[name]?.set(fn, contents[count + 1 + i]));
  }

  #objects(): Adapter {
    return {
      name: 'prototypes',
      asks: 'objects',
      odd: true,
      claims: (prototype) => prototype === handlePrototype,
      take: (value) => this.#takeObject(value),
      bornWith: (value) => this.#realm.ownerOf(value),
      allocate: (kind, header) => {
        const [owner] = header as [Constructor];
        if (kind === PROTOTYPE) return owner.prototype;
        const type = this.#realm.classOf(owner);
        if (kind !== HANDLE || type === undefined) throw new TypeError(`there is no kind ${kind} of prototype`);
        return type.handle;
      },
      fill: () => undefined,
    };
  }

  #takeObject(value: object): Parts | undefined {
    if (prototypeOf(value) === handlePrototype) {
      return { kind: HANDLE, header: [(value as { home: object }).home], contents: [], whole: true };
    }
    const owner: unknown = this.#realm.ownerOf(value) ?? descriptorOf(value, 'constructor')?.value;
    if (typeof owner !== 'function' || this.#realm.parts.brands.isProxy(owner)) return undefined;
    if (descriptorOf(owner, 'prototype')?.value !== value) return undefined;
    const type = this.#realm.classOf(owner);
    if (type === undefined) {
      if (!this.#isPlain(owner as AnyFunction)) return undefined;
      const born = { constructor: bornConstructor(owner as AnyFunction) };
      return { kind: PROTOTYPE, header: [owner], contents: [], born, prototype: objectPrototype };
    }
    const entries = this.#entries(type.module, owner);
    const entry = entries.classes[type.ordinal] as CodeEntries['classes'][number];
    return {
      kind: PROTOTYPE,
      header: [owner],
      contents: [],
      born: this.#members.bornPrototype(owner as Constructor, entries, type),
      prototype: this.#prototypeBelow(owner as Constructor, entry),
    };
  }

  #isPlain(fn: AnyFunction): boolean {
    const identity = internals.identify(fn);
    return identity !== undefined && identity.module !== internals.CORE;
  }
}

const UNTOUCHED = { untouched: true } as const;
const never = (): boolean => false;

type Points = readonly { readonly live: readonly number[] }[];

function hasMember(type: Constructor, fn: AnyFunction): boolean {
  for (const holder of [type, type.prototype]) {
    for (const name of ownKeys(holder)) {
      const { value, get, set } = descriptorOf(holder, name) as PropertyDescriptor;
      if (value === fn || get === fn || set === fn) return true;
    }
  }
  return false;
}

/** Of a variable that is not known to be able to, that it is dead is noticed here. */
function identified(fn: AnyFunction): ReturnType<typeof internals.identify> {
  try {
    return internals.identify(fn);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new Refusal(
      fn,
      `it captured a variable that will never be initialised (${error.message})`,
      'drop the function where what was to initialise it has failed',
    );
  }
}

/** Places of the captured variables whose declaration will never be reached. */
function deadAmong(captures: readonly unknown[]): string {
  let found = '';
  for (let i = 0; i < captures.length; i++) if (captures[i] === UNINITIALISED) found += found === '' ? i : `,${i}`;
  return found;
}

function deadFrom(places: unknown): (true | undefined)[] {
  const dead: (true | undefined)[] = [];
  if (typeof places !== 'string') throw new TypeError('the places of dead variables are a text');
  for (const place of places.split(',')) {
    if (!/^\d{1,5}$/.test(place)) throw new TypeError('the places of dead variables are numbers');
    dead[Number(place)] = true;
  }
  return dead;
}

const handlePrototype: object = internals.handlePrototype;

function found<T>(made: T | undefined, what: string, ordinal: number): T {
  if (made === undefined) throw new TypeError(`the file has no ${what} ${ordinal}`);
  return made;
}

interface OwnPrototype {
  /** The object in `prototype`, if the function was born with it: `prototype = { constructor, … }` is an object like any other. */
  readonly prototype: object | undefined;
  /** As it was made: nobody would miss it, since the function makes another. */
  readonly isBlank: boolean;
}

const NO_PROTOTYPE: OwnPrototype = { prototype: undefined, isBlank: false };

function ownPrototype(fn: AnyFunction, prototype: object): OwnPrototype {
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

function capturedLabel(name: string | undefined): string {
  return name === undefined ? '.prototype' : ` captured ${name}`;
}

function classLabel(index: number, captured: number, entry: CodeEntries['classes'][number]): string {
  if (index <= captured) return ` captured ${entry.captures[index - 1]}`;
  const name = entry.statics[index - captured - 1];
  return name === undefined ? '.prototype' : `.#${name}`;
}

/** The ports that functions and classes need. */
export function codePorts(
  code: CodeAdapters,
): Pick<HeapPorts, 'adapters' | 'privates' | 'brand' | 'birth' | 'liveSlots'> {
  return {
    adapters: code.adapters,
    privates: (prototype) => code.privates(prototype),
    brand: (object, owner, values) => code.brand(object, owner, values),
    birth: (owners, object) => code.birth(owners, object),
    liveSlots: (frame) => code.liveSlots(frame),
  };
}
