// Helpers that emitted code calls for constructs that lose their native form when a function is split into wrapper and
// step: constant variables, `super`, private names, computed keys, object rest, `for await`, `using`. See docs/abi.md.

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

/** Accessors of the private members of a class, by name without `#`. */
export type PrivateAccessorTable = Readonly<Record<string, PrivateAccessors>>;

export interface PrivateAccessors {
  get: (object: object) => unknown;
  set: (object: object, value: unknown) => unknown;
  has: (object: object) => boolean;
  /** Whether the member is a field. Known only for code with barriers. */
  field?: boolean;
}

/** Assignment to a constant variable whose storage does not prevent it. */
export function constAssign(_name: string, _value: unknown, _alive?: unknown): never {
  throw new NativeTypeError('Assignment to constant variable.');
}

/** `constAssign` inside a destructuring pattern, where only a target is allowed. */
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

/** Destructuring of undefined or null. `text` is V8's name of the expression; null where V8 describes the value. */
export function noObject(value: undefined | null, text: string | null, property: string | null): never {
  const description = text ?? (value === null ? 'object null' : 'undefined');
  const subject = property === null ? `'${description}'` : `property '${property}' of '${description}'`;
  throw new NativeTypeError(`Cannot destructure ${subject} as it is ${value}.`);
}

export function noIterable(value: undefined | null, text: string | null): never {
  throw text === null ? notIterableError(value) : new NativeTypeError(`${text} is not iterable`);
}

/** Use of a variable that is never initialised. */
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

/** Assignment target that initialises a cell. */
export function initializer(cell: Cell): Initializer {
  return new Initializer(cell);
}

/** ToPropertyKey, once, at the moment the key is evaluated. */
export function key(value: unknown): PropertyKey {
  if (typeof value === 'string' || typeof value === 'symbol') return value;
  const [property] = ownKeys({ [value as string]: 0 });
  return property as PropertyKey;
}

/** Call of a function that was read before its arguments suspended. `text` is the function's name in error messages. */
export function call(fn: unknown, receiver: unknown, args: unknown[], text?: string): unknown {
  if (typeof fn !== 'function') throw new NativeTypeError(`${text ?? formatValue(fn)} is not a function`);
  return apply(fn as () => unknown, receiver, args);
}

/** `{ a, ...rest } = source`: the properties of the source without the keys already taken. */
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
    // If the iterator throws, it must not be closed.
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

  /** Closes the iterator. @param kind 1 if the pattern was left by a throw, which overrides errors of closing */
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

/** State of a `for await`: its iterator, and the value of the current round. The emitted code does the awaits. */
export class AsyncIteration {
  iterator: object;
  next: unknown;
  /** Value of the round; while closing, the result of `return()`. */
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

  /** Calls `return()` if it exists; true if its result must be awaited. @param kind 1 if a throw left the loop */
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

/**
 * Resource of a `using`. Its method belongs to the value, is synchronous but awaited, or takes the value as an
 * argument.
 */
interface Resource {
  value: unknown;
  method: unknown;
  isAsync: boolean;
}

const NativeSuppressedError = SuppressedError;

/** Whether an await of `undefined` is due: a null resource asked for one, and nothing has been awaited since. */
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

/** The resources of a block with `using`, disposed of in reverse order. The emitted code does the awaits. */
export class DisposalStack {
  resources: Resource[] = [];
  failed = false;
  error: unknown = undefined;
  /** Value to be awaited now. */
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
    // After a synchronous method of an `await using`, one await of `undefined` follows.
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
        // An awaited synchronous method results in a promise as well.
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
