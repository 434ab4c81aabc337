// `it.map(f)`, `filter`, `take`, `drop`, `flatMap`, `Iterator.concat` and `Iterator.from`, exactly as in ECMA-262.
// Their state is in private fields of objects that have the engine's own prototypes. The methods are replaced on these
// prototypes, so native code calls them too. The engine throws the errors for wrong arguments. Iterators that a program
// keeps go through `keep`.

import {
  NativeTypeError,
  apply,
  create,
  defineProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  isObject,
  iteratorPrototype,
} from './intrinsics.ts';
import { closeQuietly, requireResult } from './iterator-protocol.ts';
import { callIteratorMethod } from './kept-iterator.ts';
import { formatValue } from './value-format.ts';
import { Stamp } from './stamp.ts';
import { journal } from './undo/journal.ts';

type StepResult = { value: unknown; done: boolean };
type Method = (...args: unknown[]) => unknown;

/** Kinds of helpers. The numbers are part of captured state. */
const MAP = 0;
const FILTER = 1;
const TAKE = 2;
const DROP = 3;
const FLAT_MAP = 4;
const CONCAT = 5;

const START = 0;
const WAITING = 1;
const RUNNING = 2;
const DONE = 3;

export interface IteratorHelperState {
  kind: number;
  status: number;
  /** The underlying iterator and its `next` method; for `concat`, of the current iterable. */
  iterator: unknown;
  next: unknown;
  /** Function of `map`, `filter` or `flatMap`. For `concat`: the iterator methods and their receivers in turn. */
  argument: unknown;
  /** Values passed to the function so far, or left to take or drop, or index of the current iterable of `concat`. */
  count: number;
  inner: unknown;
  innerNext: unknown;
}

const { trunc } = Math;
const NativeRangeError = RangeError;
const NativeIterator = (globalThis as { Iterator?: object }).Iterator as unknown as {
  from(value: unknown): object;
  concat?(...items: unknown[]): object;
  prototype: object;
};
const helperPrototype = getPrototypeOf(
  (NativeIterator.from([]) as unknown as { take(n: number): object }).take(0),
) as Record<string, unknown>;
const wrapperPrototype = getPrototypeOf(NativeIterator.from({ next: () => undefined })) as Record<string, unknown>;
const nativeHelperNext = helperPrototype['next'] as Method;
const nativeHelperReturn = helperPrototype['return'] as Method;
const nativeWrapperNext = wrapperPrototype['next'] as Method;
const nativeWrapperReturn = wrapperPrototype['return'] as Method;

function notAFunctionError(value: unknown): TypeError {
  const isBare = value === undefined || value === null || isObject(value);
  return new NativeTypeError(
    `${isBare ? formatValue(value) : `${typeof value} ${formatValue(value)}`} is not a function`,
  );
}

/** Calls `next`. Throws a TypeError if the result is not an object. */
function nextResult(iterator: unknown, next: unknown): IteratorResult<unknown> {
  if (typeof next !== 'function') throw notAFunctionError(next);
  return requireResult(apply(next as never, iterator, []));
}

function closeIterator(iterator: unknown): void {
  const method = (iterator as { return?: unknown }).return;
  if (method === undefined || method === null) return;
  if (typeof method !== 'function') throw notAFunctionError(method);
  if (!isObject(apply(method as never, iterator, []))) throw new NativeTypeError('return called on non-object');
}

function iteratorMethodOf(object: object): Method | undefined {
  const method = (object as { [Symbol.iterator]?: unknown })[Symbol.iterator];
  if (method === undefined || method === null) return undefined;
  if (typeof method !== 'function')
    throw new NativeTypeError(
      `'${formatValue(method)}' returned for property 'Symbol(Symbol.iterator)' of object '${formatValue(object)}' is not a function`,
    );
  return method as Method;
}

/** The iterator of an iterable, or the value itself if it is an iterator. */
function toIterator(value: object | string): object {
  const method = iteratorMethodOf(value as object);
  if (method === undefined) return value as object;
  const iterator = callIteratorMethod(method, value);
  if (!isObject(iterator)) throw new NativeTypeError(`${formatValue(value)} is not iterable`);
  return iterator;
}

export class IteratorHelper extends Stamp {
  #kind: number;
  #status = START;
  #iterator: unknown;
  #next: unknown;
  #argument: unknown;
  #count: number;
  #inner: unknown = undefined;
  #innerNext: unknown = undefined;

  constructor(object: object, kind: number, iterator: unknown, next: unknown, argument: unknown, count: number) {
    super(object);
    this.#kind = kind;
    this.#iterator = iterator;
    this.#next = next;
    this.#argument = argument;
    this.#count = count;
  }

  static is(value: unknown): value is IteratorHelper {
    return typeof value === 'object' && value !== null && #kind in value;
  }

  static read(helper: IteratorHelper): IteratorHelperState {
    return {
      kind: helper.#kind,
      status: helper.#status,
      iterator: helper.#iterator,
      next: helper.#next,
      argument: helper.#argument,
      count: helper.#count,
      inner: helper.#inner,
      innerNext: helper.#innerNext,
    };
  }

  static write(helper: IteratorHelper, data: IteratorHelperState): void {
    helper.#kind = data.kind;
    helper.#status = data.status;
    helper.#iterator = data.iterator;
    helper.#next = data.next;
    helper.#argument = data.argument;
    helper.#count = data.count;
    helper.#inner = data.inner;
    helper.#innerNext = data.innerNext;
  }

  static next(helper: IteratorHelper): StepResult {
    const status = helper.#status;
    if (status === RUNNING) throw new NativeTypeError('Generator is already running');
    if (status === DONE) return { value: undefined, done: true };
    if (journal.log !== undefined) journal.log.noteState(helper, IteratorHelper.read, IteratorHelper.write);
    helper.#status = RUNNING;
    let result: StepResult | undefined;
    try {
      result = IteratorHelper.#step(helper);
    } finally {
      if (result === undefined) IteratorHelper.#finish(helper);
    }
    if (result === undefined) return { value: undefined, done: true };
    helper.#status = WAITING;
    return result;
  }

  static return(helper: IteratorHelper): StepResult {
    const status = helper.#status;
    if (status === RUNNING) throw new NativeTypeError('Generator is already running');
    if (status === DONE) return { value: undefined, done: true };
    if (journal.log !== undefined) journal.log.noteState(helper, IteratorHelper.read, IteratorHelper.write);
    const inner = helper.#inner;
    const iterator = helper.#iterator;
    helper.#status = status === START ? DONE : RUNNING;
    try {
      if (inner !== undefined) {
        try {
          closeIterator(inner);
        } catch (error) {
          if (iterator !== undefined) closeQuietly(iterator);
          throw error;
        }
      }
      if (iterator !== undefined) closeIterator(iterator);
    } finally {
      IteratorHelper.#finish(helper);
    }
    return { value: undefined, done: true };
  }

  /** Marks a helper as done, and drops its references. */
  static #finish(helper: IteratorHelper): void {
    helper.#status = DONE;
    helper.#iterator = undefined;
    helper.#next = undefined;
    helper.#argument = undefined;
    helper.#inner = undefined;
    helper.#innerNext = undefined;
    helper.#count = 0;
  }

  /** Result of one `next()`; undefined at the end. */
  static #step(helper: IteratorHelper): StepResult | undefined {
    switch (helper.#kind) {
      case MAP: {
        const result = nextResult(helper.#iterator, helper.#next);
        if (result.done) return undefined;
        return { value: IteratorHelper.#callFunction(helper, result.value), done: false };
      }
      case FILTER:
        for (;;) {
          const result = nextResult(helper.#iterator, helper.#next);
          if (result.done) return undefined;
          const { value } = result;
          if (IteratorHelper.#callFunction(helper, value)) return { value, done: false };
        }
      case TAKE: {
        if (helper.#count === 0) {
          closeIterator(helper.#iterator);
          return undefined;
        }
        helper.#count--;
        const result = nextResult(helper.#iterator, helper.#next);
        return result.done ? undefined : { value: result.value, done: false };
      }
      case DROP: {
        for (; helper.#count > 0; helper.#count--)
          if (nextResult(helper.#iterator, helper.#next).done) return undefined;
        const result = nextResult(helper.#iterator, helper.#next);
        return result.done ? undefined : { value: result.value, done: false };
      }
      case FLAT_MAP:
        return IteratorHelper.#flatStep(helper);
      default:
        return IteratorHelper.#concatStep(helper);
    }
  }

  /** Calls the helper's function with a value. An exception closes the iterator. */
  static #callFunction(helper: IteratorHelper, value: unknown): unknown {
    const fn = helper.#argument as Method;
    let result: unknown;
    let hasFailed = true;
    try {
      result = fn(value, helper.#count);
      hasFailed = false;
    } finally {
      if (hasFailed) closeQuietly(helper.#iterator);
    }
    helper.#count++;
    return result;
  }

  static #flatStep(helper: IteratorHelper): StepResult | undefined {
    for (;;) {
      if (helper.#inner === undefined) {
        const result = nextResult(helper.#iterator, helper.#next);
        if (result.done) return undefined;
        const mapped = IteratorHelper.#callFunction(helper, result.value);
        let hasFailed = true;
        try {
          if (!isObject(mapped)) throw new NativeTypeError('Iterator.prototype.flatMap called on non-object');
          const inner = toIterator(mapped);
          helper.#innerNext = (inner as { next?: unknown }).next;
          helper.#inner = inner;
          hasFailed = false;
        } finally {
          if (hasFailed) closeQuietly(helper.#iterator);
        }
      }
      let done = true;
      let value: unknown;
      let hasFailed = true;
      try {
        const result = nextResult(helper.#inner, helper.#innerNext);
        if (!result.done) {
          done = false;
          value = result.value;
        }
        hasFailed = false;
      } finally {
        if (hasFailed) closeQuietly(helper.#iterator);
      }
      if (!done) return { value, done: false };
      helper.#inner = undefined;
      helper.#innerNext = undefined;
    }
  }

  static #concatStep(helper: IteratorHelper): StepResult | undefined {
    const items = helper.#argument as unknown[];
    for (;;) {
      if (helper.#inner === undefined) {
        if (helper.#count === items.length) return undefined;
        const method = items[helper.#count++] as Method;
        const item = items[helper.#count++];
        const inner = callIteratorMethod(method, item);
        if (!isObject(inner)) throw new NativeTypeError(`${formatValue(inner)} is not iterable`);
        helper.#innerNext = (inner as { next?: unknown }).next;
        helper.#inner = inner;
      }
      const result = nextResult(helper.#inner, helper.#innerNext);
      if (!result.done) return { value: result.value, done: false };
      helper.#inner = undefined;
      helper.#innerNext = undefined;
    }
  }
}

/** Wrapper that `Iterator.from` makes for an iterator that does not inherit from `Iterator`. */
export class WrappedIterator extends Stamp {
  #iterator: object;
  #next: unknown;

  constructor(object: object, iterator: object, next: unknown) {
    super(object);
    this.#iterator = iterator;
    this.#next = next;
  }

  static is(value: unknown): value is WrappedIterator {
    return typeof value === 'object' && value !== null && #iterator in value;
  }

  static read(wrapper: WrappedIterator): { iterator: object; next: unknown } {
    return { iterator: wrapper.#iterator, next: wrapper.#next };
  }

  static write(wrapper: WrappedIterator, { iterator, next }: { iterator: object; next: unknown }): void {
    wrapper.#iterator = iterator;
    wrapper.#next = next;
  }

  static next(wrapper: WrappedIterator): unknown {
    const next = wrapper.#next;
    if (typeof next !== 'function') throw notAFunctionError(next);
    return apply(next as never, wrapper.#iterator, []);
  }

  static return(wrapper: WrappedIterator): unknown {
    const iterator = wrapper.#iterator as { return?: unknown };
    const method = iterator.return;
    if (method === undefined || method === null) return { value: undefined, done: true };
    if (typeof method !== 'function')
      throw new NativeTypeError(
        `'${formatValue(method)}' returned for property 'return' of object '${formatValue(iterator)}' is not a function`,
      );
    return apply(method as never, iterator, []);
  }
}

export function allocateHelper(): object {
  return new IteratorHelper(create(helperPrototype) as object, MAP, undefined, undefined, undefined, 0);
}

export function allocateWrapper(): object {
  return new WrappedIterator(create(wrapperPrototype) as object, {}, undefined);
}

const natives = iteratorPrototype as unknown as Record<string, Method>;

function createWithFunction(kind: number, native: Method) {
  return (iterator: unknown, fn: unknown): unknown => {
    if (!isObject(iterator) || typeof fn !== 'function') return apply(native as never, iterator, [fn] as never[]);
    const { next } = iterator as { next?: unknown };
    return new IteratorHelper(create(helperPrototype) as object, kind, iterator, next, fn, 0);
  };
}

function createWithLimit(kind: number, native: Method) {
  return (iterator: unknown, limitArgument: unknown): unknown => {
    if (!isObject(iterator)) return apply(native as never, iterator, [limitArgument] as never[]);
    let limit: unknown = limitArgument;
    if (isObject(limitArgument)) {
      let hasFailed = true;
      try {
        // The argument is converted only once. Native `take` and `drop` would convert it again to report an error.
        limit = +(limitArgument as unknown as number);
        hasFailed = false;
      } finally {
        if (hasFailed) closeQuietly(iterator);
      }
    }
    const number = typeof limit === 'symbol' || typeof limit === 'bigint' ? NaN : trunc(Number(limit));
    if (!(number >= 0)) {
      if (!isObject(limitArgument)) return apply(native as never, iterator, [limitArgument] as never[]);
      closeQuietly(iterator);
      throw new NativeRangeError(`${formatValue(limitArgument)} must be positive`);
    }
    const { next } = iterator as { next?: unknown };
    return new IteratorHelper(create(helperPrototype) as object, kind, iterator, next, undefined, number);
  };
}

const [map, filter, flatMap] = [
  createWithFunction(MAP, natives['map'] as Method),
  createWithFunction(FILTER, natives['filter'] as Method),
  createWithFunction(FLAT_MAP, natives['flatMap'] as Method),
];
const take = createWithLimit(TAKE, natives['take'] as Method);
const drop = createWithLimit(DROP, natives['drop'] as Method);
const hasInstance = Function.prototype[Symbol.hasInstance];
const nativeFrom = NativeIterator.from as Method;
const nativeConcat = NativeIterator.concat as Method | undefined;

const methods = {
  map(this: unknown, mapper: unknown): unknown {
    return map(this, mapper);
  },
  filter(this: unknown, predicate: unknown): unknown {
    return filter(this, predicate);
  },
  take(this: unknown, limit: unknown): unknown {
    return take(this, limit);
  },
  drop(this: unknown, limit: unknown): unknown {
    return drop(this, limit);
  },
  flatMap(this: unknown, mapper: unknown): unknown {
    return flatMap(this, mapper);
  },
};

const helperMethods = {
  next(this: unknown): unknown {
    return IteratorHelper.is(this) ? IteratorHelper.next(this) : apply(nativeHelperNext as never, this, []);
  },
  return(this: unknown): unknown {
    return IteratorHelper.is(this) ? IteratorHelper.return(this) : apply(nativeHelperReturn as never, this, []);
  },
};

const wrapperMethods = {
  next(this: unknown): unknown {
    return WrappedIterator.is(this) ? WrappedIterator.next(this) : apply(nativeWrapperNext as never, this, []);
  },
  return(this: unknown): unknown {
    return WrappedIterator.is(this) ? WrappedIterator.return(this) : apply(nativeWrapperReturn as never, this, []);
  },
};

const statics = {
  from(this: unknown, value: unknown): unknown {
    if (!isObject(value) && typeof value !== 'string') return apply(nativeFrom as never, this, [value] as never[]);
    const iterator = toIterator(value);
    const { next } = iterator as { next?: unknown };
    if (apply(hasInstance as never, NativeIterator, [iterator] as never[])) return iterator;
    return new WrappedIterator(create(wrapperPrototype) as object, iterator, next);
  },
  concat(this: unknown, ...items: unknown[]): unknown {
    const iterables: unknown[] = [];
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      if (!isObject(item)) return apply(nativeConcat as never, this, [item] as never[]);
      const method = iteratorMethodOf(item);
      if (method === undefined) throw new NativeTypeError(`${formatValue(item)} is not iterable`);
      iterables[2 * i] = method;
      iterables[2 * i + 1] = item;
    }
    return new IteratorHelper(create(helperPrototype) as object, CONCAT, undefined, undefined, iterables, 0);
  },
};
defineProperty(statics.concat, 'length', { value: 0, configurable: true });

/** All functions here that replace functions of the engine. */
export const iteratorFunctions: readonly Method[] = [
  ...Object.values(methods),
  ...Object.values(helperMethods),
  ...Object.values(wrapperMethods),
  ...Object.values(statics),
] as Method[];

function replaceMethods(holder: object, functions: object): void {
  for (const name of Object.keys(functions)) {
    const descriptor = getOwnPropertyDescriptor(holder, name);
    if (descriptor !== undefined)
      defineProperty(holder, name, { ...descriptor, value: (functions as Record<string, unknown>)[name] });
  }
}

export function installIteratorHelpers(): void {
  replaceMethods(iteratorPrototype, methods);
  replaceMethods(helperPrototype, helperMethods);
  replaceMethods(wrapperPrototype, wrapperMethods);
  replaceMethods(NativeIterator, statics);
}
