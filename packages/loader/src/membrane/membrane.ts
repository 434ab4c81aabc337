// The membrane of a thread that is recorded or runs again: on its inside the program, all packages and what only computes; on its outside what does
// I/O. Each side knows the other's objects by stand-ins, one for each, and all that is done through one is seen here. What the program does to the
// outside is done and its outcome noted, if a replay could not predict it; what the outside does to the program is noted before it is done. In a replay
// there is no outside: the trace answers, and calls. docs/membrane.md.
import { inspect as inspectNatively, types, type InspectOptionsStylized } from 'node:util';
import type { Tape } from '@turntable/core';
import { KIND, OP, SymbolNumbers, type Op } from './crossing.ts';
import { ABOVE, proxyOf, type Asks, type Descriptor, type Handle } from './handle.ts';
import { crossingOf } from './outer.ts';
import type { MembraneState } from './membrane-state.ts';
import type { Statics } from './statics.ts';

export interface MembranePorts {
  readonly tape: Tape;
  readonly statics: Statics;
  /** A promise of the program's. */
  promise(): Settleable;
  /** One that is there already. */
  settleable(promise: object): Settleable;
  /** The context of asynchronous calls that code runs in, if anybody follows them. */
  context(): object | undefined;
  runIn(context: object, run: () => void): void;
  /** How many turns Node's loop has begun. */
  turns(): number;
  /** Something cannot be run again. */
  cannotReplay(what: string): void;
}

export interface Settleable {
  readonly promise: object;
  settle(isFulfilled: boolean, value: unknown): void;
}

/** Something of the program's that the outside has. */
export interface Exported {
  readonly number: number;
  readonly inside: object;
}

/** Nothing of what is known. */
export const NOTHING: unique symbol = Symbol('nothing');
const { apply, construct, getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isProxy } = types;
/** Classes of which the engine hides nothing in their objects, or core has made them. */
const OPEN_CLASSES = /EventEmitter|Generator/;
const { toString: functionText } = Function.prototype;
/** Methods that work on whatever they are given. */
const OPEN_PROTOTYPES: readonly object[] = [
  Object.prototype,
  Function.prototype,
  Array.prototype,
  Error.prototype,
  getPrototypeOf(getPrototypeOf([][Symbol.iterator]()) as object) as object,
];

export abstract class BaseMembrane implements Asks {
  protected readonly ports: MembranePorts;
  protected readonly statics: Statics;
  protected readonly symbols = new SymbolNumbers();
  /** By the proxy. */
  protected readonly handles = new WeakMap<object, Handle>();
  /** Asks since the last event of the membrane that were as predicted. */
  protected silent = 0;
  protected handleCount = 0;
  protected exportCount = 0;
  protected promiseCount = 0;
  protected epoch = 0;
  /** Those with numbers. */
  protected readonly crossedStatics: Handle[] = [];
  /** Contexts in which something was asked. */
  protected readonly contextNumbers = new WeakMap<object, number>();
  protected contextCount = 0;
  #lastContext: object | undefined;
  readonly #open: WeakSet<object>;

  constructor(ports: MembranePorts) {
    this.ports = ports;
    this.statics = ports.statics;
    this.#open = new WeakSet(
      OPEN_PROTOTYPES.flatMap((each) =>
        ownKeys(each).flatMap((key) => {
          const value: unknown = getOwnPropertyDescriptor(each, key)?.value;
          return typeof value === 'function' && value !== functionText ? [value] : [];
        }),
      ),
    );
  }

  isHandle(value: unknown): boolean {
    return typeof value === 'object' || typeof value === 'function'
      ? value !== null && this.handles.has(value as object)
      : false;
  }

  /** Only of what is there in every process, in a replay. */
  nativeOf(proxy: object): object | undefined {
    return this.handles.get(proxy)?.native;
  }

  handleAt(proxy: object): Handle | undefined {
    return this.handles.get(proxy);
  }

  /** What is known is forgotten: a snapshot begins, and who goes on from it knows nothing. */
  forget(): void {
    this.epoch++;
    this.silent = 0;
  }

  abstract exports(): [number, object][];
  protected abstract pending(): [number, object][];
  protected abstract contexts(): [number, object][];

  /** For a snapshot. */
  read(): MembraneState {
    return {
      counts: [this.handleCount, this.exportCount, this.promiseCount],
      statics: this.crossedStatics.map(({ path = '', number }) => [path, number]),
      exports: this.exports(),
      pending: this.pending(),
      contexts: this.contexts(),
      contextCount: this.contextCount,
      symbols: this.symbols.read(),
    };
  }

  /** What the program sees of something outside that is there in every process. */
  abstract handleOf<T extends object>(native: T): T;
  /** `key`: of the property that is asked for; the trace says it, too. */
  protected abstract perform(
    op: Op,
    predicted: unknown,
    isFresh: boolean,
    ask: () => unknown,
    key?: PropertyKey,
  ): unknown;
  /** The program's thing on its way out; in a replay only its number matters. */
  protected abstract out(value: unknown): unknown;

  // ── What the program does to a handle ────────────────────────────────────────────────────────────────────────────────

  get(handle: Handle, key: PropertyKey, heir: object | undefined): unknown {
    if (typeof key === 'symbol') this.symbols.meet(key);
    const { native } = handle;
    if (heir !== undefined) {
      const outer = this.out(heir);
      return this.perform(
        OP.get,
        this.predict(handle, key),
        false,
        () => this.#opened(native as object, key, Reflect.get(native as object, key, outer)),
        key,
      );
    }
    const predicted = this.predict(handle, key);
    const value = this.perform(
      OP.get,
      predicted,
      false,
      () => this.#opened(native as object, key, Reflect.get(native as object, key, native)),
      key,
    );
    if (value !== predicted || !this.knows(handle, key)) this.know(handle, key, value);
    return value;
  }

  set(handle: Handle, key: PropertyKey, value: unknown, heir: object | undefined): boolean {
    if (typeof key === 'symbol') this.symbols.meet(key);
    const { native } = handle;
    const outer = this.out(value);
    if (heir === undefined) {
      const isSet = this.perform(OP.set, true, false, () =>
        Reflect.set(native as object, key, outer, native),
      ) as boolean;
      if (isSet) this.know(handle, key, value);
      return isSet;
    }
    const outerHeir = this.out(heir);
    const how = this.perform(OP.setInherited, undefined, false, () => {
      const found = inherited(native as object, key);
      if (found === undefined || 'value' in found) return found?.writable === false ? false : undefined;
      if (found.set === undefined) return false;
      apply(found.set, outerHeir, [outer]);
      return true;
    }) as boolean | undefined;
    return how ?? Reflect.defineProperty(heir, key, ownAgain(heir, key, value));
  }

  has(handle: Handle, key: PropertyKey): boolean {
    if (typeof key === 'symbol') this.symbols.meet(key);
    return this.perform(OP.has, NOTHING, false, () => Reflect.has(handle.native as object, key), key) as boolean;
  }

  delete(handle: Handle, key: PropertyKey): boolean {
    if (typeof key === 'symbol') this.symbols.meet(key);
    this.know(handle, key, undefined);
    return this.perform(OP.delete, true, false, () => Reflect.deleteProperty(handle.native as object, key)) as boolean;
  }

  define(handle: Handle, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    if (typeof key === 'symbol') this.symbols.meet(key);
    const outer: Record<string, unknown> = { ...descriptor };
    for (const name of ['value', 'get', 'set']) if (name in descriptor) outer[name] = this.out(outer[name]);
    const isDefined = this.perform(OP.define, true, false, () =>
      Reflect.defineProperty(handle.native as object, key, outer as PropertyDescriptor),
    ) as boolean;
    if (isDefined && 'value' in descriptor) this.know(handle, key, descriptor.value);
    return isDefined;
  }

  describe(handle: Handle, key: PropertyKey): Descriptor | undefined {
    if (typeof key === 'symbol') this.symbols.meet(key);
    const list = this.perform(OP.describe, NOTHING, true, () => {
      const found = getOwnPropertyDescriptor(handle.native as object, key);
      if (found === undefined) return undefined;
      // Not `configurable`: what a target does not have has to be.
      return 'value' in found
        ? [1, found.enumerable, found.writable, this.kept(found.value)]
        : [2, found.enumerable, this.kept(found.get), this.kept(found.set)];
    }) as readonly unknown[] | undefined;
    if (list === undefined) return undefined;
    const [what, enumerable, first, second] = list;
    if (what === 2)
      return {
        get: Kept.in(first) as () => unknown,
        set: Kept.in(second) as (value: unknown) => void,
        enumerable: enumerable as boolean,
      };
    const value = Kept.in(second);
    this.know(handle, key, value);
    return { value, enumerable: enumerable as boolean, writable: first as boolean };
  }

  keys(handle: Handle): PropertyKey[] {
    return this.perform(OP.keys, NOTHING, true, () => ownKeys(handle.native as object)) as PropertyKey[];
  }

  prototype(handle: Handle): object | null {
    const known = this.knows(handle, ABOVE) ? handle.known?.get(ABOVE) : this.staticAbove(handle);
    const above = this.perform(OP.prototype, known, false, () => getPrototypeOf(handle.native as object));
    this.know(handle, ABOVE, above);
    return above as object | null;
  }

  setPrototype(handle: Handle, prototype: object | null): boolean {
    const outer = this.out(prototype) as object | null;
    const isSet = this.perform(OP.setPrototype, true, false, () =>
      Reflect.setPrototypeOf(handle.native as object, outer),
    ) as boolean;
    if (isSet) this.know(handle, ABOVE, prototype);
    return isSet;
  }

  apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    const outerSelf = this.out(self);
    const outerArgs = args.map((each) => this.out(each));
    return this.perform(OP.apply, NOTHING, true, () => apply(handle.native as () => unknown, outerSelf, outerArgs));
  }

  construct(handle: Handle, args: readonly unknown[], newTarget: object | undefined): object {
    const outerArgs = args.map((each) => this.out(each));
    const outerTarget = newTarget === undefined ? handle.native : this.out(newTarget);
    return this.perform(OP.construct, NOTHING, false, () =>
      construct(handle.native as () => void, outerArgs, outerTarget as () => void),
    ) as object;
  }

  inspect(handle: Handle, options: InspectOptionsStylized): string {
    return this.perform(OP.inspect, NOTHING, true, () => {
      // It has its own of these.
      const {
        inspect: _inspect,
        stylize: _stylize,
        ...rest
      } = options as InspectOptionsStylized & { inspect?: unknown };
      return inspectNatively(handle.native as object, rest);
    }) as string;
  }

  // ── What is known of a handle ────────────────────────────────────────────────────────────────────────────────────────

  protected knows(handle: Handle, key: PropertyKey): boolean {
    return handle.epoch === this.epoch && handle.known?.has(key) === true;
  }

  protected know(handle: Handle, key: PropertyKey, value: unknown): void {
    if (handle.epoch !== this.epoch || handle.known === undefined) {
      handle.epoch = this.epoch;
      handle.known = new Map();
    }
    handle.known.set(key, value);
  }

  /** What a replay would say it is: what it was, or what a class of Node's has under that name. */
  protected predict(handle: Handle, key: PropertyKey): unknown {
    if (handle.epoch === this.epoch && handle.known !== undefined) {
      const value = handle.known.get(key);
      if (value !== undefined || handle.known.has(key)) return value;
    }
    for (let at: Handle | undefined = handle; at !== undefined;) {
      if (at !== handle && this.knows(at, key)) return at.known?.get(key);
      if (at.path !== undefined) {
        const found = getOwnPropertyDescriptor(at.native as object, key);
        if (found !== undefined) return this.#structural(at.path, key, at === handle, found);
      }
      const above: unknown = this.knows(at, ABOVE) ? at.known?.get(ABOVE) : this.staticAbove(at);
      if ((typeof above !== 'object' && typeof above !== 'function') || above === null) return NOTHING;
      at = this.handles.get(above);
      if (at === undefined && this.statics.isNeutral(above)) return this.#neutral(above, key);
    }
    return NOTHING;
  }

  /** Only what has always been there: anything else may not be there in a replay. */
  #structural(path: string, key: PropertyKey, isOwn: boolean, found: PropertyDescriptor): unknown {
    const value: unknown = found.value;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return NOTHING;
    if (!isOwn && this.isMethod(key, value)) return this.boundHandle(value);
    if (this.statics.isNeutral(value)) return value;
    return this.statics.pathOf(value)?.startsWith(`${path}.`) === true ? this.handleOf(value) : NOTHING;
  }

  /** Of a class of both sides, whose methods are the outside's where something outside inherits them. */
  #neutral(above: object, key: PropertyKey): unknown {
    for (let at: object | null = above; at !== null && !isProxy(at); at = getPrototypeOf(at)) {
      const found = getOwnPropertyDescriptor(at, key);
      if (found === undefined) continue;
      const value: unknown = found.value;
      if (typeof value !== 'function' || !this.statics.isNeutral(value)) return NOTHING;
      return this.isMethod(key, value) ? this.boundHandle(value) : value;
    }
    return NOTHING;
  }

  protected staticAbove(handle: Handle): unknown {
    if (handle.path === undefined) return NOTHING;
    const above = getPrototypeOf(handle.native as object);
    if (above === null || this.statics.isNeutral(above)) return above;
    return this.statics.pathOf(above) === undefined ? NOTHING : this.handleOf(above);
  }

  /** A neutral method that something outside inherits needs what is outside: it is asked for as the outside's. */
  #opened(holder: object, key: PropertyKey, value: unknown): unknown {
    if (!this.isMethod(key, value) || Object.hasOwn(holder, key)) return value;
    // A function's text is Node's, if it is asked for by itself.
    if (typeof holder === 'function' && key !== 'toString') return value;
    return new Bound(value);
  }

  protected isMethod(key: PropertyKey, value: unknown): value is object {
    return (
      typeof value === 'function' && key !== 'constructor' && !this.#open.has(value) && this.statics.isNeutral(value)
    );
  }

  readonly #bound = new WeakMap<object, object>();

  /** A neutral function as the outside's. */
  protected boundHandle(fn: object): object {
    let proxy = this.#bound.get(fn);
    if (proxy === undefined) {
      const path = `${BOUND}${this.statics.neutralPathOf(fn) ?? ''}`;
      proxy = this.newStatic(fn, path);
      this.#bound.set(fn, proxy);
    }
    return proxy;
  }

  protected newStatic(native: object, path: string): object {
    const handle: Handle = {
      number: -1,
      path,
      kind: kindOf(native),
      label: path,
      native,
      known: undefined,
      epoch: this.epoch,
    };
    const proxy = proxyOf(handle, this);
    this.handles.set(proxy, handle);
    return proxy;
  }

  /** Something inside of fresh data that is alive. */
  protected kept(value: unknown): unknown {
    return new Kept(value);
  }

  // ── Contexts ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Code of the program runs in one; the outside may call it back from there. */
  protected noteContext(): number {
    const context = this.ports.context();
    if (context === undefined) return 0;
    if (context === this.#lastContext) return this.contextNumbers.get(context) as number;
    let number = this.contextNumbers.get(context);
    if (number === undefined) {
      number = ++this.contextCount;
      this.contextNumbers.set(context, number);
      this.contextNumbered(number, context);
    }
    this.#lastContext = context;
    return number;
  }

  /** 0: of none in which anything was asked. */
  protected contextNow(): number {
    const context = this.ports.context();
    return context === undefined ? 0 : (this.contextNumbers.get(context) ?? 0);
  }

  protected contextNumbered(_number: number, _context: object): void {}

  // ── Plain data on its way out ────────────────────────────────────────────────────────────────────────────────────────

  protected crossing(value: object): ReturnType<typeof crossingOf> {
    return crossingOf(value, this.#isNeutral, this.#isTransparent);
  }

  readonly #isNeutral = (prototype: object): boolean => this.statics.isNeutral(prototype);
  readonly #isTransparent = (prototype: object): boolean =>
    OPEN_CLASSES.test(this.statics.neutralPathOf(prototype) ?? '');
}

/** A neutral function on its way in as the outside's. */
export class Bound {
  readonly #fn: object;
  constructor(fn: object) {
    this.#fn = fn;
  }
  /** Asks no Proxy, as `instanceof` would. */
  static in(value: object): object | undefined {
    return #fn in value ? value.#fn : undefined;
  }
}

/** Begins the path of a neutral function as the outside's. */
export const BOUND = '!';

export function kindOf(native: object): number {
  if (typeof native === 'function')
    return isProxy(native) || getOwnPropertyDescriptor(native, 'prototype') !== undefined ? KIND.function : KIND.method;
  return Array.isArray(native) ? KIND.array : KIND.object;
}

/** What is alive within a list of fresh data. */
export class Kept {
  readonly #value: unknown;
  constructor(value: unknown) {
    this.#value = value;
  }
  static is(value: object): value is Kept {
    return #value in value;
  }
  static in(value: unknown): unknown {
    return typeof value === 'object' && value !== null && #value in value ? value.#value : value;
  }
}

function inherited(native: object, key: PropertyKey): PropertyDescriptor | undefined {
  for (let at: object | null = native; at !== null; at = getPrototypeOf(at)) {
    const found = getOwnPropertyDescriptor(at, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ownAgain(heir: object, key: PropertyKey, value: unknown): PropertyDescriptor {
  return getOwnPropertyDescriptor(heir, key) === undefined
    ? { value, writable: true, enumerable: true, configurable: true }
    : { value };
}
