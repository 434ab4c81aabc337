// Hand-made objects: what the program has of some things outside instead of a Proxy that asks for everything. A data source says of what stands below a
// prototype outside how the program's object for it is made, and which facts go with it when it is first met. The object is of a class of the program's: it
// keeps what it was told in its own fields, asks for the rest when somebody wants to know, and is in states as any object of the program is. For what its
// class does not have it asks as a handle does, if its class inherits from the handle of the prototype.
import { types } from 'node:util';
import type { Handle, HandleGroup } from './handle.ts';
import { PendingTable } from './pending-table.ts';

export interface SurrogateType {
  /** Properties of the thing outside, as it is when it is first met. */
  readonly initialKeys: readonly PropertyKey[];
  /** The program's object. Neither asks nor waits: nothing says where that would have been. */
  make(...initialValues: readonly unknown[]): object;
  /** Where it says that nobody outside has to do with it any more: names of properties, one below the other. */
  readonly donePath: readonly PropertyKey[];
  /**
   * Takes promises that the program answers where it was called with such an object: it is to `settle` what the outside has of it, under the number
   * that it gives.
   */
  trackPromise?(promise: object): number;
}

/** For data sources, in a thread with a tape. */
export interface DataSourceApi {
  /** Whether something is outside, and the program has a handle of it. */
  isHandle(value: unknown): boolean;
  /** From now on, what stands below `prototype` (a handle) has such objects. */
  defineSurrogate(prototype: object, surrogateType: SurrogateType): void;
  /** A property of what `object` stands for: plain data is a copy if nobody outside changes it any more (`SETTLED_MARK`), and alive otherwise. */
  getProperty(object: object, key: PropertyKey): unknown;
  /** Calls a method of it that mostly answers the same object. Plain data among the arguments goes out as it is in JSON. */
  invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown;
  /** The outside has answered what a hand-made object asks for, with this status: for who looks at requests. */
  reportAnswered(object: object, status: unknown): void;
  /** A promise that was followed has come to its end. */
  reportSettled(number: number, isFulfilled: boolean, value: unknown): void;
}

/** What has this property, outside, is changed by nobody there any more. */
export const SETTLED_MARK: unique symbol = Symbol.for('turntable.settled') as never;
/** What gets this property, outside, has been met by the program. */
export const MET_MARK: unique symbol = Symbol.for('turntable.met') as never;

const { getPrototypeOf } = Reflect;
const { isProxy, isDate } = types;
const NOT_PLAIN: unique symbol = Symbol('not plain');
/** Levels of nesting: beyond it is no data that somebody has written down, or a cycle. */
const MAX_DEPTH = 40;

/** A copy for somebody who only reads it; undefined if it is more than plain data: then it has to go out as everything does. */
export function plainCopy(value: object): object | undefined {
  const copy = plainCopyOf(value, 0);
  return copy === NOT_PLAIN ? undefined : (copy as object);
}

function plainCopyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return NOT_PLAIN;
  if (typeof value !== 'object' || value === null) return value;
  if (isProxy(value) || depth > MAX_DEPTH) return NOT_PLAIN;
  const prototype = getPrototypeOf(value);
  if (Array.isArray(value)) {
    if (prototype !== Array.prototype) return NOT_PLAIN;
    const list: unknown[] = [];
    for (let i = 0; i < value.length; i++) {
      const member = plainCopyOf(value[i], depth + 1);
      if (member === NOT_PLAIN) return NOT_PLAIN;
      list.push(member);
    }
    return list;
  }
  if (prototype !== Object.prototype) return prototype === Date.prototype && isDate(value) ? value : NOT_PLAIN;
  const record: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = plainCopyOf((value as Record<string, unknown>)[key], depth + 1);
    if (member === NOT_PLAIN || key === '__proto__') return NOT_PLAIN;
    record[key] = member;
  }
  return record;
}

/** So many may be over before they are looked through. */
const SWEEP_INTERVAL = 16;
/** Of so many that are over a run again is told at once. */
const REPORT_SIZE = 128;

/**
 * Those with which the outside is not done. A state has their numbers, and so has one that goes on from it, whoever may have them there. Nothing is held
 * weakly: whatever the collector is asked about outlives young collections, with all it leads to, and a request leads to everything.
 */
export class LiveSurrogates {
  /** No Map: see `rising-table.ts`. */
  #groups: HandleGroup[] = [];
  readonly #isDone: (handle: Handle) => boolean;
  readonly #reportDone: (numbers: readonly number[]) => void;
  /** Of which nobody has been told. */
  #done: number[] = [];
  #sweepSize = SWEEP_INTERVAL;

  /** @param reportDone of numbers of those that are over: a run again cannot look, and would have all of them in its states */
  constructor(isDone: (handle: Handle) => boolean, reportDone: (numbers: readonly number[]) => void) {
    this.#isDone = isDone;
    this.#reportDone = reportDone;
  }

  /** `initialHandles`: one of them may be whom it belongs to. */
  add(handle: Handle, initialHandles: readonly (Handle | undefined)[]): void {
    for (const owner of initialHandles) {
      const group = owner?.group;
      if (group !== undefined) {
        group.handles.push(handle);
        handle.group = group;
        return;
      }
    }
    if (this.#groups.length >= this.#sweepSize) this.#sweep();
    handle.group = { handles: [handle], wasDone: false };
    this.#groups.push(handle.group);
  }

  handles(): Handle[] {
    return this.#groups.flatMap(({ handles }) => handles);
  }

  /** The outside may still be about to tell of one that is over: it goes the next time. */
  #sweep(): void {
    const live: HandleGroup[] = [];
    for (const group of this.#groups) {
      if (group.wasDone) {
        for (const handle of group.handles) {
          handle.group = undefined;
          this.#done.push(handle.number);
        }
        continue;
      }
      group.wasDone = this.#isDone(group.handles.at(-1) as Handle);
      live.push(group);
    }
    this.#groups = live;
    this.#sweepSize = live.length + SWEEP_INTERVAL;
    if (this.#done.length < REPORT_SIZE) return;
    this.#reportDone(this.#done);
    this.#done = [];
  }
}

export function isDone(hostObject: object | undefined, path: readonly PropertyKey[]): boolean {
  let value: unknown = hostObject;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined | null)?.[key];
  return value === true;
}

/** Kinds of hand-made objects, by the prototypes that data sources have named. */
export class SurrogateKinds {
  #byPrototype: Map<object, number> | undefined;
  /** The same of all prototypes that were met. */
  #inherited = new WeakMap<object, number | undefined>();

  register(prototype: object, kind: number): void {
    (this.#byPrototype ??= new Map()).set(prototype, kind);
    this.#inherited = new WeakMap(this.#byPrototype);
  }

  kindOf(prototype: object | null): number | undefined {
    if (this.#byPrototype === undefined || prototype === null || isProxy(prototype)) return undefined;
    const knownKind = this.#inherited.get(prototype);
    if (knownKind !== undefined || this.#inherited.has(prototype)) return knownKind;
    const kind = this.kindOf(getPrototypeOf(prototype));
    this.#inherited.set(prototype, kind);
    return kind;
  }
}

type SettlementHandler = (value: unknown) => unknown;
const NativePromise = Promise;

/** What the outside has of a promise that is followed: those who wait are called when it is settled, in the midst of the program's `settle`. */
export class TrackedPromise {
  #waiters: (readonly [onFulfilled: unknown, onRejected: unknown, end: SettlementHandler, fail: SettlementHandler])[] =
    [];
  /** Once it is settled. */
  #settled: Promise<unknown> | undefined;

  // Whoever asks for `then` is to find it.
  then(onFulfilled?: unknown, onRejected?: unknown): Promise<unknown> {
    if (this.#settled !== undefined)
      return this.#settled.then(onFulfilled as SettlementHandler, onRejected as SettlementHandler);
    const { promise, resolve, reject } = NativePromise.withResolvers<unknown>();
    this.#waiters.push([onFulfilled, onRejected, resolve, reject]);
    return promise;
  }

  settle(isFulfilled: boolean, value: unknown): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    this.#settled = isFulfilled ? NativePromise.resolve(value) : NativePromise.reject(value);
    if (waiters.length > 0) this.#settled.catch(() => undefined);
    for (const [onFulfilled, onRejected, resolve, reject] of waiters) {
      const handler = isFulfilled ? onFulfilled : onRejected;
      try {
        if (typeof handler === 'function') resolve((handler as SettlementHandler)(value));
        else (isFulfilled ? resolve : reject)(value);
      } catch (error) {
        reject(error);
      }
    }
  }
}

/** Those that the outside has, until they are settled. */
export class TrackedPromises {
  readonly #pending = new PendingTable<TrackedPromise>();

  add(number: number): TrackedPromise {
    const promise = new TrackedPromise();
    this.#pending.add(number, promise);
    return promise;
  }

  settle(number: number, isFulfilled: boolean, value: unknown): void {
    this.#pending.take(number)?.settle(isFulfilled, value);
  }
}

Object.setPrototypeOf(TrackedPromise.prototype, NativePromise.prototype);
Object.defineProperty(TrackedPromise.prototype, 'constructor', { value: NativePromise });
