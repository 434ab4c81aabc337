// Copies a value for another actor of the same worker: plain data and errors keep shared structure, other passable objects become references. All else
// is refused by its path: an object that two actors reach would end their isolation. Runs no code of the program but accessors of plain objects.
// Hot path: guarded by bench:peers.

import { nodeBufferPrototype, viewNumbers, viewTypes } from '../buffer-views.ts';
import {
  functionRefused,
  instanceRefused,
  namedBySymbol,
  passedSymbol,
  proxied,
  Refused,
  refusedValue,
  sharedMemory,
  transferred,
} from '../refusal.ts';

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
      throw refusedValue(error, value, name());
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
    throw functionRefused(value);
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
    throw instanceRefused(value, prototype as object);
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
    if (types.isArrayBuffer(value)) {
      if (value.detached) throw transferred(value);
      return this.#kept(value, structuredClone(value));
    }
    if (isView(value)) return this.#view(value, prototype);
    if (types.isBoxedPrimitive(value))
      return this.#kept(value, Object(this.#copy((value as { valueOf(): unknown }).valueOf())) as object);
    return undefined;
  }

  /** A view of a copy of its buffer. What lies in a pool of Node's comes alone. */
  #view(value: ArrayBufferView, prototype: object): object {
    const { buffer, byteOffset, byteLength } = value;
    if (!this.#ports.types.isArrayBuffer(buffer)) throw sharedMemory(value);
    if (prototype === nodeBufferPrototype) {
      const bytes = new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength));
      return this.#kept(value, setPrototypeOf(bytes, prototype) as object);
    }
    const number = viewNumbers.get(prototype);
    if (number === undefined) throw instanceRefused(value, prototype);
    const type = viewTypes[number] as (typeof viewTypes)[number];
    const bytes = this.#object(buffer) as ArrayBuffer;
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
    // Those keep message and name to themselves.
    const copy =
      value instanceof DOMException ? (new DOMException(value.message, value.name) as unknown as Error) : new Error();
    this.#remember(value, copy);
    setPrototypeOf(copy, prototype);
    Reflect.deleteProperty(copy, 'stack');
    defineProperty(copy, 'stack', {
      value: this.#copy(value.stack),
      writable: true,
      enumerable: false,
      configurable: true,
    });
    this.#own(value, copy);
    return copy;
  }
}
