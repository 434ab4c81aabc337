// What a value becomes on its way to another actor of the same worker: primitives as they are, plain data and errors as copies in which what was
// one object is one again, what other actors have references to as such a reference. Nothing else passes: an object that two
// actors reach would end their isolation. What is refused is named by its path.
// Runs no code of the program but accessors of plain objects, whose values are what is copied. Hot path: guarded by bench/prototype.

import { RuntimeError } from './runtime-error.ts';

export interface PassingPorts {
  /** What stands for an object that passes by reference: a root, what `far` was asked for, a reference itself, an eventual. */
  reference(value: object): object | undefined;
  readonly types: TypeChecks;
}

/** Of `util.types`. */
export interface TypeChecks {
  isProxy(value: unknown): boolean;
  isNativeError(value: unknown): value is Error;
  isDate(value: unknown): value is Date;
  isRegExp(value: unknown): value is RegExp;
  isMap(value: unknown): value is Map<unknown, unknown>;
  isSet(value: unknown): value is Set<unknown>;
  isArrayBuffer(value: unknown): value is ArrayBuffer;
  isBoxedPrimitive(value: unknown): boolean;
}

/** Until so many objects have been met, they are looked for one by one. */
const FEW = 8;

const { getOwnPropertySymbols, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, hasOwn, defineProperty } =
  Object;
const { isArray } = Array;
const { isView } = ArrayBuffer;
const { apply, ownKeys } = Reflect;
const objectPrototype: unknown = Object.prototype;
const mapForEach = Map.prototype.forEach;
const mapSet = Map.prototype.set;
const setForEach = Set.prototype.forEach;
const setAdd = Set.prototype.add;
const getTime = Date.prototype.getTime;
const NativeMap = Map;
const NativeSet = Set;

type Plain = Record<PropertyKey, unknown>;

/** Why a value does not pass; the path is looked for afterwards. */
class Refused {
  readonly value: unknown;
  readonly reason: string;
  readonly remedy: string;
  constructor(value: unknown, reason: string, remedy: string) {
    this.value = value;
    this.reason = reason;
    this.remedy = remedy;
  }
}

export class Passing {
  readonly #ports: PassingPorts;
  // What has been met in the value at hand, and its copies.
  #count = 0;
  readonly #met: unknown[] = [];
  readonly #copies: unknown[] = [];
  #more: Map<unknown, unknown> | undefined;
  #isBusy = false;

  constructor(ports: PassingPorts) {
    this.#ports = ports;
  }

  /** `name` says what the value is: `args[0] of Cart.add`. */
  pass(value: unknown, name: () => string): unknown {
    if (typeof value !== 'object' || value === null) {
      if (typeof value !== 'function' && typeof value !== 'symbol') return value;
    }
    // An accessor of what is copied sends a message itself.
    if (this.#isBusy) return new Passing(this.#ports).pass(value, name);
    this.#isBusy = true;
    try {
      return this.#copy(value);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { reason, remedy } = error;
      const path = pathTo(value, error.value);
      throw new RuntimeError('TT_NOT_PASSABLE', `${path}${path === '' ? '' : ' in '}${name()}: ${reason}; ${remedy}`);
    } finally {
      this.#forget();
      this.#isBusy = false;
    }
  }

  #forget(): void {
    const few = this.#count < FEW ? this.#count : FEW;
    for (let i = 0; i < few; i++) this.#met[i] = this.#copies[i] = undefined;
    this.#count = 0;
    this.#more = undefined;
  }

  #copy(value: unknown): unknown {
    if (typeof value === 'object' && value !== null) return this.#object(value);
    if (typeof value === 'function') return this.#function(value);
    if (typeof value === 'symbol') return passedSymbol(value);
    return value;
  }

  #object(value: object): unknown {
    const known = this.#known(value);
    if (known !== undefined) return known;
    if (isArray(value)) return this.#array(value);
    const prototype: unknown = getPrototypeOf(value);
    if (prototype === objectPrototype) return this.#plain(value, { ...value });
    return this.#rare(value, prototype);
  }

  #known(value: object): object | undefined {
    const met = this.#met;
    const few = this.#count < FEW ? this.#count : FEW;
    for (let i = 0; i < few; i++) if (met[i] === value) return this.#copies[i] as object;
    return this.#more?.get(value) as object | undefined;
  }

  #remember(value: object, copy: object): void {
    const place = this.#count++;
    if (place < FEW) {
      this.#met[place] = value;
      this.#copies[place] = copy;
      return;
    }
    this.#more ??= new NativeMap<unknown, unknown>();
    this.#more.set(value, copy);
  }

  /** `made`: with the values of `value`, which are replaced by what they become. */
  #plain(value: object, made: Plain): object {
    const reference = this.#ports.reference(value);
    if (reference !== undefined) return reference;
    this.#remember(value, made);
    for (const key in made) {
      const inner = made[key];
      if ((typeof inner === 'object' && inner !== null) || typeof inner === 'function' || typeof inner === 'symbol') {
        if (hasOwn(made, key)) made[key] = this.#copy(inner);
      }
    }
    if (getOwnPropertySymbols(made).length > 0) throw namedBySymbol(value);
    return made;
  }

  #array(value: readonly unknown[]): unknown[] {
    if (this.#ports.types.isProxy(value)) throw proxied(value);
    const copy: unknown[] = [];
    this.#remember(value, copy);
    copy.length = value.length;
    let own = 0;
    for (let i = 0; i < value.length; i++) {
      if (!(i in value)) continue;
      own++;
      copy[i] = this.#copy(value[i]);
    }
    // `length`, and perhaps more than elements: what `match` answers has an index.
    if (value.length < 64 ? ownKeys(value).length > own + 1 : hasOwn(value, 'index')) this.#own(value, copy);
    return copy;
  }

  /** Own properties under names that the copy has not got yet. */
  #own(value: object, copy: object): void {
    for (const key of ownKeys(value)) {
      if (hasOwn(copy, key)) continue;
      if (typeof key === 'symbol') throw namedBySymbol(value);
      const { enumerable } = getOwnPropertyDescriptor(value, key) as PropertyDescriptor;
      const inner = this.#copy((value as Plain)[key]);
      defineProperty(copy, key, { value: inner, writable: true, enumerable: enumerable === true, configurable: true });
    }
  }

  #function(value: object): object {
    const reference = this.#ports.reference(value);
    if (reference !== undefined) return reference;
    throw new Refused(
      value,
      `the function ${quoted(value)} stays with its actor`,
      'pass data and let the other actor have the code, or an object whose method is called, wrapped in far(…)',
    );
  }

  #rare(value: object, prototype: unknown): object {
    const { types } = this.#ports;
    const reference = this.#ports.reference(value);
    if (reference !== undefined) return reference;
    if (types.isProxy(value)) throw proxied(value);
    if (prototype === null) return this.#plain(value, { __proto__: null, ...value } as Plain);
    if (types.isNativeError(value)) return this.#error(value, prototype as object);
    const copy = this.#builtin(value, prototype as object);
    if (copy !== undefined) return copy;
    throw new Refused(
      value,
      `an instance of ${className(prototype as object)} is no plain data`,
      'pass its data, make its class extend Actor, or pass a reference to it with far(…)',
    );
  }

  /** A copy without what a program added to it: these are values. */
  #builtin(value: object, prototype: object): object | undefined {
    const { types } = this.#ports;
    if (types.isDate(value) && prototype === Date.prototype)
      return this.#kept(value, new Date(apply(getTime, value, [])));
    if (types.isRegExp(value) && prototype === RegExp.prototype) {
      const copy = new RegExp(value.source, value.flags);
      copy.lastIndex = value.lastIndex;
      return this.#kept(value, copy);
    }
    if (types.isMap(value) && prototype === NativeMap.prototype) {
      const copy = this.#kept(value, new NativeMap());
      apply(mapForEach, value, [
        (inner: unknown, key: unknown) => void apply(mapSet, copy, [this.#copy(key), this.#copy(inner)]),
      ]);
      return copy;
    }
    if (types.isSet(value) && prototype === NativeSet.prototype) {
      const copy = this.#kept(value, new NativeSet());
      apply(setForEach, value, [(inner: unknown) => void apply(setAdd, copy, [this.#copy(inner)])]);
      return copy;
    }
    if (types.isArrayBuffer(value)) return this.#kept(value, structuredClone(value));
    if (isView(value)) return this.#view(value, prototype);
    if (types.isBoxedPrimitive(value))
      return this.#kept(value, Object((value as { valueOf(): unknown }).valueOf()) as object);
    return undefined;
  }

  /** A view of a copy of its buffer. What lies in a pool of Node's comes alone. */
  #view(value: ArrayBufferView, prototype: object): object {
    const { buffer, byteOffset, byteLength } = value;
    if (!this.#ports.types.isArrayBuffer(buffer)) {
      throw new Refused(value, 'shared memory would be reached by two actors', 'pass a copy of what is in it');
    }
    const isNodes = className(prototype) === 'Buffer';
    const bytes = isNodes ? buffer.slice(byteOffset, byteOffset + byteLength) : (this.#object(buffer) as ArrayBuffer);
    const type = (prototype as { constructor: ViewConstructor }).constructor;
    if (isNodes) return this.#kept(value, setPrototypeOf(new Uint8Array(bytes), prototype) as object);
    const isWhole = byteOffset === 0 && byteLength === buffer.byteLength;
    const length = 'length' in value ? (value as Uint8Array).length : byteLength;
    return this.#kept(value, isWhole ? new type(bytes) : new type(bytes, byteOffset, length));
  }

  #kept<T extends object>(value: object, copy: T): T {
    this.#remember(value, copy);
    return copy;
  }

  /** Of whatever class, with its stack: the class is the same in all actors of a worker. */
  #error(value: Error, prototype: object): Error {
    const copy = new Error();
    this.#remember(value, copy);
    setPrototypeOf(copy, prototype);
    Reflect.deleteProperty(copy, 'stack');
    defineProperty(copy, 'stack', { value: value.stack, writable: true, enumerable: false, configurable: true });
    this.#own(value, copy);
    return copy;
  }
}

type ViewConstructor = new (buffer: ArrayBuffer, offset?: number, length?: number) => object;

function passedSymbol(value: symbol): symbol {
  if (Symbol.keyFor(value) !== undefined || wellKnown.has(value)) return value;
  throw new Refused(value, `${String(value)} is known to its actor only`, 'use Symbol.for(…), or a string');
}

const wellKnown: ReadonlySet<symbol> = new Set(
  ownKeys(Symbol).flatMap((key) => {
    const value: unknown = (Symbol as unknown as Plain)[key];
    return typeof value === 'symbol' ? [value] : [];
  }),
);

function namedBySymbol(value: object): Refused {
  return new Refused(value, 'it has properties named by symbols', 'name them by strings, or leave them out');
}

function proxied(value: object): Refused {
  return new Refused(value, 'a Proxy has behaviour of its own', 'pass a copy of what it shows ({ ...proxy })');
}

function className(prototype: object): string {
  const constructor: unknown = (prototype as { constructor?: unknown }).constructor;
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'a class without a name';
}

function quoted(fn: object): string {
  const { name } = fn as { name: unknown };
  return typeof name === 'string' && name !== '' ? JSON.stringify(name) : 'without a name';
}

/** Where `wanted` stands in a value: `.items[3].onClick`. */
function pathTo(root: unknown, wanted: unknown): string {
  const seen = new Set<unknown>();
  const found = (value: unknown, path: string): string | undefined => {
    if (value === wanted) return path;
    if (typeof value !== 'object' || value === null || seen.has(value)) return undefined;
    seen.add(value);
    for (const [key, inner] of partsOf(value)) {
      const answer = found(inner, path + key);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return (found(root, '') ?? '').replace(/^\./, '');
}

function* partsOf(value: object): Iterable<[key: string, part: unknown]> {
  for (const key of ownKeys(value)) {
    if (typeof key === 'symbol') continue;
    const name = /^\d+$/.test(key)
      ? `[${key}]`
      : /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(key)
        ? `.${key}`
        : `[${JSON.stringify(key)}]`;
    yield [name, (value as Plain)[key]];
  }
  if (value instanceof Map) {
    for (const [key, inner] of value) {
      yield ['.key', key];
      yield [typeof key === 'object' ? '.get(…)' : `.get(${JSON.stringify(key) ?? String(key)})`, inner];
    }
  }
  if (value instanceof Set) for (const inner of value) yield ['.member', inner];
}
