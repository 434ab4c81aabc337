// The membrane of a thread that is recorded or runs again: on its inside the program, all packages and what only computes; on its outside what does
// I/O. Each side knows the other's objects by stand-ins, one for each, and all that is done through one is seen here. What the program does to the
// outside is done and its outcome noted, if a replay could not predict it; what the outside does to the program is noted before it is done. In a replay
// there is no outside: the trace answers, and calls. docs/membrane.md.
import { types, type InspectOptionsStylized } from 'node:util';
import { createHiddenField, Eventual, type ContextData, type EngineView, type Tape } from '@turntable/core';
import { LoaderError } from '@turntable/loader';
import { ContextNumbers, type NumberedContext } from './context-numbers.ts';
import { FIXED_FLAG, HANDLE_KIND, OP, PROPERTY_KIND, SymbolTable, type Op } from './encoding.ts';
import { TrackedPromises, plainCopy, type DataSourceApi, type SurrogateType } from './surrogates.ts';
import { Handle, UNPREDICTED, HandleProxies, type HandleOperations, type HandleDescriptor } from './handle.ts';
import { groupByHome, type OwnedEntry, type HostReferences, type MembraneState } from './membrane-state.ts';
import { exportFormOf, type ExportForm } from './export-form.ts';
import { Predictions, type HandleLookup } from './predictions.ts';
import type { StandardOutput } from './standard-output.ts';
import type { Statics } from './static-objects.ts';

export interface MembraneDeps {
  readonly tape: Tape;
  readonly statics: Statics;
  readonly engine: Pick<EngineView, 'weakKeys'>;
  /** A promise of the program's. */
  createPromise(): PromiseSettler;
  /** One that is there already. */
  settlerOf(promise: object): PromiseSettler;
  /** The context of asynchronous calls that code runs in, if anybody follows them. */
  currentContext(): object | undefined;
  runInContext(context: object, run: () => void): void;
  /** Whose code runs. */
  currentHome(): object;
  homeOf(context: object): object | undefined;
  contextData(context: object): ContextData;
  /** Whether this turn of Node's will end with rejections that are told of: what takes care of one has to come before. */
  hasPendingRejections(): boolean;
  /** Whether it is a microtask of Node's that calls. */
  isInMicrotask(): boolean;
  readonly output: StandardOutput;
  reportUnreplayable(use: string): void;
}

export interface PromiseSettler {
  readonly promise: object;
  settle(isFulfilled: boolean, value: unknown): void;
  /** The native one that it stands for has been rejected: before anybody reads the reason's stack, which says who awaits. */
  noteRejection(reason: unknown): void;
}

/** Something of the program's that the outside has, and what that has of it. Their lives are one: where each has the other's mark. */
export class ExportedObject {
  readonly number: number;
  readonly programObject: object;
  readonly hostView: object;
  /** Whose it was when it went out. */
  readonly home: object | undefined;
  readonly lifetime: object | undefined;

  constructor(
    number: number,
    programObject: object,
    hostView: object,
    home: object | undefined,
    lifetime: object | undefined,
  ) {
    this.number = number;
    this.programObject = programObject;
    this.hostView = hostView;
    this.home = home;
    this.lifetime = lifetime;
  }
}

/** Numbers that were given so far. */
export class MembraneCounters {
  handles = 0;
  exports = 0;
  promises = 0;
  readonly statics: Handle[] = [];

  /** It is there in every process, and has crossed for the first time. */
  assign(handle: Handle): void {
    handle.number = this.handles++;
    this.statics.push(handle);
  }
}

const { getOwnPropertyDescriptor } = Reflect;
const { isProxy } = types;
/** Classes of which the engine hides nothing in their objects, or core has made them. */
const TRANSPARENT_CLASSES = /EventEmitter|Generator/;
/** What these methods of a `MockTracker` are given is changed, plain data as well. */
const MOCK_METHODS = /^(?:method|getter|setter|property)$/;
const MOCK_TRACKER = /(?:^|\.)(?:MockTracker|mock)$/;
/** What other threads are given is cloned: of an instance of a class its fields, which a Proxy has not. */
const CLONING_FUNCTIONS = /(?:^|\.)postMessage$|^parent\.send$|^worker_threads\.Worker$/;

export abstract class BaseMembrane implements HandleOperations, DataSourceApi, HandleLookup {
  protected readonly deps: MembraneDeps;
  protected readonly statics: Statics;
  protected readonly symbols = new SymbolTable();
  /** Of proxies and what they stand for a handle; of what has gone out, and what the outside has in its place, how it did. */
  protected readonly marks = createHiddenField<Handle | ExportedObject>();
  readonly #proxies = new HandleProxies(this);
  protected readonly counters = new MembraneCounters();
  protected readonly predictions: Predictions;
  /** Asks since the last event of the membrane that were as predicted. */
  protected predictedCount = 0;
  /** Of which a function was read last. */
  #lastRead: Handle | undefined;
  /** Contexts in which something was asked. */
  protected readonly contextNumbers: ContextNumbers;

  constructor(deps: MembraneDeps) {
    this.deps = deps;
    this.statics = deps.statics;
    const { tape } = deps;
    this.contextNumbers = new ContextNumbers((context) => deps.contextData(context));
    this.predictions = new Predictions(deps.statics, this, tape.isReplay ? { isPaused: false } : tape);
  }

  isHandle(value: unknown): boolean {
    return (
      ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      this.handleFromProxy(value) !== undefined
    );
  }

  /** Only of what is there in every process, in a replay. */
  hostObjectOf(proxy: object): object | undefined {
    return this.handleFromProxy(proxy)?.hostObject;
  }

  handleFromProxy(proxy: object): Handle | undefined {
    const mark = this.marks.get(proxy);
    return mark instanceof Handle && mark.proxy === proxy ? mark : undefined;
  }

  /** What is known is forgotten: a snapshot begins, and who goes on from it knows nothing. */
  forgetPredictions(): void {
    this.predictions.forget();
    this.predictedCount = 0;
  }

  protected abstract exportedObjects(): OwnedEntry[];
  protected abstract pendingPromises(): OwnedEntry[];
  protected abstract numberedContexts(): [number, object][];
  protected abstract liveSurrogates(): [number, object, number][];

  /** For a snapshot. */
  capture(isBaseHome: (home: object) => boolean): {
    readonly state: MembraneState;
    readonly others: readonly (readonly [home: object, references: HostReferences])[];
  } {
    const contexts = this.numberedContexts().map(([number, context]): OwnedEntry => [
      number,
      context,
      this.deps.homeOf(context),
    ]);
    const { base, others } = groupByHome(
      { exports: this.exportedObjects(), pending: this.pendingPromises(), contexts },
      isBaseHome,
    );
    const state: MembraneState = {
      ...base,
      counts: [this.counters.handles, this.counters.exports, this.counters.promises],
      statics: this.counters.statics.map(({ path = '', number }) => [path, number]),
      contextCount: this.contextNumbers.count,
      symbols: this.symbols.capture(),
      surrogateTypes: [...this.surrogateTypes],
      surrogates: this.liveSurrogates(),
    };
    return { state, others };
  }

  /** What the program sees of something outside that is there in every process. */
  abstract proxyFor<T extends object>(hostObject: T): T;
  /** What the outside is to call in the place of a listener that comes to it by no ask. What it is called with the outside keeps. */
  abstract wrapListener(listener: object): (...values: unknown[]) => void;
  /** `operand`, `secondOperand`: what the outside is to have of what `performHostCall` takes. */
  protected abstract hostCall(
    op: Op,
    handle: Handle,
    predicted: unknown,
    key: PropertyKey | undefined,
    operand: unknown,
    secondOperand: unknown,
  ): unknown;
  /** The program's thing on its way out; in a replay only its number matters. */
  protected abstract toHost(value: unknown): unknown;

  get(handle: Handle, key: PropertyKey, receiver: object | undefined): unknown {
    if (typeof key === 'symbol') this.symbols.register(key);
    if (receiver !== undefined) {
      const surrogate = this.handleFromProxy(receiver);
      if (surrogate?.surrogateKind !== undefined) return this.get(surrogate, key, undefined);
      const hostReceiver = this.toHost(receiver);
      return this.hostCall(OP.get, handle, this.predictions.predict(handle, key), key, hostReceiver, undefined);
    }
    const predicted = this.predictions.predict(handle, key);
    const value = this.hostCall(OP.get, handle, predicted, key, handle.hostObject, undefined);
    this.notePrediction(handle, key, value, predicted);
    return value;
  }

  protected notePrediction(handle: Handle, key: PropertyKey, value: unknown, predicted: unknown): void {
    if (typeof value === 'function') this.#lastRead = handle;
    if (value !== predicted || (handle.path !== undefined && !this.predictions.isKnown(handle, key)))
      this.predictions.remember(handle, key, value);
  }

  set(handle: Handle, key: PropertyKey, value: unknown, receiver: object | undefined): boolean {
    if (typeof key === 'symbol') this.symbols.register(key);
    const surrogate = receiver === undefined ? undefined : this.handleFromProxy(receiver);
    if (surrogate?.surrogateKind !== undefined) return this.set(surrogate, key, value, undefined);
    const hostValue = this.toHost(value);
    if (receiver === undefined) {
      const isSet = this.hostCall(OP.set, handle, true, key, hostValue, undefined) as boolean;
      if (isSet) this.predictions.remember(handle, key, value);
      return isSet;
    }
    const hostReceiver = this.toHost(receiver);
    const outcome = this.hostCall(OP.setInherited, handle, undefined, key, hostValue, hostReceiver) as
      | boolean
      | undefined;
    return outcome ?? Reflect.defineProperty(receiver, key, receiverDescriptor(receiver, key, value));
  }

  has(handle: Handle, key: PropertyKey): boolean {
    if (typeof key === 'symbol') this.symbols.register(key);
    return this.hostCall(OP.has, handle, UNPREDICTED, key, undefined, undefined) as boolean;
  }

  delete(handle: Handle, key: PropertyKey): boolean {
    if (typeof key === 'symbol') this.symbols.register(key);
    this.predictions.remember(handle, key, undefined);
    return this.hostCall(OP.delete, handle, true, key, undefined, undefined) as boolean;
  }

  define(handle: Handle, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    if (typeof key === 'symbol') this.symbols.register(key);
    const hostDescriptor: Record<string, unknown> = { ...descriptor };
    for (const name of ['value', 'get', 'set'])
      if (name in descriptor) hostDescriptor[name] = this.toHost(hostDescriptor[name]);
    const isDefined = this.hostCall(OP.define, handle, true, key, hostDescriptor, undefined) as boolean;
    if (isDefined && 'value' in descriptor) this.predictions.remember(handle, key, descriptor.value);
    return isDefined;
  }

  describe(handle: Handle, key: PropertyKey): HandleDescriptor | undefined {
    if (typeof key === 'symbol') this.symbols.register(key);
    const fields = this.hostCall(OP.describe, handle, UNPREDICTED, key, undefined, undefined) as
      | readonly unknown[]
      | undefined;
    if (fields === undefined) return undefined;
    const [propertyKind, isEnumerable, writableOrGetter, valueOrSetter] = fields as [number, boolean, unknown, unknown];
    const common = { enumerable: isEnumerable, configurable: propertyKind < FIXED_FLAG };
    if (propertyKind % FIXED_FLAG === PROPERTY_KIND.accessor)
      return { ...common, get: writableOrGetter as () => unknown, set: valueOrSetter as (value: unknown) => void };
    this.predictions.remember(handle, key, valueOrSetter);
    return { ...common, value: valueOrSetter, writable: writableOrGetter as boolean };
  }

  keys(handle: Handle): PropertyKey[] {
    return this.hostCall(OP.keys, handle, UNPREDICTED, undefined, undefined, undefined) as PropertyKey[];
  }

  getPrototype(handle: Handle): object | null {
    const knownPrototype = this.predictions.prototypeOf(handle);
    const predicted = knownPrototype instanceof Handle ? knownPrototype.proxy : knownPrototype;
    const result = this.hostCall(OP.prototype, handle, predicted, undefined, undefined, undefined) as object | null;
    if (result !== predicted || !this.predictions.isPrototypeKnown(handle))
      this.predictions.rememberPrototype(handle, result);
    return result;
  }

  setPrototype(handle: Handle, prototype: object | null): boolean {
    const hostPrototype = this.toHost(prototype) as object | null;
    const isSet = this.hostCall(OP.setPrototype, handle, true, undefined, hostPrototype, undefined) as boolean;
    if (isSet) this.predictions.rememberPrototype(handle, prototype);
    return isSet;
  }

  isExtensible(handle: Handle): boolean {
    return this.hostCall(OP.isExtensible, handle, true, undefined, undefined, undefined) as boolean;
  }

  preventExtensions(handle: Handle): boolean {
    return this.hostCall(OP.preventExtensions, handle, true, undefined, undefined, undefined) as boolean;
  }

  apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    // A method is mostly called on what it was just read from.
    const lastRead = this.#lastRead;
    this.#lastRead = undefined;
    const hostSelf = lastRead !== undefined && lastRead.proxy === self ? lastRead.hostObject : this.toHost(self);
    if ((handle.isMocker ??= MOCK_METHODS.test(handle.label)) && this.#isMockTracker(self)) this.#mockTarget = args[0];
    const hostArgs = this.#argumentsToHost(args, handle);
    this.#mockTarget = undefined;
    return this.hostCall(OP.apply, handle, UNPREDICTED, undefined, hostSelf, hostArgs);
  }

  construct(handle: Handle, args: readonly unknown[], newTarget: object | undefined): object {
    const hostArgs = this.#argumentsToHost(args, handle);
    const hostNewTarget = newTarget === undefined ? handle.hostObject : this.toHost(newTarget);
    const result = this.hostCall(OP.construct, handle, UNPREDICTED, undefined, hostArgs, hostNewTarget) as object;
    const instance = newTarget === undefined ? undefined : this.handleFromProxy(result);
    if (instance !== undefined) instance.programClass = newTarget;
    return result;
  }

  inspect(proxy: object, options: InspectOptionsStylized): string {
    const handle = this.handleFromProxy(proxy) as Handle;
    return this.hostCall(OP.inspect, handle, UNPREDICTED, undefined, options, undefined) as string;
  }

  #argumentsToHost(values: readonly unknown[], handle: Handle): unknown[] {
    const hostValues: unknown[] = [];
    const isCloner = (handle.isCloner ??= CLONING_FUNCTIONS.test(handle.label));
    if (values.length < 2 && !isCloner) {
      if (values.length === 1) hostValues.push(this.toHost(values[0]));
      return hostValues;
    }
    this.#isInCall = true;
    try {
      for (let i = 0; i < values.length; i++) {
        // A function behind what is sent is called when that has left.
        this.#isForCloning = isCloner && (i === 0 || typeof values[i] !== 'function');
        hostValues.push(this.toHost(values[i]));
      }
    } finally {
      this.#isInCall = false;
      this.#isForCloning = false;
      this.#callCopies = undefined;
    }
    return hostValues;
  }

  #isInCall = false;
  #isForCloning = false;
  /** It is given away to be changed. */
  #mockTarget: unknown;
  #callCopies: Map<object, object> | undefined;

  /** What stands for plain data by now: two arguments of one call that are one thing are so outside. */
  protected argumentCopies(): Map<object, object> {
    return this.#isInCall ? (this.#callCopies ??= new Map()) : new Map();
  }

  #isMockTracker(self: unknown): boolean {
    if ((typeof self !== 'object' && typeof self !== 'function') || self === null) return false;
    return MOCK_TRACKER.test(this.handleFromProxy(self)?.label ?? '');
  }

  protected readonly surrogateTypes: SurrogateType[] = [];
  protected readonly trackedPromises = new TrackedPromises();
  #trackedPromisesHandle: Handle | undefined;

  defineSurrogate(prototype: object, surrogateType: SurrogateType): void {
    this.surrogateTypes.push(surrogateType);
    this.registerSurrogateKind(this.hostObjectOf(prototype), this.surrogateTypes.length - 1);
  }

  /** One that was over when a snapshot was taken which a run again begins with. */
  protected abstract finishedSurrogate(object: object): Handle | undefined;

  protected abstract registerSurrogateKind(prototype: object | undefined, kind: number): void;

  #handleOfSurrogate(object: object): Handle {
    const handle = this.handleFromProxy(object) ?? this.finishedSurrogate(object);
    if (handle === undefined)
      throw new LoaderError(
        'TT_DEVICE',
        'a request or the like was asked for what it stands for, and nobody outside has met it; use the one that was given',
      );
    return handle;
  }

  getProperty(object: object, key: PropertyKey): unknown {
    const handle = this.#handleOfSurrogate(object);
    const predicted = this.predictions.predict(handle, key);
    const value = this.hostCall(OP.read, handle, predicted, key, undefined, undefined);
    // A copy is another one each time.
    if (
      value !== predicted &&
      (typeof value !== 'object' || value === null || this.handleFromProxy(value) !== undefined)
    )
      this.predictions.remember(handle, key, value);
    return value;
  }

  invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown {
    const handle = this.#handleOfSurrogate(object);
    return this.hostCall(OP.invoke, handle, object, key, this.#dataToHost(args), undefined);
  }

  abstract reportAnswered(object: object, status: unknown): void;

  reportSettled(number: number, isFulfilled: boolean, value: unknown): void {
    const handle = (this.#trackedPromisesHandle ??= this.createHandle(
      -1,
      'followed',
      HANDLE_KIND.object,
      '',
      this.trackedPromises,
    ));
    const args = this.#dataToHost([number, isFulfilled, value]);
    this.hostCall(OP.invoke, handle, undefined, 'settle' satisfies keyof TrackedPromises, args, undefined);
  }

  /** Plain data has no number: nobody outside brings it back. */
  #dataToHost(values: readonly unknown[]): unknown[] {
    const hostValues: unknown[] = [];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const copy = typeof value === 'object' && value !== null ? plainCopy(value) : undefined;
      hostValues.push(copy ?? this.toHost(value));
    }
    return hostValues;
  }

  /** Who follows promises of a function that is called with these. `this` is the first of them. */
  protected promiseTrackerOf(values: readonly unknown[]): SurrogateType | undefined {
    if (this.surrogateTypes.length === 0) return undefined;
    for (let i = 1; i < 3; i++) {
      const value = values[i];
      const handle = typeof value === 'object' && value !== null ? this.handleFromProxy(value) : undefined;
      if (handle?.surrogateKind !== undefined) return this.surrogateTypes[handle.surrogateKind];
    }
    return undefined;
  }

  protected isHostBound(holder: object, key: PropertyKey, value: unknown): value is object {
    return this.predictions.isHostBound(key, value, typeof holder === 'function') && !Object.hasOwn(holder, key);
  }

  readonly #boundProxies = new WeakMap<object, object>();

  /** A neutral function as the outside's. */
  boundProxy(fn: object): object {
    let proxy = this.#boundProxies.get(fn);
    if (proxy === undefined) {
      const path = `${BOUND_PREFIX}${this.statics.neutralPathOf(fn) ?? ''}`;
      proxy = this.createHandle(-1, path, handleKindOf(fn), path, fn).proxy;
      this.#boundProxies.set(fn, proxy);
    }
    return proxy;
  }

  /** The proxy knows whose it is; whether what it stands for does, too, is for others to say. */
  protected createHandle(
    number: number,
    path: string | undefined,
    kind: number,
    label: string,
    hostObject: object | undefined,
    surrogate?: ConstructorParameters<typeof Handle>[2],
  ): Handle {
    const handle = new Handle(
      { number, path, kind, label, hostObject, knownGeneration: this.predictions.generation },
      this.#proxies,
      surrogate,
    );
    this.marks.set(handle.proxy, handle);
    return handle;
  }

  /** Code of the program runs in one; the outside may call it back from there. */
  protected noteContext(): void {
    const context = this.deps.currentContext();
    if (context === undefined) return;
    const numbered = this.contextNumbers.assign(context);
    if (numbered !== undefined) this.onContextNumbered(numbered);
  }

  /** 0: of none in which anything was asked, or the main program's without values. */
  protected currentContextNumber(): number {
    const context = this.deps.currentContext();
    return context === undefined ? 0 : this.contextNumbers.numberOf(context);
  }

  protected abstract onContextNumbered(numbered: NumberedContext): void;

  protected exportForm(value: object): ExportForm {
    // Node asks whether something is its own standard output.
    if (this.deps.output.noteHandedOut(value)) return 'raw';
    if (this.#uncopied.has(value)) return 'object';
    const form = exportFormOf(value, this.#isNeutral, this.#isTransparent);
    if (form === 'plain' && value === this.#mockTarget) return 'object';
    if (!this.#isForCloning || isProxy(value) || Eventual.is(value)) return form;
    // It will be refused, with its text.
    if (form === 'function') return 'bare';
    return form === 'object' ? 'plain' : form;
  }

  readonly #uncopied = new WeakSet<object>();

  /** Plain or not, the outside gets no copy of it. */
  lendUncopied(value: unknown): unknown {
    if (typeof value === 'object' && value !== null) this.#uncopied.add(value);
    return value;
  }

  readonly #isNeutral = (prototype: object): boolean => this.statics.isNeutral(prototype);
  readonly #isTransparent = (prototype: object): boolean =>
    TRANSPARENT_CLASSES.test(this.statics.neutralPathOf(prototype) ?? '');
}

/** Begins the path of a neutral function as the outside's. */
export const BOUND_PREFIX = '!';

export function handleKindOf(hostObject: object): number {
  if (typeof hostObject === 'function')
    return isProxy(hostObject) || getOwnPropertyDescriptor(hostObject, 'prototype') !== undefined
      ? HANDLE_KIND.function
      : HANDLE_KIND.method;
  return Array.isArray(hostObject) ? HANDLE_KIND.array : HANDLE_KIND.object;
}

function receiverDescriptor(receiver: object, key: PropertyKey, value: unknown): PropertyDescriptor {
  return getOwnPropertyDescriptor(receiver, key) === undefined
    ? { value, writable: true, enumerable: true, configurable: true }
    : { value };
}
