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
export interface CodePlace {
  readonly name: string;
  /** Nothing if the text is not known. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

export class ProgramFunction implements CodePlace {
  readonly name: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** Variables of the scopes around it that it uses, by their names. */
  readonly captured: Record<string, unknown> = {};
  /** What it was given besides what it was born with. */
  declare properties?: Record<PropertyKey, unknown>;
  constructor({ name, file, line }: CodePlace) {
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
  constructor(place: CodePlace, above: unknown) {
    super(place);
    this.extends = above;
    hide(this, 'instances', prototypeNamed(place.name, prototypeOf(above)));
    classes.set(instancesOf(this), this);
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

function hide(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value });
}

const classes = new WeakMap<object, ProgramClass>();
const functions = new WeakMap<ProgramFunction, object>();

/** What the instances of a class are below. */
export function instancesOf(type: ProgramClass): object {
  return (type as unknown as { instances: object }).instances;
}

/** The class of the program whose instances are directly below the prototype. */
export function classOfPrototype(prototype: object): ProgramClass | undefined {
  return classes.get(prototype);
}

/** What stands for the `prototype` of a function, or of anything else that may be extended. */
export function prototypeOf(value: unknown): object | null {
  if (value === null) return null;
  if (value instanceof ProgramClass) return instancesOf(value);
  if (value instanceof ProgramFunction) {
    let prototype = functions.get(value);
    if (prototype === undefined) functions.set(value, (prototype = prototypeNamed(value.name, Object.prototype)));
    return prototype;
  }
  return value instanceof BuiltIn ? builtInPrototype(`${value.name}.prototype`) : Object.prototype;
}

/** A prototype whose objects show as instances of a class of that name. */
export function prototypeNamed(name: string, above: object | null): object {
  const shown = name === '' ? '(anonymous)' : name;
  const { [shown]: type } = { [shown]: function (): void {} } as Record<string, { prototype: object }>;
  const prototype = Object.create(above) as object;
  (type as { prototype: object }).prototype = prototype;
  Object.defineProperty(prototype, 'constructor', { value: type, writable: true, configurable: true });
  return prototype;
}

/** Objects of these classes hold nothing that a look at them could run. */
const REAL =
  /^(?:Object|Array|Function|Map|Set|Date|RegExp|\w*Error|ArrayBuffer|\w+Array|DataView|Number|String|Boolean|Symbol|BigInt|Buffer|URL|URLSearchParams|DOMException)$/;
const builtIns = new Map<string, object>(
  ['WeakMap', 'WeakSet'].map((name) => [`${name}.prototype`, prototypeNamed(name, Map.prototype)]),
);

/** What stands for the prototype of a class of the language or the host. */
export function builtInPrototype(name: string): object {
  const [, path = '', type = ''] = /^(.*?([^.:]*))\.prototype$/.exec(name) ?? [];
  const real = REAL.test(path) ? (globalThis as Record<string, unknown>)[path] : undefined;
  if (typeof real === 'function') return real.prototype as object;
  if (/(?:^|\.)Buffer$/.test(path)) return Buffer.prototype;
  let made = builtIns.get(name);
  if (made === undefined) {
    made = prototypeNamed(type, Object.prototype);
    builtIns.set(name, made);
  }
  return made;
}

const named = new Map<string, object>();

/** An object of a kind that belongs to core or to the host, with what is known of it. */
export function objectOf(kind: string, fields: Readonly<Record<string, unknown>> = {}): object {
  let prototype = named.get(kind);
  if (prototype === undefined) named.set(kind, (prototype = prototypeNamed(kind, Object.prototype)));
  return Object.assign(Object.create(prototype) as object, fields);
}

const weakFields = new WeakMap<object, (key: string) => boolean>();

/** Whatever stands under these keys the object does not keep: WeakRefs, and what is registered with a FinalizationRegistry. */
export function holdWeakly(object: object, isWeak: (key: string) => boolean): void {
  weakFields.set(object, isWeak);
}

export function isHeldWeakly(object: object, key: PropertyKey): boolean {
  return typeof key === 'string' && weakFields.get(object)?.(key) === true;
}

const besideElements = new WeakMap<object, PropertyKey[]>();

/** A typed array has a property that is none of its elements: whoever asked it for its keys would be given all of those, too. */
export function notePropertyOf(array: object, key: PropertyKey): void {
  const keys = besideElements.get(array);
  if (keys === undefined) besideElements.set(array, [key]);
  else if (!keys.includes(key)) keys.push(key);
}

/** Keys of properties of a typed array that are none of its elements. */
export function keysBesideElements(array: object): readonly PropertyKey[] {
  return besideElements.get(array) ?? [];
}

const weak = new WeakMap<object, 'map' | 'set'>();

/** A weak collection: its keys are held by others. */
export function weakCollection(what: 'map' | 'set'): object {
  const made = Object.setPrototypeOf(
    new Map(),
    builtInPrototype(`Weak${what === 'map' ? 'Map' : 'Set'}.prototype`),
  ) as object;
  weak.set(made, what);
  return made;
}

/** Nothing if it is something else. */
export function weakKindOf(value: unknown): 'map' | 'set' | undefined {
  return weak.get(value as object);
}
