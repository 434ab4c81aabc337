// The membrane of a thread that is recorded or runs again: on its inside the program, all packages and what only computes; on its outside what does
// I/O. Each side knows the other's objects by stand-ins, one for each, and all that is done through one is seen here. What the program does to the
// outside is done and its outcome noted, if a replay could not predict it; what the outside does to the program is noted before it is done. In a replay
// there is no outside: the trace answers, and calls. docs/membrane.md.
import { types, type InspectOptionsStylized } from 'node:util';
import { createMarks, Eventual, type ContextData, type EngineView, type Tape } from '@turntable/core';
import { LoaderError } from '@turntable/loader';
import { ContextNumbers, type NumberedContext } from './context-numbers.ts';
import { FIXED, KIND, OP, PROPERTY, SymbolNumbers, type Op } from './crossing.ts';
import { FollowedPromises, plainCopy, type DataSources, type HandMade } from './hand-made.ts';
import { Handle, NOTHING, Proxies, type Asks, type Descriptor } from './handle.ts';
import { heldByHomes, type Belonging, type Held, type MembraneState } from './membrane-state.ts';
import { crossingOf, type Crossing } from './outer.ts';
import { Predictions, type Handles } from './predictions.ts';
import type { StandardOutput } from './standard-output.ts';
import type { Statics } from './statics.ts';

export interface MembranePorts {
  readonly tape: Tape;
  readonly statics: Statics;
  readonly engine: Pick<EngineView, 'weakKeys'>;
  /** A promise of the program's. */
  promise(): Settleable;
  /** One that is there already. */
  settleable(promise: object): Settleable;
  /** The context of asynchronous calls that code runs in, if anybody follows them. */
  context(): object | undefined;
  runIn(context: object, run: () => void): void;
  /** Whose code runs. */
  home(): object;
  homeOf(context: object): object | undefined;
  dataOf(context: object): ContextData;
  /** Whether this turn of Node's will end with rejections that are told of: what takes care of one has to come before. */
  isRejecting(): boolean;
  /** Whether it is a microtask of Node's that calls. */
  isInMicrotask(): boolean;
  readonly output: StandardOutput;
  cannotReplay(what: string): void;
}

export interface Settleable {
  readonly promise: object;
  settle(isFulfilled: boolean, value: unknown): void;
  /** The native one that it stands for has been rejected: before anybody reads the reason's stack, which says who awaits. */
  failing(reason: unknown): void;
}

/** Something of the program's that the outside has, and what that has of it. Their lives are one: where each has the other's mark. */
export class Exported {
  readonly number: number;
  readonly inside: object;
  readonly outer: object;
  /** Whose it was when it went out. */
  readonly home: object | undefined;
  readonly life: object | undefined;

  constructor(number: number, inside: object, outer: object, home: object | undefined, life: object | undefined) {
    this.number = number;
    this.inside = inside;
    this.outer = outer;
    this.home = home;
    this.life = life;
  }
}

/** Numbers that were given so far. */
export class Numbers {
  handles = 0;
  exports = 0;
  promises = 0;
  readonly statics: Handle[] = [];

  /** It is there in every process, and has crossed for the first time. */
  giveTo(handle: Handle): void {
    handle.number = this.handles++;
    this.statics.push(handle);
  }
}

const { getOwnPropertyDescriptor } = Reflect;
const { isProxy } = types;
/** Classes of which the engine hides nothing in their objects, or core has made them. */
const OPEN_CLASSES = /EventEmitter|Generator/;
/** What these methods of a `MockTracker` are given is changed, plain data as well. */
const MOCKERS = /^(?:method|getter|setter|property)$/;
const MOCK_TRACKER = /(?:^|\.)(?:MockTracker|mock)$/;
/** What other threads are given is cloned: of an instance of a class its fields, which a Proxy has not. */
const CLONERS = /(?:^|\.)postMessage$|^parent\.send$|^worker_threads\.Worker$/;

export abstract class BaseMembrane implements Asks, DataSources, Handles {
  protected readonly ports: MembranePorts;
  protected readonly statics: Statics;
  protected readonly symbols = new SymbolNumbers();
  /** Of proxies and what they stand for a handle; of what has gone out, and what the outside has in its place, how it did. */
  protected readonly marks = createMarks<Handle | Exported>();
  readonly #proxies = new Proxies(this);
  protected readonly numbers = new Numbers();
  protected readonly predictions: Predictions;
  /** Asks since the last event of the membrane that were as predicted. */
  protected silent = 0;
  /** Of which a function was read last. */
  #recent: Handle | undefined;
  /** Contexts in which something was asked. */
  protected readonly contextNumbers: ContextNumbers;

  constructor(ports: MembranePorts) {
    this.ports = ports;
    this.statics = ports.statics;
    const { tape } = ports;
    this.contextNumbers = new ContextNumbers((context) => ports.dataOf(context));
    this.predictions = new Predictions(ports.statics, this, tape.isReplay ? { isResting: false } : tape);
  }

  isHandle(value: unknown): boolean {
    return (
      ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      this.handleAt(value) !== undefined
    );
  }

  /** Only of what is there in every process, in a replay. */
  nativeOf(proxy: object): object | undefined {
    return this.handleAt(proxy)?.native;
  }

  handleAt(proxy: object): Handle | undefined {
    const mark = this.marks.of(proxy);
    return mark instanceof Handle && mark.proxy === proxy ? mark : undefined;
  }

  /** What is known is forgotten: a snapshot begins, and who goes on from it knows nothing. */
  forget(): void {
    this.predictions.forget();
    this.silent = 0;
  }

  protected abstract exports(): Belonging[];
  protected abstract pending(): Belonging[];
  protected abstract contexts(): [number, object][];
  protected abstract handMade(): [number, object, number][];

  /** For a snapshot. */
  read(isOfBase: (home: object) => boolean): {
    readonly state: MembraneState;
    readonly others: readonly (readonly [home: object, held: Held])[];
  } {
    const contexts = this.contexts().map(([number, context]): Belonging => [
      number,
      context,
      this.ports.homeOf(context),
    ]);
    const { base, others } = heldByHomes({ exports: this.exports(), pending: this.pending(), contexts }, isOfBase);
    const state: MembraneState = {
      ...base,
      counts: [this.numbers.handles, this.numbers.exports, this.numbers.promises],
      statics: this.numbers.statics.map(({ path = '', number }) => [path, number]),
      contextCount: this.contextNumbers.count,
      symbols: this.symbols.read(),
      sources: [...this.sources],
      handMade: this.handMade(),
    };
    return { state, others };
  }

  /** What the program sees of something outside that is there in every process. */
  abstract handleOf<T extends object>(native: T): T;
  /** What the outside is to call in the place of a listener that comes to it by no ask. What it is called with the outside keeps. */
  abstract listen(listener: object): (...values: unknown[]) => void;
  /** `one`, `other`: what the outside is to have of what `ask` takes. */
  protected abstract perform(
    op: Op,
    handle: Handle,
    predicted: unknown,
    key: PropertyKey | undefined,
    one: unknown,
    other: unknown,
  ): unknown;
  /** The program's thing on its way out; in a replay only its number matters. */
  protected abstract out(value: unknown): unknown;

  get(handle: Handle, key: PropertyKey, heir: object | undefined): unknown {
    if (typeof key === 'symbol') this.symbols.meet(key);
    if (heir !== undefined) {
      const own = this.handleAt(heir);
      if (own?.handMade !== undefined) return this.get(own, key, undefined);
      const outer = this.out(heir);
      return this.perform(OP.get, handle, this.predictions.predict(handle, key), key, outer, undefined);
    }
    const predicted = this.predictions.predict(handle, key);
    const value = this.perform(OP.get, handle, predicted, key, handle.native, undefined);
    this.learn(handle, key, value, predicted);
    return value;
  }

  protected learn(handle: Handle, key: PropertyKey, value: unknown, predicted: unknown): void {
    if (typeof value === 'function') this.#recent = handle;
    if (value !== predicted || (handle.path !== undefined && !this.predictions.knows(handle, key)))
      this.predictions.know(handle, key, value);
  }

  set(handle: Handle, key: PropertyKey, value: unknown, heir: object | undefined): boolean {
    if (typeof key === 'symbol') this.symbols.meet(key);
    const own = heir === undefined ? undefined : this.handleAt(heir);
    if (own?.handMade !== undefined) return this.set(own, key, value, undefined);
    const outer = this.out(value);
    if (heir === undefined) {
      const isSet = this.perform(OP.set, handle, true, key, outer, undefined) as boolean;
      if (isSet) this.predictions.know(handle, key, value);
      return isSet;
    }
    const outerHeir = this.out(heir);
    const how = this.perform(OP.setInherited, handle, undefined, key, outer, outerHeir) as boolean | undefined;
    return how ?? Reflect.defineProperty(heir, key, ownAgain(heir, key, value));
  }

  has(handle: Handle, key: PropertyKey): boolean {
    if (typeof key === 'symbol') this.symbols.meet(key);
    return this.perform(OP.has, handle, NOTHING, key, undefined, undefined) as boolean;
  }

  delete(handle: Handle, key: PropertyKey): boolean {
    if (typeof key === 'symbol') this.symbols.meet(key);
    this.predictions.know(handle, key, undefined);
    return this.perform(OP.delete, handle, true, key, undefined, undefined) as boolean;
  }

  define(handle: Handle, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    if (typeof key === 'symbol') this.symbols.meet(key);
    const outer: Record<string, unknown> = { ...descriptor };
    for (const name of ['value', 'get', 'set']) if (name in descriptor) outer[name] = this.out(outer[name]);
    const isDefined = this.perform(OP.define, handle, true, key, outer, undefined) as boolean;
    if (isDefined && 'value' in descriptor) this.predictions.know(handle, key, descriptor.value);
    return isDefined;
  }

  describe(handle: Handle, key: PropertyKey): Descriptor | undefined {
    if (typeof key === 'symbol') this.symbols.meet(key);
    const list = this.perform(OP.describe, handle, NOTHING, key, undefined, undefined) as
      | readonly unknown[]
      | undefined;
    if (list === undefined) return undefined;
    const [what, isEnumerable, first, second] = list as [number, boolean, unknown, unknown];
    const common = { enumerable: isEnumerable, configurable: what < FIXED };
    if (what % FIXED === PROPERTY.accessor)
      return { ...common, get: first as () => unknown, set: second as (value: unknown) => void };
    this.predictions.know(handle, key, second);
    return { ...common, value: second, writable: first as boolean };
  }

  keys(handle: Handle): PropertyKey[] {
    return this.perform(OP.keys, handle, NOTHING, undefined, undefined, undefined) as PropertyKey[];
  }

  prototype(handle: Handle): object | null {
    const known = this.predictions.aboveOf(handle);
    const predicted = known instanceof Handle ? known.proxy : known;
    const above = this.perform(OP.prototype, handle, predicted, undefined, undefined, undefined) as object | null;
    if (above !== predicted || !this.predictions.knowsAbove(handle)) this.predictions.knowAbove(handle, above);
    return above;
  }

  setPrototype(handle: Handle, prototype: object | null): boolean {
    const outer = this.out(prototype) as object | null;
    const isSet = this.perform(OP.setPrototype, handle, true, undefined, outer, undefined) as boolean;
    if (isSet) this.predictions.knowAbove(handle, prototype);
    return isSet;
  }

  isExtensible(handle: Handle): boolean {
    return this.perform(OP.isExtensible, handle, true, undefined, undefined, undefined) as boolean;
  }

  preventExtensions(handle: Handle): boolean {
    return this.perform(OP.preventExtensions, handle, true, undefined, undefined, undefined) as boolean;
  }

  apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    // A method is mostly called on what it was just read from.
    const recent = this.#recent;
    this.#recent = undefined;
    const outerSelf = recent !== undefined && recent.proxy === self ? recent.native : this.out(self);
    if ((handle.isMocker ??= MOCKERS.test(handle.label)) && this.#isMockTracker(self)) this.#mocked = args[0];
    const outerArgs = this.#allOut(args, handle);
    this.#mocked = undefined;
    return this.perform(OP.apply, handle, NOTHING, undefined, outerSelf, outerArgs);
  }

  construct(handle: Handle, args: readonly unknown[], newTarget: object | undefined): object {
    const outerArgs = this.#allOut(args, handle);
    const outerTarget = newTarget === undefined ? handle.native : this.out(newTarget);
    const made = this.perform(OP.construct, handle, NOTHING, undefined, outerArgs, outerTarget) as object;
    const its = newTarget === undefined ? undefined : this.handleAt(made);
    if (its !== undefined) its.madeAs = newTarget;
    return made;
  }

  inspect(proxy: object, options: InspectOptionsStylized): string {
    const handle = this.handleAt(proxy) as Handle;
    return this.perform(OP.inspect, handle, NOTHING, undefined, options, undefined) as string;
  }

  #allOut(values: readonly unknown[], handle: Handle): unknown[] {
    const outer: unknown[] = [];
    const isCloner = (handle.isCloner ??= CLONERS.test(handle.label));
    if (values.length < 2 && !isCloner) {
      if (values.length === 1) outer.push(this.out(values[0]));
      return outer;
    }
    this.#isOneCall = true;
    try {
      for (let i = 0; i < values.length; i++) {
        // A function behind what is sent is called when that has left.
        this.#isCloned = isCloner && (i === 0 || typeof values[i] !== 'function');
        outer.push(this.out(values[i]));
      }
    } finally {
      this.#isOneCall = false;
      this.#isCloned = false;
      this.#copies = undefined;
    }
    return outer;
  }

  #isOneCall = false;
  #isCloned = false;
  /** It is given away to be changed. */
  #mocked: unknown;
  #copies: Map<object, object> | undefined;

  /** What stands for plain data by now: two arguments of one call that are one thing are so outside. */
  protected copies(): Map<object, object> {
    return this.#isOneCall ? (this.#copies ??= new Map()) : new Map();
  }

  #isMockTracker(self: unknown): boolean {
    if ((typeof self !== 'object' && typeof self !== 'function') || self === null) return false;
    return MOCK_TRACKER.test(this.handleAt(self)?.label ?? '');
  }

  protected readonly sources: HandMade[] = [];
  protected readonly followed = new FollowedPromises();
  #followedHandle: Handle | undefined;

  handMake(prototype: object, made: HandMade): void {
    this.sources.push(made);
    this.handMakeBelow(this.nativeOf(prototype), this.sources.length - 1);
  }

  /** One that was over when a snapshot was taken which a run again begins with. */
  protected abstract handMadeBefore(object: object): Handle | undefined;

  protected abstract handMakeBelow(prototype: object | undefined, kind: number): void;

  #handleBehind(object: object): Handle {
    const handle = this.handleAt(object) ?? this.handMadeBefore(object);
    if (handle === undefined)
      throw new LoaderError(
        'TT_DEVICE',
        'a request or the like was asked for what it stands for, and nobody outside has met it; use the one that was given',
      );
    return handle;
  }

  ask(object: object, key: PropertyKey): unknown {
    const handle = this.#handleBehind(object);
    const predicted = this.predictions.predict(handle, key);
    const value = this.perform(OP.read, handle, predicted, key, undefined, undefined);
    // A copy is another one each time.
    if (value !== predicted && (typeof value !== 'object' || value === null || this.handleAt(value) !== undefined))
      this.predictions.know(handle, key, value);
    return value;
  }

  invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown {
    const handle = this.#handleBehind(object);
    return this.perform(OP.invoke, handle, object, key, this.#outAsData(args), undefined);
  }

  abstract answered(object: object, status: unknown): void;

  settle(number: number, isFulfilled: boolean, value: unknown): void {
    const handle = (this.#followedHandle ??= this.newHandle(-1, 'followed', KIND.object, '', this.followed));
    const args = this.#outAsData([number, isFulfilled, value]);
    this.perform(OP.invoke, handle, undefined, 'settle' satisfies keyof FollowedPromises, args, undefined);
  }

  /** Plain data has no number: nobody outside brings it back. */
  #outAsData(values: readonly unknown[]): unknown[] {
    const outer: unknown[] = [];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const copy = typeof value === 'object' && value !== null ? plainCopy(value) : undefined;
      outer.push(copy ?? this.out(value));
    }
    return outer;
  }

  /** Who follows promises of a function that is called with these. `this` is the first of them. */
  protected followerOf(values: readonly unknown[]): HandMade | undefined {
    if (this.sources.length === 0) return undefined;
    for (let i = 1; i < 3; i++) {
      const value = values[i];
      const handle = typeof value === 'object' && value !== null ? this.handleAt(value) : undefined;
      if (handle?.handMade !== undefined) return this.sources[handle.handMade];
    }
    return undefined;
  }

  protected isOpened(holder: object, key: PropertyKey, value: unknown): value is object {
    return this.predictions.isOpened(key, value, typeof holder === 'function') && !Object.hasOwn(holder, key);
  }

  readonly #bound = new WeakMap<object, object>();

  /** A neutral function as the outside's. */
  boundHandle(fn: object): object {
    let proxy = this.#bound.get(fn);
    if (proxy === undefined) {
      const path = `${BOUND}${this.statics.neutralPathOf(fn) ?? ''}`;
      proxy = this.newHandle(-1, path, kindOf(fn), path, fn).proxy;
      this.#bound.set(fn, proxy);
    }
    return proxy;
  }

  /** The proxy knows whose it is; whether what it stands for does, too, is for others to say. */
  protected newHandle(
    number: number,
    path: string | undefined,
    kind: number,
    label: string,
    native: object | undefined,
    made?: ConstructorParameters<typeof Handle>[2],
  ): Handle {
    const handle = new Handle(
      { number, path, kind, label, native, epoch: this.predictions.epoch },
      this.#proxies,
      made,
    );
    this.marks.put(handle.proxy, handle);
    return handle;
  }

  /** Code of the program runs in one; the outside may call it back from there. */
  protected noteContext(): void {
    const context = this.ports.context();
    if (context === undefined) return;
    const numbered = this.contextNumbers.ask(context);
    if (numbered !== undefined) this.contextNumbered(numbered);
  }

  /** 0: of none in which anything was asked, or the main program's without values. */
  protected contextNow(): number {
    const context = this.ports.context();
    return context === undefined ? 0 : this.contextNumbers.numberOf(context);
  }

  protected abstract contextNumbered(numbered: NumberedContext): void;

  protected crossing(value: object): Crossing {
    // Node asks whether something is its own standard output.
    if (this.ports.output.isHandedOut(value)) return 'raw';
    if (this.#whole.has(value)) return 'object';
    const crossing = crossingOf(value, this.#isNeutral, this.#isTransparent);
    if (crossing === 'plain' && value === this.#mocked) return 'object';
    if (!this.#isCloned || isProxy(value) || Eventual.has(value)) return crossing;
    // It will be refused, with its text.
    if (crossing === 'function') return 'bare';
    return crossing === 'object' ? 'plain' : crossing;
  }

  readonly #whole = new WeakSet<object>();

  /** Plain or not, the outside gets no copy of it. */
  lentWhole(value: unknown): unknown {
    if (typeof value === 'object' && value !== null) this.#whole.add(value);
    return value;
  }

  readonly #isNeutral = (prototype: object): boolean => this.statics.isNeutral(prototype);
  readonly #isTransparent = (prototype: object): boolean =>
    OPEN_CLASSES.test(this.statics.neutralPathOf(prototype) ?? '');
}

/** Begins the path of a neutral function as the outside's. */
export const BOUND = '!';

export function kindOf(native: object): number {
  if (typeof native === 'function')
    return isProxy(native) || getOwnPropertyDescriptor(native, 'prototype') !== undefined ? KIND.function : KIND.method;
  return Array.isArray(native) ? KIND.array : KIND.object;
}

function ownAgain(heir: object, key: PropertyKey, value: unknown): PropertyDescriptor {
  return getOwnPropertyDescriptor(heir, key) === undefined
    ? { value, writable: true, enumerable: true, configurable: true }
    : { value };
}
