// Copies a value for another actor of the same worker. Plain data and errors keep shared structure; other passable
// objects become references. Anything else is refused with its path, since an object that two actors reach would break
// their isolation. Runs no code of the program except accessors of plain objects. Hot path: guarded by bench:peers.

import { nodeBufferPrototype, viewNumbers, viewTypes } from '../buffer-views.ts';
import {
  functionRefused,
  instanceRefused,
  symbolKeyRefused,
  checkSymbol,
  proxyRefused,
  NotPassableValue,
  notPassableError,
  sharedMemoryRefused,
  transferredRefused,
} from '../not-passable.ts';

export interface ArgumentCopierDeps {
  /** Returns the reference or eventual that passes in place of an object; undefined if the object is copied. */
  referenceFor(value: object): object | undefined;
  readonly types: PassableTypeChecks;
}

export interface PassableTypeChecks {
  isProxy(value: unknown): boolean;
  isNativeError(value: unknown): value is Error;
  isDate(value: unknown): value is Date;
  isRegExp(value: unknown): value is RegExp;
  isMap(value: unknown): value is Map<unknown, unknown>;
  isSet(value: unknown): value is Set<unknown>;
  isArrayBuffer(value: unknown): value is ArrayBuffer;
  isBoxedPrimitive(value: unknown): boolean;
}

/** Number of objects that are found by linear search. Further objects are in a map. */
const MAX_LINEAR_SEARCH = 8;

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

export class ArgumentCopier {
  readonly #deps: ArgumentCopierDeps;
  // Objects in the current value, and their copies. A few are in the lists, the others in the map.
  #count = 0;
  readonly #originals: unknown[] = [];
  readonly #copies: unknown[] = [];
  #overflow: Map<unknown, unknown> | undefined;
  #isBusy = false;

  constructor(deps: ArgumentCopierDeps) {
    this.#deps = deps;
  }

  /** Copies a value. `name` describes the value in errors: `args[0] of Cart.add`. */
  copy(value: unknown, name: () => string): unknown {
    if (typeof value !== 'object' || value === null) {
      if (typeof value !== 'function' && typeof value !== 'symbol') return value;
    }
    // Busy if an accessor in the value that is being copied has sent a message.
    if (this.#isBusy) return new ArgumentCopier(this.#deps).copy(value, name);
    this.#isBusy = true;
    try {
      return this.#copyValue(value);
    } catch (error) {
      if (!(error instanceof NotPassableValue)) throw error;
      throw notPassableError(error, value, name());
    } finally {
      this.#reset();
      this.#isBusy = false;
    }
  }

  #reset(): void {
    const few = this.#count < MAX_LINEAR_SEARCH ? this.#count : MAX_LINEAR_SEARCH;
    for (let i = 0; i < few; i++) this.#originals[i] = this.#copies[i] = undefined;
    this.#count = 0;
    this.#overflow = undefined;
  }

  #copyValue(value: unknown): unknown {
    if (typeof value === 'object' && value !== null) return this.#copyObject(value);
    if (typeof value === 'function') return this.#copyFunction(value);
    if (typeof value === 'symbol') return checkSymbol(value);
    return value;
  }

  #copyObject(value: object): unknown {
    const existing = this.#copyOf(value);
    if (existing !== undefined) return existing;
    if (isArray(value)) return this.#copyArray(value);
    const prototype: unknown = getPrototypeOf(value);
    if (prototype === objectPrototype) return this.#copyPlain(value, { ...value });
    return this.#copyRare(value, prototype);
  }

  #copyOf(value: object): object | undefined {
    const originals = this.#originals;
    const few = this.#count < MAX_LINEAR_SEARCH ? this.#count : MAX_LINEAR_SEARCH;
    for (let i = 0; i < few; i++) if (originals[i] === value) return this.#copies[i] as object;
    return this.#overflow?.get(value) as object | undefined;
  }

  #remember(value: object, copy: object): void {
    const index = this.#count++;
    if (index < MAX_LINEAR_SEARCH) {
      this.#originals[index] = value;
      this.#copies[index] = copy;
      return;
    }
    this.#overflow ??= new NativeMap<unknown, unknown>();
    this.#overflow.set(value, copy);
  }

  /** Replaces the properties of `copy`, which `value` has as well, by their copies. */
  #copyPlain(value: object, copy: Plain): object {
    const reference = this.#deps.referenceFor(value);
    if (reference !== undefined) return reference;
    this.#remember(value, copy);
    for (const key in copy) {
      const inner = copy[key];
      if ((typeof inner === 'object' && inner !== null) || typeof inner === 'function' || typeof inner === 'symbol') {
        if (hasOwn(copy, key)) copy[key] = this.#copyValue(inner);
      }
    }
    if (getOwnPropertySymbols(copy).length > 0) throw symbolKeyRefused(value);
    return copy;
  }

  #copyArray(value: readonly unknown[]): unknown[] {
    if (this.#deps.types.isProxy(value)) throw proxyRefused(value);
    const copy: unknown[] = [];
    this.#remember(value, copy);
    copy.length = value.length;
    let ownCount = 0;
    for (let i = 0; i < value.length; i++) {
      if (!(i in value)) continue;
      ownCount++;
      copy[i] = this.#copyValue(value[i]);
    }
    // `ownKeys` has `length`, and perhaps other properties, as the result of `match` has an index.
    if (value.length < 64 ? ownKeys(value).length > ownCount + 1 : hasOwn(value, 'index'))
      this.#copyOwnProperties(value, copy);
    return copy;
  }

  #copyOwnProperties(value: object, copy: object): void {
    for (const key of ownKeys(value)) {
      if (hasOwn(copy, key)) continue;
      if (typeof key === 'symbol') throw symbolKeyRefused(value);
      const { enumerable } = getOwnPropertyDescriptor(value, key) as PropertyDescriptor;
      const inner = this.#copyValue((value as Plain)[key]);
      defineProperty(copy, key, { value: inner, writable: true, enumerable: enumerable === true, configurable: true });
    }
  }

  #copyFunction(value: object): object {
    const reference = this.#deps.referenceFor(value);
    if (reference !== undefined) return reference;
    throw functionRefused(value);
  }

  #copyRare(value: object, prototype: unknown): object {
    const { types } = this.#deps;
    const reference = this.#deps.referenceFor(value);
    if (reference !== undefined) return reference;
    if (types.isProxy(value)) throw proxyRefused(value);
    if (prototype === null) return this.#copyPlain(value, { __proto__: null, ...value } as Plain);
    if (types.isNativeError(value)) return this.#copyError(value, prototype as object);
    const copy = this.#copyBuiltin(value, prototype as object);
    if (copy !== undefined) return copy;
    throw instanceRefused(value, prototype as object);
  }

  /** Copies a value-like builtin, without properties that the program added to it. */
  #copyBuiltin(value: object, prototype: object): object | undefined {
    const { types } = this.#deps;
    if (types.isDate(value) && prototype === Date.prototype)
      return this.#remembered(value, new Date(apply(getTime, value, [])));
    if (types.isRegExp(value) && prototype === RegExp.prototype) {
      const copy = new RegExp(value.source, value.flags);
      copy.lastIndex = value.lastIndex;
      return this.#remembered(value, copy);
    }
    if (types.isMap(value) && prototype === NativeMap.prototype) {
      const copy = this.#remembered(value, new NativeMap());
      apply(mapForEach, value, [
        (inner: unknown, key: unknown) => void apply(mapSet, copy, [this.#copyValue(key), this.#copyValue(inner)]),
      ]);
      return copy;
    }
    if (types.isSet(value) && prototype === NativeSet.prototype) {
      const copy = this.#remembered(value, new NativeSet());
      apply(setForEach, value, [(inner: unknown) => void apply(setAdd, copy, [this.#copyValue(inner)])]);
      return copy;
    }
    if (types.isArrayBuffer(value)) {
      if (value.detached) throw transferredRefused(value);
      return this.#remembered(value, structuredClone(value));
    }
    if (isView(value)) return this.#copyView(value, prototype);
    if (types.isBoxedPrimitive(value))
      return this.#remembered(value, Object(this.#copyValue((value as { valueOf(): unknown }).valueOf())) as object);
    return undefined;
  }

  /** Copies a view with its whole buffer; for a Node.js Buffer, which may share a pool, copies only its own bytes. */
  #copyView(value: ArrayBufferView, prototype: object): object {
    const { buffer, byteOffset, byteLength } = value;
    if (!this.#deps.types.isArrayBuffer(buffer)) throw sharedMemoryRefused(value);
    if (prototype === nodeBufferPrototype) {
      const bytes = new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength));
      return this.#remembered(value, setPrototypeOf(bytes, prototype) as object);
    }
    const number = viewNumbers.get(prototype);
    if (number === undefined) throw instanceRefused(value, prototype);
    const type = viewTypes[number] as (typeof viewTypes)[number];
    const bytes = this.#copyObject(buffer) as ArrayBuffer;
    const isWhole = byteOffset === 0 && byteLength === buffer.byteLength;
    const length = 'length' in value ? (value as Uint8Array).length : byteLength;
    return this.#remembered(value, isWhole ? new type(bytes) : new type(bytes, byteOffset, length));
  }

  #remembered<T extends object>(value: object, copy: T): T {
    this.#remember(value, copy);
    return copy;
  }

  /** Copies an error of any class with its stack. The copy has the same class: actors of one worker share classes. */
  #copyError(value: Error, prototype: object): Error {
    // Message and name of a DOMException are internal, so they are passed to its constructor.
    const copy =
      value instanceof DOMException ? (new DOMException(value.message, value.name) as unknown as Error) : new Error();
    this.#remember(value, copy);
    setPrototypeOf(copy, prototype);
    Reflect.deleteProperty(copy, 'stack');
    const stack = this.#copyValue(value.stack);
    defineProperty(copy, 'stack', { value: stack, writable: true, enumerable: false, configurable: true });
    this.#copyOwnProperties(value, copy);
    return copy;
  }
}
