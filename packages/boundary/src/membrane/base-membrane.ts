// Base class of the recording and the replaying membrane of a thread with a tape. On the program side are the program,
// all its packages and the builtins that only compute; on the host side is everything that does I/O. Each side has
// exactly one view of each object of the other, and every operation through a view passes through this class. *Neutral*
// objects (of the language, and of builtins that only compute) belong to both sides.
//
// A *host call* is an operation of the program on a handle. A *host callback* is an operation of the host on a program
// object. Subclasses perform and record them (`recorded-membrane.ts`), or take them from the trace
// (`replayed-membrane.ts`). docs/internals/membrane.md explains what crosses the membrane and in which form.
//
// Invariant: this class does the same while recording and in a replay. It numbers, predicts and exports in an order
// that depends on the program and on recorded events only, never on host objects, which a replay does not have.
import { types, type InspectOptionsStylized } from 'node:util';
import { createHiddenField } from '@turntable/core';
import { LoaderError } from '@turntable/loader';
import { ContextNumbers, type NumberedContext } from './context-numbers.ts';
import { FIXED_FLAG, HANDLE_KIND, OP, PROPERTY_KIND, SymbolTable, type Op, type OpKey } from './encoding.ts';
import { TrackedPromises, plainCopy, type DataSourceApi, type SurrogateType } from './surrogates.ts';
import {
  BOUND_PREFIX,
  Handle,
  handleKindOf,
  HandleProxies,
  isBound,
  UNPREDICTED,
  type HandleDescriptor,
  type HandleOperations,
} from './handle.ts';
import { MembraneCounters, type Marks } from './marks.ts';
import type { MembraneDeps } from './membrane-deps.ts';
import { groupByHome, type OwnedEntry, type HostReferences, type MembraneState } from './membrane-state.ts';
import { ExportForms } from './export-forms.ts';
import { performCallback } from './export-proxies.ts';
import { Predictions, type HandleLookup } from './predictions.ts';
import { isPlainData, type SharedData, type SharedDataDeps } from './shared-data.ts';
import type { Statics } from './static-objects.ts';

const { getOwnPropertyDescriptor } = Reflect;
const { isNativeError } = types;
const nativeHasInstance = Function.prototype[Symbol.hasInstance];

type Callable = (this: unknown, ...args: never[]) => unknown;

export abstract class BaseMembrane implements HandleOperations, DataSourceApi, HandleLookup {
  protected readonly deps: MembraneDeps;
  protected readonly statics: Statics;
  protected readonly symbols = new SymbolTable();
  protected readonly marks: Marks = createHiddenField();
  readonly #proxies = new HandleProxies(this);
  /** Proxies that represent neutral functions as host functions. */
  readonly #boundProxies = new WeakMap<object, object>();
  protected readonly counters = new MembraneCounters();
  /** Numbers of the contexts in which the program has made host calls, and in which the host may call back. */
  protected readonly contextNumbers: ContextNumbers;

  protected readonly predictions: Predictions;
  /** The handle from which the last function was read, which is the receiver of most calls. */
  #lastRead: Handle | undefined;

  protected readonly surrogateTypes: SurrogateType[] = [];
  protected readonly trackedPromises = new TrackedPromises();
  #trackedPromisesHandle: Handle | undefined;

  /** The forms in which program objects are exported. */
  readonly exportForms: ExportForms;
  protected abstract readonly sharedData: SharedData;
  protected readonly sharedDataDeps: SharedDataDeps = {
    hasView: (value) => this.marks.get(value) !== undefined || this.statics.isNeutral(value),
    exportForm: (value) => this.exportForms.formOf(value),
    originalOf: (copy) => this.programObjectOf(copy),
    toHost: (value) => this.toHost(value),
  };

  /** Runs code that calls the program or changes its objects. A replay process replaces this to observe tasks. */
  callProgram: <T>(call: () => T) => T = (call) => call();

  constructor(deps: MembraneDeps) {
    this.deps = deps;
    this.statics = deps.statics;
    const { tape } = deps;
    this.contextNumbers = new ContextNumbers((context) => deps.contextData(context));
    this.predictions = new Predictions(deps.statics, this, tape.isReplay ? { isPaused: false } : tape);
    this.exportForms = new ExportForms({
      statics: deps.statics,
      output: deps.output,
      labelOf: (proxy) => this.handleFromProxy(proxy)?.label,
      toHost: (value) => this.toHost(value),
    });
  }

  /** Whether host code runs that the program has called. */
  abstract get isInHostCall(): boolean;
  /** Whether program code runs that the host has called. */
  abstract get isInHostCallback(): boolean;

  /** Returns the program's proxy of a host object that every process has, such as the exports of a builtin. */
  abstract proxyFor<T extends object>(hostObject: T): T;
  /** Returns the program object that the host sees as `hostView`; undefined if the host sees the object itself. */
  abstract programObjectOf(hostView: object): object | undefined;
  /** Returns the function that the host calls in place of a listener that did not cross through a handle. */
  abstract wrapListener(listener: object): (...values: unknown[]) => void;
  /**
   * Performs or replays an operation of the program, and returns or throws what the program sees. The operands are host
   * views, as for `performHostCall`.
   * @param predicted the result that a replay assumes, or `UNPREDICTED`
   */
  protected abstract hostCall(
    op: Op,
    handle: Handle,
    predicted: unknown,
    key: OpKey,
    operand: unknown,
    secondOperand: unknown,
  ): unknown;
  /** Exports a value of the program and returns the host's view. In a replay, only the assigned numbers matter. */
  protected abstract toHost(value: unknown): unknown;
  protected abstract onContextNumbered(numbered: NumberedContext): void;
  /** Returns the handle of a surrogate that was finished before the replay's first snapshot, and has no number. */
  protected abstract finishedSurrogate(object: object): Handle | undefined;
  protected abstract registerSurrogateKind(prototype: object | undefined, kind: number): void;
  abstract reportAnswered(object: object, status: unknown): void;

  // State for snapshots.

  protected abstract exportedObjects(): OwnedEntry[];
  protected abstract pendingPromises(): OwnedEntry[];
  protected abstract numberedContexts(): [number, object][];
  protected abstract liveSurrogates(): [number, object, number][];

  /** Forgets all predictions at a cut, because a replay that starts from the snapshot there has none either. */
  forgetPredictions(): void {
    this.predictions.forget();
    this.sharedData.forget();
  }

  /** Returns the membrane's part of a snapshot. `others`: the host's references into homes written separately. */
  capture(isBaseHome: (home: object) => boolean): {
    readonly state: MembraneState;
    readonly others: readonly (readonly [home: object, references: HostReferences])[];
  } {
    const { homeOf } = this.deps;
    const contexts = this.numberedContexts().map(([number, context]): OwnedEntry => [number, context, homeOf(context)]);
    const entries = { exports: this.exportedObjects(), pending: this.pendingPromises(), contexts };
    const { base, others } = groupByHome(entries, isBaseHome);
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

  // Handles.

  isHandle(value: unknown): boolean {
    return (
      ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      this.handleFromProxy(value) !== undefined
    );
  }

  handleFromProxy(proxy: object): Handle | undefined {
    const mark = this.marks.get(proxy);
    return mark instanceof Handle && mark.proxy === proxy ? mark : undefined;
  }

  /** The host object of a proxy. In a replay only static objects have one. */
  hostObjectOf(proxy: object): object | undefined {
    return this.handleFromProxy(proxy)?.hostObject;
  }

  /** Creates a handle and marks its proxy. The caller decides whether the host object is marked, too. */
  protected createHandle(
    number: number,
    path: string | undefined,
    kind: number,
    label: string,
    hostObject: object | undefined,
    surrogate?: ConstructorParameters<typeof Handle>[2],
  ): Handle {
    const fields = { number, path, kind, label, hostObject, knownGeneration: this.predictions.generation };
    const handle = new Handle(fields, this.#proxies, surrogate);
    this.marks.set(handle.proxy, handle);
    return handle;
  }

  /** Returns the proxy of a neutral function that must run on the host side, because it is called on a handle. */
  boundProxy(fn: object): object {
    let proxy = this.#boundProxies.get(fn);
    if (proxy === undefined) {
      const path = `${BOUND_PREFIX}${this.statics.neutralPathOf(fn) ?? ''}`;
      proxy = this.createHandle(-1, path, handleKindOf(fn), path, fn).proxy;
      this.#boundProxies.set(fn, proxy);
    }
    return proxy;
  }

  /** Returns the neutral function that a proxy of `boundProxy` represents; other values unchanged. */
  #withoutBinding(value: unknown): unknown {
    const handle = typeof value === 'function' ? this.handleFromProxy(value) : undefined;
    return handle !== undefined && isBound(handle) ? handle.hostObject : value;
  }

  #isProgramObject(value: unknown): value is object {
    return typeof value === 'object' && value !== null && this.handleFromProxy(value) === undefined;
  }

  protected isHostBound(holder: object, key: PropertyKey, value: unknown): value is object {
    return this.predictions.isHostBound(key, value, typeof holder === 'function') && !Object.hasOwn(holder, key);
  }

  // Contexts.

  /** Numbers the current context, because the host may call back in the context of a host call. */
  protected noteContext(): void {
    const context = this.deps.currentContext();
    if (context === undefined) return;
    const numbered = this.contextNumbers.assign(context);
    if (numbered !== undefined) this.onContextNumbered(numbered);
  }

  /** Number of the current context; 0 without a context, or in the main program's context without values. */
  protected currentContextNumber(): number {
    const context = this.deps.currentContext();
    return context === undefined ? 0 : this.contextNumbers.numberOf(context);
  }

  // Operations of the program on a handle, called by the traps of its proxy.

  get(handle: Handle, key: PropertyKey, receiver: object | undefined): unknown {
    if (typeof key === 'symbol') this.symbols.register(key);
    if (receiver !== undefined) {
      const surrogate = this.handleFromProxy(receiver);
      if (surrogate?.surrogateKind !== undefined) return this.get(surrogate, key, undefined);
      const hostReceiver = this.toHost(receiver);
      const value = this.hostCall(OP.get, handle, this.predictions.predict(handle, key), key, hostReceiver, undefined);
      if (value === nativeHasInstance && handle.path === undefined) return this.#hasInstance;
      // A program object that inherits a neutral method gets the method itself.
      return surrogate === undefined ? this.#withoutBinding(value) : value;
    }
    const predicted = this.predictions.predict(handle, key);
    const value = this.hostCall(OP.get, handle, predicted, key, handle.hostObject, undefined);
    this.notePrediction(handle, key, value, predicted);
    return value === nativeHasInstance && handle.path === undefined ? this.#hasInstance : value;
  }

  /**
   * `Symbol.hasInstance` of classes of packages. An error of a package crosses as it is, without handles in its prototype
   * chain, so the host is asked for its classes.
   */
  readonly #hasInstance: unknown = createInstanceCheck((type, value) => {
    const isCrossedError = isNativeError(value) && this.marks.get(value) !== undefined;
    return Reflect.apply(isCrossedError ? (this.boundProxy(nativeHasInstance) as Callable) : nativeHasInstance, type, [
      value,
    ]) as boolean;
  });

  /** Remembers a property's value for later predictions, unless it was predicted. */
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
      if (isSet) this.#noteStored(handle, key, value, hostValue);
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
    if (isDefined && 'value' in descriptor) this.#noteStored(handle, key, descriptor.value, hostDescriptor['value']);
    return isDefined;
  }

  #noteStored(handle: Handle, key: PropertyKey, value: unknown, hostValue: unknown): void {
    this.predictions.remember(handle, key, value);
    if (isPlainData(handle)) this.sharedData.add(value, hostValue);
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
    if (handle.path === undefined) this.sharedData.beforePackageCall();
    const lastRead = this.#lastRead;
    this.#lastRead = undefined;
    let hostSelf: unknown;
    // Fast path: the receiver is the handle that the method was just read from.
    if (lastRead !== undefined && lastRead.proxy === self) hostSelf = lastRead.hostObject;
    else if (isBound(handle) && this.#isProgramObject(self))
      return this.callProgram(() => Reflect.apply(handle.hostObject as Callable, self, args) as unknown);
    else hostSelf = this.sharedData.has(self) ? this.sharedData.copyOf(self) : this.exportForms.exportReceiver(self);
    const hostArgs = this.exportForms.exportArguments(args, handle, self);
    return this.hostCall(OP.apply, handle, UNPREDICTED, undefined, hostSelf, hostArgs);
  }

  construct(handle: Handle, args: readonly unknown[], newTarget: object | undefined): object {
    if (handle.path === undefined) this.sharedData.beforePackageCall();
    const hostArgs = this.exportForms.exportArguments(args, handle, undefined);
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

  // Surrogates, called by data sources.

  defineSurrogate(prototype: object, surrogateType: SurrogateType): void {
    this.surrogateTypes.push(surrogateType);
    this.registerSurrogateKind(this.hostObjectOf(prototype), this.surrogateTypes.length - 1);
  }

  #handleOfSurrogate(object: object): Handle {
    const handle = this.handleFromProxy(object) ?? this.finishedSurrogate(object);
    if (handle === undefined)
      throw new LoaderError(
        'TT_DEVICE',
        'this request or response was not created by the host; use the object that the data source passed',
      );
    return handle;
  }

  getProperty(object: object, key: PropertyKey): unknown {
    const handle = this.#handleOfSurrogate(object);
    const predicted = this.predictions.predict(handle, key);
    const value = this.hostCall(OP.read, handle, predicted, key, undefined, undefined);
    // A copy of plain data cannot be predicted, because each read makes a new copy.
    const isCopy = typeof value === 'object' && value !== null && this.handleFromProxy(value) === undefined;
    if (value !== predicted && !isCopy) this.predictions.remember(handle, key, value);
    return value;
  }

  invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown {
    const handle = this.#handleOfSurrogate(object);
    return this.hostCall(OP.invoke, handle, object, key, this.#dataToHost(args), undefined);
  }

  reportSettled(number: number, isFulfilled: boolean, value: unknown): void {
    const host = this.trackedPromises;
    const handle = (this.#trackedPromisesHandle ??= this.createHandle(-1, 'followed', HANDLE_KIND.object, '', host));
    const args = this.#dataToHost([number, isFulfilled, value]);
    this.hostCall(OP.invoke, handle, undefined, 'settle' satisfies keyof TrackedPromises, args, undefined);
  }

  /** Exports values. Plain data is copied and gets no numbers, because the host never returns it. */
  #dataToHost(values: readonly unknown[]): unknown[] {
    const hostValues: unknown[] = [];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const copy = typeof value === 'object' && value !== null ? plainCopy(value) : undefined;
      hostValues.push(copy ?? this.toHost(value));
    }
    return hostValues;
  }

  /**
   * Returns the surrogate type that tracks the promise returned by a call: the type of the first surrogate among the
   * first two arguments, if any.
   * @param values the receiver and the arguments
   */
  protected promiseTrackerOf(values: readonly unknown[]): SurrogateType | undefined {
    if (this.surrogateTypes.length === 0) return undefined;
    for (let i = 1; i < 3; i++) {
      const value = values[i];
      const handle = typeof value === 'object' && value !== null ? this.handleFromProxy(value) : undefined;
      if (handle?.surrogateKind !== undefined) return this.surrogateTypes[handle.surrogateKind];
    }
    return undefined;
  }

  /** Performs an operation of the host on a program object. */
  protected resultOf(op: Op, programObject: object, key: OpKey, values: readonly unknown[]): unknown {
    const result = performCallback(op, programObject, key, values);
    // The host adds listeners to the table of an emitter that the program constructed, so it must not get a copy.
    return op === OP.get && key === '_events' ? this.exportForms.lendUncopied(result) : result;
  }
}

function createInstanceCheck(isInstance: (type: unknown, value: unknown) => boolean): unknown {
  return {
    [Symbol.hasInstance](this: unknown, value: unknown) {
      return isInstance(this, value);
    },
  }[Symbol.hasInstance];
}

function receiverDescriptor(receiver: object, key: PropertyKey, value: unknown): PropertyDescriptor {
  return getOwnPropertyDescriptor(receiver, key) === undefined
    ? { value, writable: true, enumerable: true, configurable: true }
    : { value };
}
