// Stand-ins in an inert graph for values of a running program: functions, classes, objects of core and the host. They
// are plain data that cannot be called, and reading their properties runs no code.

/** A builtin of the language or the host, by name. */
export class BuiltIn {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export interface CodeLocation {
  readonly name: string;
  /** Undefined if the source text is unknown. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

export class ProgramFunction implements CodeLocation {
  readonly name: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** Captured variables by name. */
  readonly captured: Record<string, unknown> = {};
  /** Properties that the program has added. */
  declare properties?: Record<PropertyKey, unknown>;
  constructor({ name, file, line }: CodeLocation) {
    this.name = name;
    this.file = file;
    this.line = line;
  }

  /** Returns the function's own record of properties; its prototype may be a function with another one. */
  static propertiesOf(fn: ProgramFunction): Record<PropertyKey, unknown> {
    if (!Object.hasOwn(fn, 'properties')) fn.properties = {};
    return fn.properties as Record<PropertyKey, unknown>;
  }
}

/** A class of the program. Its instances inherit from `instances`. */
export class ProgramClass extends ProgramFunction {
  readonly extends: unknown;
  constructor(location: CodeLocation, parent: unknown) {
    super(location);
    this.extends = parent;
    defineHidden(this, 'instances', createNamedPrototype(location.name, standInPrototypeOf(parent)));
    classByPrototype.set(instancesOf(this), this);
  }
}

/** An accessor, in place of a property's value. */
export class Accessor {
  readonly get: unknown;
  readonly set: unknown;
  constructor(get: unknown, set: unknown) {
    this.get = get;
    this.set = set;
  }
}

/** A promise or eventual. */
export class Eventual {
  state: 'pending' | 'fulfilled' | 'rejected' = 'pending';
  declare value?: unknown;
  declare reason?: unknown;
  /** Reactions that are waiting for the result. */
  declare waiting?: unknown;
}

/** A function that is suspended at `await` or `yield`. */
export class Frame {
  declare function: unknown;
  /** Line of the suspension point. */
  declare line: number | undefined;
  /** Number of the suspension point; not enumerable. */
  declare readonly pc?: unknown;
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

/** Returns the prototype of a class's instances. */
export function instancesOf(type: ProgramClass): object {
  return (type as unknown as { instances: object }).instances;
}

/** Returns the program class whose instances inherit directly from the prototype. */
export function classOfPrototype(prototype: object): ProgramClass | undefined {
  return classByPrototype.get(prototype);
}

/** Returns the stand-in for the `prototype` of a function or another value that classes extend. */
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

/** Returns a prototype whose objects appear as instances of a class with the name. */
export function createNamedPrototype(name: string, parent: object | null): object {
  const shownName = name === '' ? '(anonymous)' : name;
  const { [shownName]: namedFunction } = { [shownName]: function (): void {} } as Record<string, { prototype: object }>;
  const prototype = Object.create(parent) as object;
  (namedFunction as { prototype: object }).prototype = prototype;
  Object.defineProperty(prototype, 'constructor', { value: namedFunction, writable: true, configurable: true });
  return prototype;
}

/** Classes whose instances may be real ones, because reading them runs no code. */
const REAL_CLASSES =
  /^(?:Object|Array|Function|Map|Set|Date|RegExp|\w*Error|ArrayBuffer|\w+Array|DataView|Number|String|Boolean|Symbol|BigInt|Buffer|URL|URLSearchParams|DOMException)$/;
const builtInPrototypes = new Map<string, object>(
  ['WeakMap', 'WeakSet'].map((name) => [`${name}.prototype`, createNamedPrototype(name, Map.prototype)]),
);

/** Returns the stand-in for the prototype of a builtin class. */
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

/** Creates a stand-in for an object of core or the host, with its known fields. */
export function createStandIn(kind: string, fields: Readonly<Record<string, unknown>> = {}): object {
  let prototype = prototypeByKind.get(kind);
  if (prototype === undefined) prototypeByKind.set(kind, (prototype = createNamedPrototype(kind, Object.prototype)));
  return Object.assign(Object.create(prototype) as object, fields);
}

const weakFieldChecks = new WeakMap<object, (key: string) => boolean>();

/** Marks fields as weak references: of WeakRefs, and of registrations with a FinalizationRegistry. */
export function markHeldWeakly(object: object, isWeak: (key: string) => boolean): void {
  weakFieldChecks.set(object, isWeak);
}

export function isHeldWeakly(object: object, key: PropertyKey): boolean {
  return typeof key === 'string' && weakFieldChecks.get(object)?.(key) === true;
}

const extraKeys = new WeakMap<object, PropertyKey[]>();

/** Notes a property of a typed array that is not an element: listing its keys would list all elements too. */
export function noteExtraKey(array: object, key: PropertyKey): void {
  const keys = extraKeys.get(array);
  if (keys === undefined) extraKeys.set(array, [key]);
  else if (!keys.includes(key)) keys.push(key);
}

/** Returns the keys of a typed array's properties that are not elements. */
export function extraKeysOf(array: object): readonly PropertyKey[] {
  return extraKeys.get(array) ?? [];
}

const weakCollectionKinds = new WeakMap<object, 'map' | 'set'>();

/** Creates a stand-in for a weak collection, which does not hold its keys. */
export function createWeakCollection(kind: 'map' | 'set'): object {
  const collection = Object.setPrototypeOf(
    new Map(),
    builtInPrototype(`Weak${kind === 'map' ? 'Map' : 'Set'}.prototype`),
  ) as object;
  weakCollectionKinds.set(collection, kind);
  return collection;
}

/** Returns the kind of a weak collection's stand-in; undefined for other values. */
export function weakKindOf(value: unknown): 'map' | 'set' | undefined {
  return weakCollectionKinds.get(value as object);
}
