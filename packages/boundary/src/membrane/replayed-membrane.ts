// The membrane of a program that runs again: there is no outside. What the program asks the trace answers, and the trace calls what the outside called.
import { Eventual, rethrownError, type TapePlayer, type TapeValue } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import {
  type EncodedValue,
  type EncodedList,
  MEMBRANE_EVENT,
  OP_FLAG,
  VALUE_FORM,
  HANDLE_KIND,
  OP,
  type Op,
  opText,
} from './encoding.ts';
import { UNPREDICTED, type Handle } from './handle.ts';
import { BaseMembrane, BOUND_PREFIX, handleKindOf, type MembraneDeps, type PromiseSettler } from './base-membrane.ts';
import { fillBytes } from './lent-buffers.ts';
import type { NumberedContext } from './context-numbers.ts';
import type { OwnedEntry, HostReferences, MembraneState } from './membrane-state.ts';
import { ReplayedExports } from './replayed-exports.ts';
import { performCallback, hasKey } from './export-proxies.ts';
import { OutcomeDecoder } from './outcome-decoder.ts';
import { isDescriptorWriter, writtenBytes } from './standard-output.ts';
import { deviceTracker } from './device-tracker.ts';
import { isHostMember, noteRethrown } from '@turntable/loader';
import type { FailureHandlers } from '../inputs/failure-classifier.ts';

const NativePromise = Promise;

/** Not what may be the program's, which throws it by itself. */
function isReplayedError(value: TapeValue): boolean {
  const [event, , isUnsure] = value as EncodedList;
  return event === MEMBRANE_EVENT.uncaught || (event === MEMBRANE_EVENT.failed && isUnsure !== true);
}

function hasFlag(event: TapeValue, flag: number): boolean {
  const [code] = event as EncodedList;
  return typeof code === 'number' && (code & flag) !== 0;
}

/** What computes is here, and goes by what it is told: `buffer.INSPECT_MAX_BYTES`. A function it would call is the trace's to call. */
function isProgramSideSetting({ path, hostObject: native }: Handle, key: PropertyKey, value: unknown): boolean {
  if (path === undefined || native === undefined || typeof key !== 'string') return false;
  return typeof value !== 'function' && typeof value !== 'object' && !path.includes('.') && !isHostMember(path, key);
}

interface PendingPromise {
  readonly settler: PromiseSettler;
  readonly home: object | undefined;
}

export class ReplayedMembrane extends BaseMembrane implements FailureHandlers {
  readonly #tape: TapePlayer;
  readonly #proxiesByNumber = new Map<number, object>();
  /** Of those that were made by hand, how. They are few; all others are as many as the recorded run's collector had still to take. */
  readonly #surrogateKinds = new Map<number, number>();
  readonly #staticProxies = new WeakMap<object, object>();
  readonly #exports: ReplayedExports;
  readonly #contextByNumber = new Map<number, object>();
  readonly #pending = new Map<number, PendingPromise>();
  #isReady = true;
  /** What the last entry has thrown. */
  #lastThrown: { readonly error: unknown } | undefined;
  /** What is thrown in the place of Node's code, and promises are rejected with. */
  #lastRaised: { readonly error: unknown } | undefined;
  readonly #rejections = new Set<unknown>();
  readonly #decoder: OutcomeDecoder;
  /** Calls the program, or changes what is its own. */
  callProgram: <T>(call: () => T) => T = (call) => call();
  /** The same of what it makes for them. */
  makeForProgram: <T>(make: () => T) => T = (make) => make();

  constructor(deps: MembraneDeps) {
    super(deps);
    const tape = (this.#tape = deps.tape as TapePlayer);
    const { statics, symbols, marks, counters: numbers } = this;
    const exports = (this.#exports = new ReplayedExports({
      statics,
      marks,
      numbers,
      exportForm: (value) => this.exportForm(value),
      argumentCopies: () => this.argumentCopies(),
      registerSymbol: (symbol) => symbols.register(symbol),
      currentHome: () => deps.currentHome(),
    }));
    this.#decoder = new OutcomeDecoder({
      tape,
      statics,
      symbols,
      exportedObject: (number) => exports.objectAt(number),
      adopt: (value) => exports.adopt(value),
      proxyAt: (number, kind, label) =>
        this.#proxiesByNumber.get(number) ??
        (kind === undefined ? undefined : this.reviveProxy(number, kind, label ?? '')),
      createProxy: (list) => this.#createHandleProxy(list),
      createStaticProxy: (path) => this.#createStaticProxy(path),
      makeSurrogate: (list) => this.#makeSurrogate(list),
      createPromise: () => this.#createPromise(),
    });
    tape.setPerformer(
      TRACE_SOURCES.device,
      (number, value) => this.#isReady && this.#performEntry(number, value as EncodedList),
      (value) => (hasFlag(value, OP_FLAG.microtask) ? 'microtask' : 'macrotask'),
      (value) => {
        const [code, , , isChained] = value as EncodedList;
        if (code === MEMBRANE_EVENT.uncaught || code === MEMBRANE_EVENT.failed || code === MEMBRANE_EVENT.rejected)
          return 'apart';
        if (code === MEMBRANE_EVENT.shown) return isChained === true ? 'chained' : undefined;
        if (code === MEMBRANE_EVENT.aborted) return (value as EncodedList)[2] === true ? 'chained' : undefined;
        return hasFlag(value, OP_FLAG.chained) ? 'chained' : undefined;
      },
    );
    tape.setPerformer(
      TRACE_SOURCES.settled,
      (number, value) => this.#isReady && this.#settlePending(number, value as EncodedList),
      () => 'microtask',
      (value) => ((value as EncodedList)[2] === true ? 'chained' : undefined),
    );
  }

  /** A state is still to come, to which all of this will happen. */
  awaitState(): void {
    this.#isReady = false;
  }

  override forgetPredictions(): void {
    super.forgetPredictions();
    if (this.#isReady) return;
    this.#isReady = true;
    this.#tape.wake();
  }

  get isInHostCall(): boolean {
    return false;
  }

  get isInHostCallback(): boolean {
    return true;
  }

  proxyFor<T extends object>(hostObject: T): T {
    let proxy = this.#staticProxies.get(hostObject);
    if (proxy === undefined) {
      const path = this.statics.pathOf(hostObject) ?? '';
      proxy = this.createHandle(-1, path, handleKindOf(hostObject), path, hostObject).proxy;
      this.#staticProxies.set(hostObject, proxy);
    }
    return proxy as T;
  }

  wrapListener(listener: object): () => void {
    // One of a snapshot has its number.
    if (this.#isReady) this.toHost(listener);
    return () => undefined;
  }

  programObjectOf(hostView: object): object | undefined {
    return this.#globalValues.has(hostView) ? hostView : undefined;
  }

  /** Of a snapshot that this run goes on from: what had the number. */
  reviveProxy(number: number, kind: number, label: string): object {
    const knownProxy = this.#proxiesByNumber.get(number);
    if (knownProxy !== undefined) return knownProxy;
    const { proxy } = this.createHandle(number, undefined, kind, label, undefined);
    this.#proxiesByNumber.set(number, proxy);
    return proxy;
  }

  protected exportedObjects(): OwnedEntry[] {
    return this.#exports.entries();
  }

  protected pendingPromises(): OwnedEntry[] {
    return [...this.#pending].map(([number, { settler, home }]) => [number, settler.promise, home]);
  }

  protected numberedContexts(): [number, object][] {
    return [...this.#contextByNumber];
  }

  /** Where the recorded run stood when its snapshot was taken. Handles have come back with the state. */
  restore(state: MembraneState): void {
    const { counters: numbers } = this;
    [numbers.handles, numbers.exports, numbers.promises] = state.counts;
    this.symbols.restore(state.symbols);
    for (const [path, number] of state.statics) {
      const proxy = this.#staticProxyAt(path);
      const handle = this.handleFromProxy(proxy) as Handle;
      handle.number = number;
      numbers.statics.push(handle);
      this.#proxiesByNumber.set(number, proxy);
    }
    this.surrogateTypes.push(...state.surrogateTypes);
    for (const [number, object, kind] of state.surrogates) this.#addSurrogate(number, object, kind);
    this.contextNumbers.count = state.contextCount;
    this.restoreReferences(undefined, state);
  }

  /** What the outside had of somebody's. */
  restoreReferences(home: object | undefined, { exports, pending, contexts }: HostReferences): void {
    for (const [number, programObject] of exports) this.#exports.restore(number, programObject, home);
    for (const [number, promise] of pending) this.#pending.set(number, { settler: this.deps.settlerOf(promise), home });
    for (const [number, context] of contexts) {
      this.contextNumbers.restore(number, context);
      this.#contextByNumber.set(number, context);
    }
  }

  /** What the program has thrown by itself is not thrown again. */
  uncaughtError(error: unknown): unknown {
    const lastRaised = this.#lastRaised;
    this.#lastRaised = undefined;
    if (lastRaised === undefined || lastRaised.error !== error) this.#passFailure(MEMBRANE_EVENT.failed, error);
    return error;
  }

  unhandledRejection(reason: unknown): unknown {
    if (!this.#rejections.delete(reason)) this.#passFailure(MEMBRANE_EVENT.rejected, reason);
    return reason;
  }

  promiseForProgram(): object {
    return this.#createHandleProxy([VALUE_FORM.newHandle, HANDLE_KIND.object, 'Promise', null]);
  }

  #passFailure(event: number, error: unknown): void {
    const recorded = this.#tape.skipEntry(TRACE_SOURCES.device, (value) => (value as EncodedList)[0] === event) as
      | EncodedList
      | undefined;
    const encoded = recorded?.[1];
    if (Array.isArray(encoded) && encoded[0] === VALUE_FORM.error && typeof error === 'object' && error !== null)
      this.#exports.adopt(error);
  }

  protected hostCall(op: Op, handle: Handle, predicted: unknown, key: PropertyKey | undefined): unknown {
    // Whoever puts the state back asks what is there in every process, and nothing of the trace.
    if (!this.#isReady) {
      if (predicted !== UNPREDICTED) return predicted;
      // A class is made again that extends one from outside: what its prototype is below comes with the state.
      if (op === OP.get && key === 'prototype') return null;
    }
    this.noteContext();
    for (let prediction = predicted; ; prediction = UNPREDICTED) {
      const next = this.#tape.peek(TRACE_SOURCES.device) as EncodedList | undefined;
      if (next === undefined || (next[0] as number) > this.predictedCount) {
        if (prediction !== UNPREDICTED) {
          this.predictedCount++;
          return prediction;
        }
        // The trace says what stands there instead.
        if (next === undefined) this.#tape.outcome(TRACE_SOURCES.device, () => operationText(op, handle, key));
      }
      const [predictedBefore, code, ...fields] = (next ?? []) as [number, number, ...EncodedValue[]];
      const isCallback = (code & OP_FLAG.callback) !== 0;
      const recordedKey = fields[1];
      if (predictedBefore !== this.predictedCount)
        this.#tape.diverge(
          `the program does what is known ${predictedBefore - this.predictedCount} more times before this is asked`,
          `the program asks device: ${operationText(op, handle, key)}`,
        );
      if (
        !isCallback &&
        ((code & ~OP_FLAG.threw) !== op ||
          (key !== undefined && typeof recordedKey === 'string' && recordedKey !== String(key)))
      )
        this.#tape.diverge(
          `the program asks device: ${opText(code, undefined, recordedKey)}`,
          `the program asks device: ${operationText(op, handle, key)}`,
        );
      this.#tape.outcome(TRACE_SOURCES.device);
      this.predictedCount = 0;
      if (this.#performSilentEvent(code, fields)) continue;
      if (isCallback) {
        const [number, ...values] = fields;
        this.#hostCallback(code & ~OP_FLAG.callback, number as number, values);
        continue;
      }
      const value = this.#decoder.decodeValue(fields[0]);
      if (typeof recordedKey !== 'string' && key !== undefined && fields.length > 1) {
        const decodedKey = this.#decoder.decodeKey(recordedKey);
        if (decodedKey !== key)
          this.#tape.diverge(
            `the program asks device: ${opText(code, undefined, String(decodedKey))}`,
            `the program asks device: ${operationText(op, handle, key)}`,
          );
      }
      if ((code & OP_FLAG.threw) !== 0) throw value;
      return value;
    }
  }

  override get(handle: Handle, key: PropertyKey, receiver: object | undefined): unknown {
    const value = super.get(handle, key, receiver);
    deviceTracker()?.noteRead(handle.proxy, key, value);
    return value;
  }

  override set(handle: Handle, key: PropertyKey, value: unknown, receiver: object | undefined): boolean {
    deviceTracker()?.noteSet(handle.proxy, key, value);
    const isSet = super.set(handle, key, value, receiver);
    if (isSet && (isProgramSideSetting(handle, key, value) || this.#isGlobalSetting(handle, value)))
      Reflect.set(handle.hostObject as object, key, value);
    return isSet;
  }

  /** Put where native code would have what stands for it: the program looks at its global object, and sees that something is there. */
  readonly #globalValues = new WeakSet<object>();

  #isGlobalSetting({ path }: Handle, value: unknown): boolean {
    if (path !== 'web') return false;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return true;
    if (this.handleFromProxy(value) !== undefined) return false;
    this.#globalValues.add(value);
    return true;
  }

  /** A class of the program's gives an object that comes back the fields of a new one: it has what it had. */
  override define(handle: Handle, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    return !this.#isReady || super.define(handle, key, descriptor);
  }

  override apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    const tracker = deviceTracker();
    if (tracker !== undefined) {
      const [selfHandle] = this.#handlesOf(self);
      tracker.noteCall(functionLabel(handle, selfHandle), selfHandle, args);
    }
    const result = super.apply(handle, self, args);
    if (isDescriptorWriter(handle.path)) {
      const output = writtenBytes(args, result);
      if (output !== undefined) this.deps.output.show(...output);
    }
    return result;
  }

  override construct(handle: Handle, args: readonly unknown[], newTarget: object | undefined): object {
    deviceTracker()?.noteCall(`new ${functionLabel(handle, undefined)}`, undefined, args);
    return super.construct(handle, args, newTarget);
  }

  override invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown {
    const finish = deviceTracker()?.noteInvoke(object, key, args);
    const result = super.invoke(object, key, args);
    finish?.();
    return result;
  }

  override reportAnswered(object: object, status: unknown): void {
    deviceTracker()?.noteHostResponse(object, status);
  }

  override reportSettled(number: number, isFulfilled: boolean, value: unknown): void {
    const finish = deviceTracker()?.notePromiseSettled(number, isFulfilled, value);
    super.reportSettled(number, isFulfilled, value);
    finish?.();
  }

  /** The outside has what comes of it, and what is thrown. */
  #hostCallback(
    code: number,
    number: number,
    encodedValues: readonly EncodedValue[],
  ): { readonly error: unknown } | undefined {
    const isNeutral = (code & OP_FLAG.neutral) !== 0;
    const op = (code & ~OP_FLAG.neutral) as Op;
    const operands = isNeutral ? encodedValues.slice(1) : encodedValues;
    const programObject = isNeutral
      ? this.statics.objectAt(encodedValues[0] as string)
      : this.#exports.objectAt(number);
    if (programObject === undefined)
      return this.#tape.diverge(`the outside calls what it was given as number ${number}`, 'it was not given that');
    if (op === OP.fill) {
      this.callProgram(() => fillBytes(programObject, operands[0] as number, operands[1] as Uint8Array));
      return undefined;
    }
    const key = hasKey(op) ? this.#decoder.decodeKey(operands[0], programObject) : undefined;
    const values = (key === undefined ? operands : operands.slice(1)).map(this.#decoder.decodeValue);
    const tracker = deviceTracker();
    const finish = tracker?.enterCallback(values.flatMap((value) => this.#handlesOf(value)));
    const surrogateType = op === OP.apply ? this.promiseTrackerOf(values) : undefined;
    if (surrogateType !== undefined) tracker?.beforeCallback(values);
    try {
      let trackedNumber: number | undefined;
      const result = this.callProgram(() => {
        const callbackResult = performCallback(op, programObject, key, values);
        if (surrogateType?.trackPromise !== undefined && Eventual.is(callbackResult))
          trackedNumber = surrogateType.trackPromise(callbackResult);
        return callbackResult;
      });
      if (trackedNumber !== undefined) tracker?.trackPromise(trackedNumber, values);
      else {
        this.toHost(result);
        if (surrogateType !== undefined) tracker?.noteReturn(values, result);
      }
      return undefined;
    } catch (error) {
      this.toHost(error);
      if (surrogateType !== undefined) tracker?.noteThrow(values, error);
      return { error };
    } finally {
      finish?.();
    }
  }

  #handlesOf(value: unknown): Handle[] {
    const handle = typeof value === 'object' && value !== null ? this.handleFromProxy(value) : undefined;
    return handle === undefined ? [] : [handle];
  }

  #performEntry(number: number, [code, ...fields]: EncodedList): true {
    if (code === MEMBRANE_EVENT.released) {
      this.#releaseNumbers(...(fields as unknown as readonly (readonly number[])[]));
      return true;
    }
    if (code === MEMBRANE_EVENT.uncaught || code === MEMBRANE_EVENT.failed) {
      this.#raiseError([code, ...fields]);
      return true;
    }
    if (this.#performSilentEvent(code as number, fields)) return true;
    if (code === MEMBRANE_EVENT.rejected) {
      const reason = this.#decoder.decodeValue(fields[0]);
      this.#rejections.add(reason);
      void NativePromise.reject(reason);
      return true;
    }
    const [context, ...values] = fields;
    const perform = (): void => {
      this.#lastThrown = this.#hostCallback(
        (code as number) & ~(OP_FLAG.callback | OP_FLAG.chained | OP_FLAG.microtask),
        number,
        values,
      );
      // Natively it comes at once, before whatever ticks and jobs the act has made.
      const failure = this.#tape.skipEntry(TRACE_SOURCES.device, isReplayedError) as EncodedList | undefined;
      if (failure !== undefined) this.#raiseError(failure);
    };
    const contextRunner = this.#contextByNumber.get(context as number);
    // Entries are performed in that of nobody.
    if (contextRunner === undefined) perform();
    else this.deps.runInContext(contextRunner, perform);
    return true;
  }

  /** What happens outside and calls nothing of the program: output, and a client that has gone. */
  #performSilentEvent(code: number, fields: readonly EncodedValue[]): boolean {
    if (code === MEMBRANE_EVENT.shown) this.deps.output.show(fields[0] as number, fields[1] as Uint8Array);
    else if (code !== MEMBRANE_EVENT.aborted) return false;
    else
      for (const handle of this.#handlesOf(this.#decoder.decodeValue(fields[0]))) deviceTracker()?.noteAborted(handle);
    return true;
  }

  #raiseError([event, encoded]: EncodedList): void {
    this.#lastRaised =
      event === MEMBRANE_EVENT.failed ? { error: this.#decoder.decodeValue(encoded) } : this.#lastThrown;
    this.#lastThrown = undefined;
    if (this.#lastRaised === undefined) return;
    const { error } = this.#lastRaised;
    noteRethrown(error);
    throw rethrownError(error, 'node-do-not-add-exception-line');
  }

  #settlePending(number: number, [isFulfilled, encoded]: EncodedList): boolean {
    const pending = this.#pending.get(number);
    if (pending === undefined) return false;
    this.#pending.delete(number);
    const value = this.#decoder.decodeValue(encoded);
    this.callProgram(() => pending.settler.settle(isFulfilled as boolean, value));
    return true;
  }

  #releaseNumbers(...[exports = [], handles = [], contexts = [], done = []]: readonly (readonly number[])[]): void {
    for (const number of exports) this.#exports.release(number);
    for (const number of handles) {
      this.#proxiesByNumber.delete(number);
      this.#surrogateKinds.delete(number);
    }
    for (const number of contexts) this.#contextByNumber.delete(number);
    for (const number of done) this.#surrogateKinds.delete(number);
  }

  protected onContextNumbered({ number, context }: NumberedContext): void {
    this.#contextByNumber.set(number, context);
  }

  #createHandleProxy([, kind, label, encodedPrototype]: EncodedList): object {
    const handle = this.createHandle(this.counters.handles++, undefined, kind as number, label as string, undefined);
    const { proxy } = handle;
    this.#proxiesByNumber.set(handle.number, proxy);
    if (encodedPrototype !== null)
      this.predictions.rememberPrototype(handle, this.#decoder.decodeValue(encodedPrototype as TapeValue) as object);
    return proxy;
  }

  #makeSurrogate([, kind, ...encoded]: EncodedList): object {
    const initialValues = encoded.map(this.#decoder.decodeValue);
    const surrogateType = this.surrogateTypes[kind as number];
    if (surrogateType === undefined)
      return this.#tape.diverge('a data source makes an object for what the outside brings', 'there is no such source');
    const object = this.makeForProgram(() => surrogateType.make(...initialValues));
    this.#addSurrogate(this.counters.handles++, object, kind as number);
    deviceTracker()?.noteSurrogate(object, surrogateType.initialKeys, initialValues);
    return object;
  }

  #addSurrogate(number: number, object: object, kind: number): void {
    this.createHandle(number, undefined, HANDLE_KIND.object, '', undefined, { kind, object });
    this.#proxiesByNumber.set(number, object);
    this.#surrogateKinds.set(number, kind);
  }

  protected finishedSurrogate(object: object): Handle {
    return this.createHandle(-1, undefined, HANDLE_KIND.object, '', undefined, { kind: 0, object });
  }

  protected registerSurrogateKind(): void {}

  protected liveSurrogates(): [number, object, number][] {
    return [...this.#surrogateKinds].map(([number, kind]) => [
      number,
      this.#proxiesByNumber.get(number) as object,
      kind,
    ]);
  }

  #staticProxyAt(path: string): object {
    const isBound = path.startsWith(BOUND_PREFIX);
    const native = this.statics.objectAt(isBound ? path.slice(BOUND_PREFIX.length) : path);
    if (native === undefined) return this.#tape.diverge(`the outside has ${path}`, 'there is none here');
    return isBound ? this.boundProxy(native) : this.proxyFor(native);
  }

  #createStaticProxy(path: string): object {
    const proxy = this.#staticProxyAt(path);
    const handle = this.handleFromProxy(proxy) as Handle;
    this.counters.assign(handle);
    this.#proxiesByNumber.set(handle.number, proxy);
    return proxy;
  }

  #createPromise(): object {
    const settler = this.deps.createPromise();
    this.#pending.set(this.counters.promises++, { settler, home: this.deps.currentHome() });
    return this.#exports.adopt(settler.promise);
  }

  protected toHost(value: unknown): unknown {
    return this.#exports.toHost(value);
  }
}

/** By its path, or by the class of what it is a method of. */
function functionLabel({ path, label }: Handle, self: Handle | undefined): string {
  if (path !== undefined) return path.replace(BOUND_PREFIX, '').replace('.prototype.', '.');
  return self === undefined || self.label === '' ? label : `${self.label}.${label}`;
}

/** For who is told of it. */
export function operationText(op: Op, { number, path, label }: Handle, key: PropertyKey | undefined): string {
  const target = path?.replace(BOUND_PREFIX, '') ?? `${label === '' ? 'object' : label}#${number}`;
  return opText(op, target, key);
}
