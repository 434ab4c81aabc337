// Surrogates: program objects that represent host objects in place of proxies. A data source declares, for all host
// objects that inherit from a prototype, how the program's object is created and which initial values come with it. A
// surrogate is an instance of a program class: it keeps known values in its own fields, requests others, and is
// captured in snapshots like any program object. If its class inherits from the handle of the host prototype, all other
// members behave as members of a handle. This file also tracks which surrogates the host is not done with, and the
// promises of functions that are called with a surrogate.
import { types } from 'node:util';
import type { Handle, HandleGroup } from './handle.ts';
import { PendingTable } from './pending-table.ts';

/** Declaration of the objects that represent host objects of one prototype in the program. */
export interface SurrogateType {
  /** Properties of the host object that are read when it first crosses. */
  readonly initialKeys: readonly PropertyKey[];
  /** Creates the surrogate. Must not call the host or wait, because no event of the trace could record that. */
  make(...initialValues: readonly unknown[]): object;
  /** Path to the property of the host object that becomes true once the host is done with it. */
  readonly donePath: readonly PropertyKey[];
  /** Tracks a promise that a function called with the surrogate returns. Returns its number for `reportSettled`. */
  trackPromise?(promise: object): number;
}

/** The membrane's interface for data sources, in a thread with a tape. */
export interface DataSourceApi {
  /** Whether a value is the program's view of a host object. */
  isHandle(value: unknown): boolean;
  /** Makes all host objects that inherit from `prototype` (a handle) cross as surrogates of this type from now on. */
  defineSurrogate(prototype: object, surrogateType: SurrogateType): void;
  /** Reads a property of the host object. Plain data is copied if the host object has the mark `SETTLED_MARK`. */
  getProperty(object: object, key: PropertyKey): unknown;
  /**
   * Calls a method of the host object. Plain arguments are copied. A method that returns its receiver costs no event.
   */
  invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown;
  /** Reports to request observers that the host itself has answered a surrogate's request, with a status. */
  reportAnswered(object: object, status: unknown): void;
  /** Reports that a tracked promise was settled. */
  reportSettled(number: number, isFulfilled: boolean, value: unknown): void;
}

/** Marks a host object whose data the host does not change any more. */
export const SETTLED_MARK: unique symbol = Symbol.for('turntable.settled') as never;
/** Marks a host object that the program has a surrogate of. */
export const MET_MARK: unique symbol = Symbol.for('turntable.met') as never;

const { getPrototypeOf } = Reflect;
const { isProxy, isDate } = types;
const NOT_PLAIN: unique symbol = Symbol('not plain');
/** Maximum depth of nesting. A deeper value counts as a cycle and not as data. */
const MAX_DEPTH = 40;

/** Copies plain data. Returns undefined if the value is more than plain data and must be exported. */
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

/** Number of groups that may be added between two sweeps. */
const SWEEP_INTERVAL = 16;
/** Number of finished surrogates that are reported together. */
const REPORT_SIZE = 128;

/**
 * The surrogates that the host is not done with. Snapshots contain their numbers, so replays must know when they
 * finish. All references are strong, because a weakly held object survives young collections together with everything
 * it references, and a request references everything.
 */
export class LiveSurrogates {
  /** Groups that are not finished. An array, not a Map: see `pending-table.ts`. */
  #groups: HandleGroup[] = [];
  readonly #isDone: (handle: Handle) => boolean;
  readonly #reportDone: (numbers: readonly number[]) => void;
  /** Numbers of finished surrogates that are not reported yet. */
  #done: number[] = [];
  #sweepSize = SWEEP_INTERVAL;

  /** @param reportDone records numbers of finished surrogates, because a replay has no host objects to ask */
  constructor(isDone: (handle: Handle) => boolean, reportDone: (numbers: readonly number[]) => void) {
    this.#isDone = isDone;
    this.#reportDone = reportDone;
  }

  /** @param initialHandles handles among the initial values; a surrogate among them is the owner of the group */
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

  /** Drops finished groups, at the second sweep that finds them finished: the host may still report events before. */
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

/** Surrogate types by the prototypes that data sources have declared. */
export class SurrogateKinds {
  #byPrototype: Map<object, number> | undefined;
  /** Surrogate types by all prototypes that were looked up. */
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

/** The host's view of a tracked promise. Its reactions run synchronously, during the program's call that settles it. */
export class TrackedPromise {
  #waiters: (readonly [onFulfilled: unknown, onRejected: unknown, end: SettlementHandler, fail: SettlementHandler])[] =
    [];
  /** The settled promise; undefined while the promise is pending. */
  #settled: Promise<unknown> | undefined;

  // Host code recognizes a promise by this method.
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

/** Tracked promises by number until they are settled. */
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
