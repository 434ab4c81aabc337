// Hand-made objects: what the program has of some things outside instead of a Proxy that asks for everything. A data source says of what stands below a
// prototype outside how the program's object for it is made, and which facts go with it when it is first met. The object is of a class of the program's: it
// keeps what it was told in its own fields, asks for the rest when somebody wants to know, and is in states as any object of the program is. For what its
// class does not have it asks as a handle does, if its class inherits from the handle of the prototype.
import { types } from 'node:util';
import type { Handle, HandleGroup } from './handle.ts';
import { RisingTable } from './rising-table.ts';

export interface HandMade {
  /** Properties of the thing outside, as it is when it is first met. */
  readonly facts: readonly PropertyKey[];
  /** The program's object. Neither asks nor waits: nothing says where that would have been. */
  make(...facts: readonly unknown[]): object;
  /** Where it says that nobody outside has to do with it any more: names of properties, one below the other. */
  readonly over: readonly PropertyKey[];
  /**
   * Takes promises that the program answers where it was called with such an object: it is to `settle` what the outside has of it, under the number
   * that it gives.
   */
  follow?(promise: object): number;
}

/** For data sources, in a thread with a tape. */
export interface DataSources {
  /** Whether something is outside, and the program has a handle of it. */
  isHandle(value: unknown): boolean;
  /** From now on, what stands below `prototype` (a handle) has such objects. */
  handMake(prototype: object, made: HandMade): void;
  /** A property of what `object` stands for: plain data is a copy if nobody outside changes it any more (`SETTLED`), and alive otherwise. */
  ask(object: object, key: PropertyKey): unknown;
  /** Calls a method of it that mostly answers the same object. Plain data among the arguments goes out as it is in JSON. */
  invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown;
  /** The outside has answered what a hand-made object asks for, with this status: for who looks at requests. */
  answered(object: object, status: unknown): void;
  /** A promise that was followed has come to its end. */
  settle(number: number, isFulfilled: boolean, value: unknown): void;
}

/** What has this property, outside, is changed by nobody there any more. */
export const SETTLED: unique symbol = Symbol.for('turntable.settled') as never;
/** What gets this property, outside, has been met by the program. */
export const MET: unique symbol = Symbol.for('turntable.met') as never;

const { getPrototypeOf } = Reflect;
const { isProxy, isDate } = types;
const NOT_PLAIN: unique symbol = Symbol('not plain');
/** Levels of nesting: beyond it is no data that somebody has written down, or a cycle. */
const DEEPEST = 40;

/** A copy for somebody who only reads it; undefined if it is more than plain data: then it has to go out as everything does. */
export function plainCopy(value: object): object | undefined {
  const copy = copyOf(value, 0);
  return copy === NOT_PLAIN ? undefined : (copy as object);
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return NOT_PLAIN;
  if (typeof value !== 'object' || value === null) return value;
  if (isProxy(value) || depth > DEEPEST) return NOT_PLAIN;
  const above = getPrototypeOf(value);
  if (Array.isArray(value)) {
    if (above !== Array.prototype) return NOT_PLAIN;
    const list: unknown[] = [];
    for (let i = 0; i < value.length; i++) {
      const each = copyOf(value[i], depth + 1);
      if (each === NOT_PLAIN) return NOT_PLAIN;
      list.push(each);
    }
    return list;
  }
  if (above !== Object.prototype) return above === Date.prototype && isDate(value) ? value : NOT_PLAIN;
  const record: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const each = copyOf((value as Record<string, unknown>)[key], depth + 1);
    if (each === NOT_PLAIN || key === '__proto__') return NOT_PLAIN;
    record[key] = each;
  }
  return record;
}

/** So many may be over before they are looked through. */
const FEW = 16;
/** Of so many that are over a run again is told at once. */
const TOGETHER = 128;

/**
 * Those with which the outside is not done. A state has their numbers, and so has one that goes on from it, whoever may have them there. Nothing is held
 * weakly: whatever the collector is asked about outlives young collections, with all it leads to, and a request leads to everything.
 */
export class HandMadeUnderWay {
  /** No Map: see `rising-table.ts`. */
  #groups: HandleGroup[] = [];
  readonly #isOver: (handle: Handle) => boolean;
  readonly #tellOver: (numbers: readonly number[]) => void;
  /** Of which nobody has been told. */
  #over: number[] = [];
  #sweepAt = FEW;

  /** @param tellOver of numbers of those that are over: a run again cannot look, and would have all of them in its states */
  constructor(isOver: (handle: Handle) => boolean, tellOver: (numbers: readonly number[]) => void) {
    this.#isOver = isOver;
    this.#tellOver = tellOver;
  }

  /** `facts`: one of them may be whom it belongs to. */
  add(handle: Handle, facts: readonly (Handle | undefined)[]): void {
    for (const fact of facts) {
      const group = fact?.group;
      if (group !== undefined) {
        group.handles.push(handle);
        handle.group = group;
        return;
      }
    }
    if (this.#groups.length >= this.#sweepAt) this.#sweep();
    handle.group = { handles: [handle], wasOver: false };
    this.#groups.push(handle.group);
  }

  all(): Handle[] {
    return this.#groups.flatMap(({ handles }) => handles);
  }

  /** The outside may still be about to tell of one that is over: it goes the next time. */
  #sweep(): void {
    const left: HandleGroup[] = [];
    for (const group of this.#groups) {
      if (group.wasOver) {
        for (const handle of group.handles) {
          handle.group = undefined;
          this.#over.push(handle.number);
        }
        continue;
      }
      group.wasOver = this.#isOver(group.handles.at(-1) as Handle);
      left.push(group);
    }
    this.#groups = left;
    this.#sweepAt = left.length + FEW;
    if (this.#over.length < TOGETHER) return;
    this.#tellOver(this.#over);
    this.#over = [];
  }
}

export function isOver(native: object | undefined, path: readonly PropertyKey[]): boolean {
  let at: unknown = native;
  for (const key of path) at = (at as Record<PropertyKey, unknown> | undefined | null)?.[key];
  return at === true;
}

/** Kinds of hand-made objects, by the prototypes that data sources have named. */
export class HandMadeKinds {
  #kinds: Map<object, number> | undefined;
  /** The same of all prototypes that were met. */
  #below = new WeakMap<object, number | undefined>();

  place(prototype: object, kind: number): void {
    (this.#kinds ??= new Map()).set(prototype, kind);
    this.#below = new WeakMap(this.#kinds);
  }

  below(prototype: object | null): number | undefined {
    if (this.#kinds === undefined || prototype === null || isProxy(prototype)) return undefined;
    const known = this.#below.get(prototype);
    if (known !== undefined || this.#below.has(prototype)) return known;
    const kind = this.below(getPrototypeOf(prototype));
    this.#below.set(prototype, kind);
    return kind;
  }
}

type Take = (value: unknown) => unknown;
const NativePromise = Promise;

/** What the outside has of a promise that is followed: those who wait are called when it is settled, in the midst of the program's `settle`. */
export class FollowedPromise {
  #waiting: (readonly [onFulfilled: unknown, onRejected: unknown, end: Take, fail: Take])[] = [];
  /** Once it is settled. */
  #end: Promise<unknown> | undefined;

  // Whoever asks for `then` is to find it.
  then(onFulfilled?: unknown, onRejected?: unknown): Promise<unknown> {
    if (this.#end !== undefined) return this.#end.then(onFulfilled as Take, onRejected as Take);
    const { promise, resolve, reject } = NativePromise.withResolvers<unknown>();
    this.#waiting.push([onFulfilled, onRejected, resolve, reject]);
    return promise;
  }

  settle(isFulfilled: boolean, value: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#end = isFulfilled ? NativePromise.resolve(value) : NativePromise.reject(value);
    if (waiting.length > 0) this.#end.catch(() => undefined);
    for (const [onFulfilled, onRejected, end, fail] of waiting) {
      const take = isFulfilled ? onFulfilled : onRejected;
      try {
        if (typeof take === 'function') end((take as Take)(value));
        else (isFulfilled ? end : fail)(value);
      } catch (error) {
        fail(error);
      }
    }
  }
}

/** Those that the outside has, until they are settled. */
export class FollowedPromises {
  readonly #pending = new RisingTable<FollowedPromise>();

  add(number: number): FollowedPromise {
    const promise = new FollowedPromise();
    this.#pending.add(number, promise);
    return promise;
  }

  settle(number: number, isFulfilled: boolean, value: unknown): void {
    this.#pending.take(number)?.settle(isFulfilled, value);
  }
}

Object.setPrototypeOf(FollowedPromise.prototype, NativePromise.prototype);
Object.defineProperty(FollowedPromise.prototype, 'constructor', { value: NativePromise });
