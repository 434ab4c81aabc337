// What emitted code calls for constructs that lost their native form when a function became a wrapper and a step: constant
// variables, `super`, private names, computed keys, object rest, `for await`, `using`. See docs/abi.md.

import { init, type Cell } from './cell.ts';
import {
  apply,
  defineProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isObject,
  NativeTypeError,
  ownKeys,
} from './intrinsics.ts';
import { notIterableError, formatValue } from './value-format.ts';
import { journal } from './undo/journal.ts';
import { iterator } from './iterator.ts';
import { requireResult } from './iterator-protocol.ts';

const { get, set } = Reflect;
const { asyncDispose, dispose } = Symbol;

export interface PrivateAccessors {
  get: (object: object) => unknown;
  set: (object: object, value: unknown) => unknown;
  has: (object: object) => boolean;
  /** It holds a value; known only in code that has barriers. */
  field?: boolean;
}

/** A write to a constant variable whose storage would let it. */
export function constAssign(_name: string, _value: unknown, _alive?: unknown): never {
  throw new NativeTypeError('Assignment to constant variable.');
}

/** The same inside a destructuring pattern, where only a target can stand. */
export function constTarget(_name: string, _alive?: unknown): { v: unknown } {
  return {
    get v(): never {
      throw new NativeTypeError('Assignment to constant variable.');
    },
    set v(_value: unknown) {
      throw new NativeTypeError('Assignment to constant variable.');
    },
  };
}

/** Destructures undefined or null. `text` is what V8 calls the expression, null where it describes the value. */
export function noObject(value: undefined | null, text: string | null, property: string | null): never {
  const description = text ?? (value === null ? 'object null' : 'undefined');
  const subject = property === null ? `'${description}'` : `property '${property}' of '${description}'`;
  throw new NativeTypeError(`Cannot destructure ${subject} as it is ${value}.`);
}

export function noIterable(value: undefined | null, text: string | null): never {
  throw text === null ? notIterableError(value) : new NativeTypeError(`${text} is not iterable`);
}

/** A use of a variable that is never going to be initialised. */
export function dead(name: string): never {
  throw new ReferenceError(`Cannot access '${name}' before initialization`);
}

/** `super()` in an arrow function whose constructor has ended. */
export function superAgain(): never {
  throw new ReferenceError('Super constructor may only be called once');
}

class Initializer {
  readonly #cell: Cell;
  constructor(cell: Cell) {
    this.#cell = cell;
  }
  set v(value: unknown) {
    init(this.#cell, value);
  }
}

/** A target whose assignment initialises a cell. */
export function initializer(cell: Cell): Initializer {
  return new Initializer(cell);
}

/** ToPropertyKey, once, at the moment the key is evaluated. */
export function key(value: unknown): PropertyKey {
  if (typeof value === 'string' || typeof value === 'symbol') return value;
  const [property] = ownKeys({ [value as string]: 0 });
  return property as PropertyKey;
}

/** A call whose function was read before its arguments suspended; `text` is what a message calls that function. */
export function call(fn: unknown, receiver: unknown, args: unknown[], text?: string): unknown {
  if (typeof fn !== 'function') throw new NativeTypeError(`${text ?? formatValue(fn)} is not a function`);
  return apply(fn as () => unknown, receiver, args);
}

/** `{ a, ...rest } = source`: what is left of the source without the keys already taken. */
export function objectRest(source: object, takenKeys: readonly PropertyKey[]): object {
  const rest: Record<PropertyKey, unknown> = {};
  const sourceObject = Object(source) as Record<PropertyKey, unknown>;
  for (const property of ownKeys(sourceObject)) {
    let isTaken = false;
    for (const name of takenKeys) isTaken ||= name === property;
    if (isTaken || getOwnPropertyDescriptor(sourceObject, property)?.enumerable !== true) continue;
    defineProperty(rest, property, {
      value: sourceObject[property as string],
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return rest;
}

export function superGet(home: object, name: PropertyKey, receiver: unknown): unknown {
  return get(getPrototypeOf(home) as object, key(name), receiver);
}

export function superSet(home: object, name: PropertyKey, value: unknown, receiver: unknown): unknown {
  const property = key(name);
  if (journal.log !== undefined && isObject(receiver)) journal.log.noteProperty(receiver, property);
  if (!set(getPrototypeOf(home) as object, property, value, receiver)) {
    throw new NativeTypeError(
      `Cannot assign to read only property '${typeof property === 'symbol' ? '' : property}' of object`,
    );
  }
  return value;
}

export function superTarget(home: object, name: PropertyKey, receiver: unknown): { v: unknown } {
  return {
    get v() {
      return superGet(home, name, receiver);
    },
    set v(value: unknown) {
      superSet(home, name, value, receiver);
    },
  };
}

export function privateTarget(accessors: PrivateAccessors, object: object): { v: unknown } {
  return {
    get v() {
      return accessors.get(object);
    },
    set v(value: unknown) {
      accessors.set(object, value);
    },
  };
}

/** The iteration behind an array pattern that suspends. */
export class ArrayElements {
  iterator: object;
  method: unknown;
  done = false;

  constructor(source: unknown) {
    this.iterator = iterator(source);
    this.method = (this.iterator as Iterator<unknown>).next;
  }

  next(): unknown {
    if (this.done) return undefined;
    // A throw from the iterator itself means that there is nothing left to close.
    this.done = true;
    const result = requireResult(call(this.method, this.iterator, []));
    if (result.done) return undefined;
    const { value } = result;
    this.done = false;
    return value;
  }

  rest(): unknown[] {
    const values: unknown[] = [];
    for (let i = 0; ; i++) {
      const value = this.next();
      if (this.done) return values;
      defineProperty(values, i, { value, writable: true, enumerable: true, configurable: true });
    }
  }

  /** `kind` 1: the pattern was left by a throw, which counts more than what closing does. */
  close(kind: number): void {
    if (this.done) return;
    this.done = true;
    let result: unknown;
    try {
      const method = (this.iterator as { return?: unknown }).return;
      if (method === undefined || method === null) return;
      result = call(method, this.iterator, []);
    } catch (error) {
      if (kind === 1) return;
      throw error;
    }
    if (kind !== 1) requireResult(result);
  }
}

/** One `for await`: which iterator, and the value of the turn. The awaits in between are the emitted code's. */
export class AsyncIteration {
  iterator: object;
  next: unknown;
  /** The value of the turn; while closing, what `return()` gave. */
  value: unknown = undefined;

  constructor(record: { iterator: object; next: unknown }) {
    this.iterator = record.iterator;
    this.next = record.next;
  }

  step(): unknown {
    return call(this.next, this.iterator, []);
  }

  finished(result: unknown): boolean {
    const object = requireResult(result);
    if (object.done) return true;
    this.value = object.value;
    return false;
  }

  /** Calls `return()` if there is one; true when its result is to be awaited. `kind` 1: the loop was left by a throw. */
  close(kind: number): boolean {
    try {
      const method = (this.iterator as { return?: unknown }).return;
      if (method === undefined || method === null) return false;
      this.value = call(method, this.iterator, []);
      return true;
    } catch (error) {
      if (kind === 1) return false;
      throw error;
    }
  }

  closed(result: unknown, kind: number): void {
    if (kind !== 1) requireResult(result);
  }
}

/** How it is disposed of: by a method; by a synchronous one although it is awaited; by a function that is given the value. */
interface Resource {
  value: unknown;
  method: unknown;
  isAsync: boolean;
}

const NativeSuppressedError = SuppressedError;

/** Whether there is to be an await of nothing: something asked for it, and nothing has been awaited. */
const AWAIT_NONE = 0;
const AWAIT_OWED = 1;
const AWAIT_DONE = 2;

function disposeResource({ value, method }: Resource): unknown {
  if (typeof method === 'function') return apply(method as () => unknown, value, []);
  const { sync, adopted } = method as Partial<Record<'sync' | 'adopted', () => unknown>>;
  if (adopted !== undefined) return apply(adopted as (value: unknown) => unknown, undefined, [value]);
  apply(sync as () => unknown, value, []);
  return undefined;
}

function isSyncDisposal(method: unknown): boolean {
  return typeof method !== 'function' && hasOwn(method as object, 'sync');
}

/** The resources of a block with `using`, disposed of in reverse; what has to be awaited is left to the emitted code. */
export class DisposalStack {
  resources: Resource[] = [];
  failed = false;
  error: unknown = undefined;
  /** What is to be awaited now. */
  pending: unknown = undefined;
  private owed: typeof AWAIT_NONE | typeof AWAIT_OWED | typeof AWAIT_DONE = AWAIT_NONE;

  add(value: unknown, isAsync: boolean): unknown {
    if (value === null || value === undefined) {
      if (isAsync) this.put({ value, method: undefined, isAsync });
      return value;
    }
    if (typeof value !== 'object' && typeof value !== 'function') {
      throw new NativeTypeError('An object is expected with `using` declarations');
    }
    const holder = value as Record<symbol, unknown>;
    let method = isAsync ? holder[asyncDispose] : undefined;
    let isAwaited = isAsync;
    if (method === undefined || method === null) {
      method = holder[dispose];
      isAwaited = false;
    }
    if (typeof method !== 'function')
      throw new NativeTypeError(`Symbol(Symbol.${isAwaited ? 'asyncDispose' : 'dispose'}) is not a function`);
    // A synchronous method of an `await using` is followed by one await all the same, of nothing.
    this.put({ value, method: isAwaited || !isAsync ? method : { sync: method }, isAsync });
    return value;
  }

  put(resource: Resource): void {
    this.resources[this.resources.length] = resource;
  }

  /** Disposes until something has to be awaited (true) or nothing is left (false). */
  next(): boolean {
    while (this.resources.length > 0) {
      const resource = this.resources[this.resources.length - 1] as Resource;
      this.resources.length--;
      const { method } = resource;
      if (method === undefined) {
        if (this.owed === AWAIT_NONE) this.owed = AWAIT_OWED;
        continue;
      }
      if (!resource.isAsync && this.owed === AWAIT_OWED) {
        // An await is owed before the next synchronous disposal.
        this.put(resource);
        return this.await(undefined, AWAIT_NONE);
      }
      try {
        const result = disposeResource(resource);
        if (resource.isAsync) return this.await(result, AWAIT_DONE);
      } catch (error) {
        this.fail(error);
        // A synchronous method that is awaited gives a promise even so.
        if (resource.isAsync && isSyncDisposal(method)) return this.await(undefined, AWAIT_DONE);
      }
    }
    return this.owed === AWAIT_OWED ? this.await(undefined, AWAIT_DONE) : false;
  }

  private await(value: unknown, owed: typeof AWAIT_NONE | typeof AWAIT_DONE): true {
    this.owed = owed;
    this.pending = value;
    return true;
  }

  fail(error: unknown): void {
    this.error = this.failed
      ? new NativeSuppressedError(error, this.error, 'An error was suppressed during disposal')
      : error;
    this.failed = true;
  }
}
