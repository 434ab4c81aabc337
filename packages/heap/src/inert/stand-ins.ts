// What stands in an inert graph for what only a running program has: functions and classes, what belongs to core and to the host. Plain
// data, every field of it: nothing here can be called, and looking at a property never runs anything.

/** Something of the language or the host that every process has, by its name. */
export class BuiltIn {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Where code stands. */
export interface CodeLocation {
  readonly name: string;
  /** Nothing if the text is not known. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

export class ProgramFunction implements CodeLocation {
  readonly name: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** Variables of the scopes around it that it uses, by their names. */
  readonly captured: Record<string, unknown> = {};
  /** What it was given besides what it was born with. */
  declare properties?: Record<PropertyKey, unknown>;
  constructor({ name, file, line }: CodeLocation) {
    this.name = name;
    this.file = file;
    this.line = line;
  }

  /** Its own: what it inherits from may be a function that has some, too. */
  static propertiesOf(fn: ProgramFunction): Record<PropertyKey, unknown> {
    if (!Object.hasOwn(fn, 'properties')) fn.properties = {};
    return fn.properties as Record<PropertyKey, unknown>;
  }
}

/** A class of the program. Its instances are below `instances`. */
export class ProgramClass extends ProgramFunction {
  readonly extends: unknown;
  constructor(location: CodeLocation, parent: unknown) {
    super(location);
    this.extends = parent;
    defineHidden(this, 'instances', createNamedPrototype(location.name, standInPrototypeOf(parent)));
    classByPrototype.set(instancesOf(this), this);
  }
}

/** An accessor, where a value would stand. */
export class Accessor {
  readonly get: unknown;
  readonly set: unknown;
  constructor(get: unknown, set: unknown) {
    this.get = get;
    this.set = set;
  }
}

/** A promise: `state` is `pending`, `fulfilled` or `rejected`. */
export class Eventual {
  state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
  declare value?: unknown;
  declare reason?: unknown;
  /** What will run when it is settled. */
  declare waiting?: unknown;
}

/** A function that waits at an `await` or a `yield`. */
export class Frame {
  declare function: unknown;
  /** The line where it waits. */
  declare line: number | undefined;
  /** Which of its places that is, hidden from whoever looks. */
  declare readonly pc?: unknown;
  /** Its variables that can still be read. */
  readonly variables: Record<string, unknown> = {};
  declare result: unknown;
  declare context: unknown;
}

/** A variable that several scopes share. */
export class Cell {
  declare name: unknown;
  declare value?: unknown;
}

export class BoundFunction {
  readonly name: unknown;
  readonly function: unknown;
  readonly this: unknown;
  readonly args: readonly unknown[];
  constructor(name: unknown, [target, self, args]: readonly [unknown, unknown, readonly unknown[]]) {
    this.name = name;
    this.function = target;
    this.this = self;
    this.args = args;
  }
}

export class ProxyStandIn {
  readonly target: unknown;
  readonly handler: unknown;
  constructor(target: unknown, handler: unknown) {
    this.target = target;
    this.handler = handler;
  }
}

function defineHidden(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value });
}

const classByPrototype = new WeakMap<object, ProgramClass>();
const prototypeByFunction = new WeakMap<ProgramFunction, object>();

/** What the instances of a class are below. */
export function instancesOf(type: ProgramClass): object {
  return (type as unknown as { instances: object }).instances;
}

/** The class of the program whose instances are directly below the prototype. */
export function classOfPrototype(prototype: object): ProgramClass | undefined {
  return classByPrototype.get(prototype);
}

/** What stands for the `prototype` of a function, or of anything else that may be extended. */
export function standInPrototypeOf(value: unknown): object | null {
  if (value === null) return null;
  if (value instanceof ProgramClass) return instancesOf(value);
  if (value instanceof ProgramFunction) {
    let prototype = prototypeByFunction.get(value);
    if (prototype === undefined)
      prototypeByFunction.set(value, (prototype = createNamedPrototype(value.name, Object.prototype)));
    return prototype;
  }
  return value instanceof BuiltIn ? builtInPrototype(`${value.name}.prototype`) : Object.prototype;
}

/** A prototype whose objects show as instances of a class of that name. */
export function createNamedPrototype(name: string, parent: object | null): object {
  const shownName = name === '' ? '(anonymous)' : name;
  const { [shownName]: namedFunction } = { [shownName]: function (): void {} } as Record<string, { prototype: object }>;
  const prototype = Object.create(parent) as object;
  (namedFunction as { prototype: object }).prototype = prototype;
  Object.defineProperty(prototype, 'constructor', { value: namedFunction, writable: true, configurable: true });
  return prototype;
}

/** Objects of these classes hold nothing that a look at them could run. */
const REAL_CLASSES =
  /^(?:Object|Array|Function|Map|Set|Date|RegExp|\w*Error|ArrayBuffer|\w+Array|DataView|Number|String|Boolean|Symbol|BigInt|Buffer|URL|URLSearchParams|DOMException)$/;
const builtInPrototypes = new Map<string, object>(
  ['WeakMap', 'WeakSet'].map((name) => [`${name}.prototype`, createNamedPrototype(name, Map.prototype)]),
);

/** What stands for the prototype of a class of the language or the host. */
export function builtInPrototype(name: string): object {
  const [, path = '', type = ''] = /^(.*?([^.:]*))\.prototype$/.exec(name) ?? [];
  const realClass = REAL_CLASSES.test(path) ? (globalThis as Record<string, unknown>)[path] : undefined;
  if (typeof realClass === 'function') return realClass.prototype as object;
  if (/(?:^|\.)Buffer$/.test(path)) return Buffer.prototype;
  let prototype = builtInPrototypes.get(name);
  if (prototype === undefined) {
    prototype = createNamedPrototype(type, Object.prototype);
    builtInPrototypes.set(name, prototype);
  }
  return prototype;
}

const prototypeByKind = new Map<string, object>();

/** An object of a kind that belongs to core or to the host, with what is known of it. */
export function createStandIn(kind: string, fields: Readonly<Record<string, unknown>> = {}): object {
  let prototype = prototypeByKind.get(kind);
  if (prototype === undefined) prototypeByKind.set(kind, (prototype = createNamedPrototype(kind, Object.prototype)));
  return Object.assign(Object.create(prototype) as object, fields);
}

const weakFieldChecks = new WeakMap<object, (key: string) => boolean>();

/** Whatever stands under these keys the object does not keep: WeakRefs, and what is registered with a FinalizationRegistry. */
export function markHeldWeakly(object: object, isWeak: (key: string) => boolean): void {
  weakFieldChecks.set(object, isWeak);
}

export function isHeldWeakly(object: object, key: PropertyKey): boolean {
  return typeof key === 'string' && weakFieldChecks.get(object)?.(key) === true;
}

const extraKeys = new WeakMap<object, PropertyKey[]>();

/** A typed array has a property that is none of its elements: whoever asked it for its keys would be given all of those, too. */
export function noteExtraKey(array: object, key: PropertyKey): void {
  const keys = extraKeys.get(array);
  if (keys === undefined) extraKeys.set(array, [key]);
  else if (!keys.includes(key)) keys.push(key);
}

/** Keys of properties of a typed array that are none of its elements. */
export function extraKeysOf(array: object): readonly PropertyKey[] {
  return extraKeys.get(array) ?? [];
}

const weakCollectionKinds = new WeakMap<object, 'map' | 'set'>();

/** A weak collection: its keys are held by others. */
export function createWeakCollection(kind: 'map' | 'set'): object {
  const collection = Object.setPrototypeOf(
    new Map(),
    builtInPrototype(`Weak${kind === 'map' ? 'Map' : 'Set'}.prototype`),
  ) as object;
  weakCollectionKinds.set(collection, kind);
  return collection;
}

/** Nothing if it is something else. */
export function weakKindOf(value: unknown): 'map' | 'set' | undefined {
  return weakCollectionKinds.get(value as object);
}
