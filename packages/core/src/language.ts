// Helpers that emitted code calls for constructs that lose their native form when a function is split into wrapper and
// step: constant variables, `super`, private names, computed keys, object rest, `for await`, `using`. See docs/internals/abi.md.

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
  /** Whether the member is a field. Undefined unless the code has barriers. */
  field?: boolean;
}

/** Throws for an assignment to a constant, where the emitted storage of the constant does not prevent it. */
export function constAssign(_name: string, _value: unknown, _alive?: unknown): never {
  throw new NativeTypeError('Assignment to constant variable.');
}

/** Form of `constAssign` for destructuring patterns, whose syntax allows only an assignment target. */
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

/** Throws for the destructuring of undefined or null. `text` is V8's name of the expression; null if V8 has none. */
export function noObject(value: undefined | null, text: string | null, property: string | null): never {
  const description = text ?? (value === null ? 'object null' : 'undefined');
  const subject = property === null ? `'${description}'` : `property '${property}' of '${description}'`;
  throw new NativeTypeError(`Cannot destructure ${subject} as it is ${value}.`);
}

export function noIterable(value: undefined | null, text: string | null): never {
  throw text === null ? notIterableError(value) : new NativeTypeError(`${text} is not iterable`);
}

/** Throws for the use of a variable that is never initialised. */
export function dead(name: string): never {
  throw new ReferenceError(`Cannot access '${name}' before initialization`);
}

/** Throws for a `super()` in an arrow function whose constructor has ended. */
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

/** ToPropertyKey, called once per key, when the key is evaluated. */
export function key(value: unknown): PropertyKey {
  if (typeof value === 'string' || typeof value === 'symbol') return value;
  const [property] = ownKeys({ [value as string]: 0 });
  return property as PropertyKey;
}

/** Calls a function that was read before its arguments suspended. `text` is the function's name in error messages. */
export function call(fn: unknown, receiver: unknown, args: unknown[], text?: string): unknown {
  if (typeof fn !== 'function') throw new NativeTypeError(`${text ?? formatValue(fn)} is not a function`);
  return apply(fn as () => unknown, receiver, args);
}

/** Makes `rest` of `{ a, ...rest } = source`: the properties of the source other than the keys already taken. */
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

/** Iteration of an array pattern that suspends. */
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
    // `done` is set first, because an iterator that throws must not be closed.
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

  /** Closes the iterator. @param kind 1 if an exception left the pattern, which overrides errors of closing */
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
  /** Value of the current round; while closing, the result of `return()`. */
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

  /** Calls `return()` if it exists. True if its result must be awaited. @param kind 1 if an exception left the loop */
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
 * Resource of a `using`. `method` is a function, called on the value. `{ sync }` is a synchronous function that an
 * `await using` awaits, and `{ adopted }` a function that takes the value as its argument.
 */
interface Resource {
  value: unknown;
  method: unknown;
  isAsync: boolean;
}

const NativeSuppressedError = SuppressedError;

/** Whether an await of `undefined` is owed for a null resource of `await using`. DONE: another await served. */
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
  /** Value that the emitted code must await now. */
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
    // With a synchronous method, `await using` awaits undefined and not the method's result.
    this.put({ value, method: isAwaited || !isAsync ? method : { sync: method }, isAsync });
    return value;
  }

  put(resource: Resource): void {
    this.resources[this.resources.length] = resource;
  }

  /** Disposes of resources. True if `pending` must be awaited, false if no resource is left. */
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
        // The await that is owed comes before the next synchronous disposal.
        this.put(resource);
        return this.await(undefined, AWAIT_NONE);
      }
      try {
        const result = disposeResource(resource);
        if (resource.isAsync) return this.await(result, AWAIT_DONE);
      } catch (error) {
        this.fail(error);
        // A synchronous method that throws under `await using` causes an await too.
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
