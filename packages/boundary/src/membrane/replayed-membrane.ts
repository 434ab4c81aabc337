// The membrane of a replaying thread. There is no host: the trace answers each host call of the program, and the trace
// calls the program where the host has called it. Only handles of builtins' objects have a host object.
//
// Invariant: the program repeats the host calls of the recorded run in the same order, so the next `device` outcome of
// the tape always belongs to the current call, and handles, exports and promises get the numbers that
// `recorded-membrane.ts` has assigned. An operation that does not match its outcome ends the replay (`tape.diverge`).
//
// Until `forgetPredictions` is called, a membrane that awaits a state (`awaitState`) must not take anything from the
// tape: code that restores the state operates on handles, too.
import { Eventual, rethrownError, type TapePlayer, type TapeValue } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { EncodedValue, EncodedList } from './encoding.ts';
import { MEMBRANE_EVENT, OP_FLAG, VALUE_FORM, HANDLE_KIND, OP, type Op, type OpKey, opText } from './encoding.ts';
import { UNPREDICTED, type Handle } from './handle.ts';
import { BaseMembrane, BOUND_PREFIX, handleKindOf, type MembraneDeps, type PromiseSettler } from './base-membrane.ts';
import { fillBytes } from './lent-buffers.ts';
import type { NumberedContext } from './context-numbers.ts';
import type { OwnedEntry, HostReferences, MembraneState } from './membrane-state.ts';
import { ReplayedExports } from './replayed-exports.ts';
import { hasKey } from './export-proxies.ts';
import { OutcomeDecoder } from './outcome-decoder.ts';
import { isDescriptorWriter, writtenBytes } from './standard-output.ts';
import { deviceTracker } from './device-tracker.ts';
import { isPlainData } from './shared-data.ts';
import { isHostMember, noteRethrown } from '@turntable/loader';
import type { FailureHandlers } from '../inputs/failure-classifier.ts';

const NativePromise = Promise;

interface PendingPromise {
  readonly settler: PromiseSettler;
  readonly home: object | undefined;
}

/** Box for an error that program code has thrown or Node has to report, because any value can be thrown. */
interface ThrownError {
  readonly error: unknown;
}

export class ReplayedMembrane extends BaseMembrane implements FailureHandlers {
  readonly #tape: TapePlayer;
  readonly #decoder: OutcomeDecoder;
  readonly #exports: ReplayedExports;
  /** False from `awaitState` until the state has been restored. */
  #isReady = true;

  /** The program's proxies and surrogates by handle number, until the recorded run has released the number. */
  readonly #proxies = new Map<number, object>();
  /** Proxies of builtins' objects, which every process has, by native object. */
  readonly #staticProxies = new WeakMap<object, object>();
  /** Kinds of the live surrogates by handle number. */
  readonly #surrogateKinds = new Map<number, number>();
  readonly #contextByNumber = new Map<number, object>();
  /** Promises that an entry of the trace will settle, by number. */
  readonly #pending = new Map<number, PendingPromise>();
  /** Program objects that the program has put on the global object. In the recorded run the host has a view of each. */
  readonly #globalValues = new WeakSet<object>();

  /** The error that the last entry's callback has thrown. */
  #lastThrown: ThrownError | undefined;
  /** The error that this membrane has thrown into Node because the recorded run reported it as uncaught. */
  #lastRaised: ThrownError | undefined;
  /** Reasons that this membrane has rejected native promises with, until Node reports them. */
  readonly #rejections = new Set<unknown>();

  /** Runs code that creates an object for the program. A replay process replaces this function. */
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
        this.#proxies.get(number) ?? (kind === undefined ? undefined : this.reviveProxy(number, kind, label ?? '')),
      createProxy: (list) => this.#createHandleProxy(list),
      createStaticProxy: (path) => this.#createStaticProxy(path),
      makeSurrogate: (list) => this.#makeSurrogate(list),
      createPromise: () => this.#createPromise(),
    });
    tape.setPerformer(
      TRACE_SOURCES.device,
      (number, value) => this.#isReady && this.#performEntry(number, value as EncodedList),
      (value) => (hasFlag(value, OP_FLAG.microtask) ? 'microtask' : 'macrotask'),
      (value) => chainingOf(value as EncodedList),
    );
    tape.setPerformer(
      TRACE_SOURCES.settled,
      (number, value) => this.#isReady && this.#settlePending(number, value as EncodedList),
      () => 'microtask',
      (value) => ((value as EncodedList)[2] === true ? 'chained' : undefined),
    );
  }

  get isInHostCall(): boolean {
    return false;
  }

  get isInHostCallback(): boolean {
    return true;
  }

  // The state of a snapshot, from which a replay starts.

  /** Announces that a state will be restored. Until then no entry is performed and no outcome is taken. */
  awaitState(): void {
    this.#isReady = false;
  }

  override forgetPredictions(): void {
    super.forgetPredictions();
    if (this.#isReady) return;
    this.#isReady = true;
    this.#tape.wake();
  }

  /** Restores the membrane's part of a snapshot. `reviveProxy` must have revived the handles of the state before. */
  restore(state: MembraneState): void {
    const { counters: numbers } = this;
    [numbers.handles, numbers.exports, numbers.promises] = state.counts;
    this.symbols.restore(state.symbols);
    for (const [path, number] of state.statics) {
      const proxy = this.#staticProxyAt(path);
      const handle = this.handleFromProxy(proxy) as Handle;
      handle.number = number;
      numbers.statics.push(handle);
      this.#proxies.set(number, proxy);
    }
    this.surrogateTypes.push(...state.surrogateTypes);
    for (const [number, object, kind] of state.surrogates) this.#addSurrogate(number, object, kind);
    this.contextNumbers.count = state.contextCount;
    this.restoreReferences(undefined, state);
  }

  /** Restores the host's references to the objects of one actor, or, without `home`, to objects of no actor. */
  restoreReferences(home: object | undefined, { exports, pending, contexts }: HostReferences): void {
    for (const [number, programObject] of exports) this.#exports.restore(number, programObject, home);
    for (const [number, promise] of pending) this.#pending.set(number, { settler: this.deps.settlerOf(promise), home });
    for (const [number, context] of contexts) {
      this.contextNumbers.restore(number, context);
      this.#contextByNumber.set(number, context);
    }
  }

  /** Returns the proxy with a number that the snapshot or an earlier part of the recording has assigned. */
  reviveProxy(number: number, kind: number, label: string): object {
    const knownProxy = this.#proxies.get(number);
    if (knownProxy !== undefined) return knownProxy;
    const { proxy } = this.createHandle(number, undefined, kind, label, undefined);
    this.#proxies.set(number, proxy);
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

  protected liveSurrogates(): [number, object, number][] {
    return [...this.#surrogateKinds].map(([number, kind]) => [number, this.#proxies.get(number) as object, kind]);
  }

  protected onContextNumbered({ number, context }: NumberedContext): void {
    this.#contextByNumber.set(number, context);
  }

  // Handles, surrogates and promises of the program.

  proxyFor<T extends object>(hostObject: T): T {
    let proxy = this.#staticProxies.get(hostObject);
    if (proxy === undefined) {
      const path = this.statics.pathOf(hostObject) ?? '';
      proxy = this.createHandle(-1, path, handleKindOf(hostObject), path, hostObject).proxy;
      this.#staticProxies.set(hostObject, proxy);
    }
    return proxy as T;
  }

  #staticProxyAt(path: string): object {
    const isBound = path.startsWith(BOUND_PREFIX);
    const native = this.statics.objectAt(isBound ? path.slice(BOUND_PREFIX.length) : path);
    if (native === undefined) return this.#tape.diverge(`the host has ${path}`, 'it does not exist here');
    return isBound ? this.boundProxy(native) : this.proxyFor(native);
  }

  #createStaticProxy(path: string): object {
    const proxy = this.#staticProxyAt(path);
    const handle = this.handleFromProxy(proxy) as Handle;
    this.counters.assign(handle);
    this.#proxies.set(handle.number, proxy);
    return proxy;
  }

  #createHandleProxy([, kind, label, encodedPrototype]: EncodedList): object {
    const handle = this.createHandle(this.counters.handles++, undefined, kind as number, label as string, undefined);
    const { proxy } = handle;
    this.#proxies.set(handle.number, proxy);
    if (encodedPrototype !== null)
      this.predictions.rememberPrototype(handle, this.#decoder.decodeValue(encodedPrototype as TapeValue) as object);
    return proxy;
  }

  promiseForProgram(): object {
    return this.#createHandleProxy([VALUE_FORM.newHandle, HANDLE_KIND.object, 'Promise', null]);
  }

  #createPromise(): object {
    const settler = this.deps.createPromise();
    this.#pending.set(this.counters.promises++, { settler, home: this.deps.currentHome() });
    return this.#exports.adopt(settler.promise);
  }

  #makeSurrogate([, kind, ...encoded]: EncodedList): object {
    const initialValues = encoded.map(this.#decoder.decodeValue);
    const surrogateType = this.surrogateTypes[kind as number];
    if (surrogateType === undefined)
      return this.#tape.diverge('a data source creates an object for an input', 'the data source does not exist');
    const object = this.makeForProgram(() => surrogateType.make(...initialValues));
    this.#addSurrogate(this.counters.handles++, object, kind as number);
    deviceTracker()?.noteSurrogate(object, surrogateType.initialKeys, initialValues);
    return object;
  }

  #addSurrogate(number: number, object: object, kind: number): void {
    this.createHandle(number, undefined, HANDLE_KIND.object, '', undefined, { kind, object });
    this.#proxies.set(number, object);
    this.#surrogateKinds.set(number, kind);
  }

  protected finishedSurrogate(object: object): Handle {
    return this.createHandle(-1, undefined, HANDLE_KIND.object, '', undefined, { kind: 0, object });
  }

  protected registerSurrogateKind(): void {}

  programObjectOf(hostView: object): object | undefined {
    return this.#globalValues.has(hostView) ? hostView : undefined;
  }

  protected toHost(value: unknown): unknown {
    return this.#exports.toHost(value);
  }

  protected noteCopyWritten(): void {}

  // Host calls: the trace answers.

  protected hostCall(op: Op, handle: Handle, predicted: unknown, key: OpKey): unknown {
    if (!this.#isReady) {
      if (predicted !== UNPREDICTED) return predicted;
      // A restored class that extends a host class is defined again; the state restores its prototype afterwards.
      if (op === OP.get && key === 'prototype') return null;
    }
    this.noteContext();
    for (let prediction = predicted; ; prediction = UNPREDICTED) {
      const next = this.#tape.peek(TRACE_SOURCES.device) as EncodedList | undefined;
      if (prediction !== UNPREDICTED && (next === undefined || (next[0] as number) > this.predictedCount)) {
        this.predictedCount++;
        return prediction;
      }
      const { code, fields } = this.#takeOutcome(next, op, handle, key);
      if (this.#performSilentEvent(code, fields)) continue;
      if ((code & OP_FLAG.callback) === 0) return this.#decodeResult(code, fields, op, handle, key);
      const [number, ...values] = fields;
      this.#hostCallback(code & ~OP_FLAG.callback, number as number, values);
    }
  }

  /** Takes the next outcome from the tape, which must be an event of the host or the result of this very operation. */
  #takeOutcome(next: EncodedList | undefined, op: Op, handle: Handle, key: OpKey): TakenOutcome {
    // Throws, because the tape ends or has an outcome of another source.
    if (next === undefined) this.#tape.outcome(TRACE_SOURCES.device, () => operationText(op, handle, key));
    const [predictedBefore, code, ...fields] = (next ?? []) as [number, number, ...EncodedValue[]];
    if (predictedBefore !== this.predictedCount)
      this.#tape.diverge(
        `the program performs ${predictedBefore - this.predictedCount} more predicted operations first`,
        `the program uses device: ${operationText(op, handle, key)}`,
      );
    const recordedKey = fields[1];
    const isOtherKey = key !== undefined && typeof recordedKey === 'string' && recordedKey !== String(key);
    if ((code & OP_FLAG.callback) === 0 && ((code & ~OP_FLAG.threw) !== op || isOtherKey))
      this.#divergeFrom(code, recordedKey, op, handle, key);
    this.#tape.outcome(TRACE_SOURCES.device);
    this.predictedCount = 0;
    return { code, fields };
  }

  /** Returns or throws a recorded result. A symbol key is compared last, since the result may introduce the symbol. */
  #decodeResult(code: number, [encoded, encodedKey]: EncodedList, op: Op, handle: Handle, key: OpKey): unknown {
    const value = this.#decoder.decodeValue(encoded);
    if (op === OP.apply && handle.path === undefined && isExported(encoded)) this.sharedData.add(value, undefined);
    if (key !== undefined && encodedKey !== undefined && typeof encodedKey !== 'string') {
      const recordedKey = this.#decoder.decodeKey(encodedKey);
      if (recordedKey !== key) this.#divergeFrom(code, String(recordedKey), op, handle, key);
    }
    if ((code & OP_FLAG.threw) !== 0) throw value;
    return value;
  }

  #divergeFrom(code: number, recordedKey: EncodedValue, op: Op, handle: Handle, key: OpKey): never {
    return this.#tape.diverge(
      `the program uses device: ${opText(code, undefined, recordedKey)}`,
      `the program uses device: ${operationText(op, handle, key)}`,
    );
  }

  override get(handle: Handle, key: PropertyKey, receiver: object | undefined): unknown {
    const value = super.get(handle, key, receiver);
    deviceTracker()?.noteRead(handle.proxy, key, value);
    if (receiver === undefined && typeof key !== 'symbol' && isPlainData(handle)) this.sharedData.add(value, undefined);
    return value;
  }

  override set(handle: Handle, key: PropertyKey, value: unknown, receiver: object | undefined): boolean {
    deviceTracker()?.noteSet(handle.proxy, key, value);
    const isSet = super.set(handle, key, value, receiver);
    if (isSet && (isProgramSideSetting(handle, key, value) || this.#isGlobalSetting(handle, value)))
      Reflect.set(handle.hostObject as object, key, value);
    return isSet;
  }

  /** Whether the program sets a global to a value that the native global object must have too: any but a handle. */
  #isGlobalSetting({ path }: Handle, value: unknown): boolean {
    if (path !== 'web') return false;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return true;
    if (this.handleFromProxy(value) !== undefined) return false;
    this.#globalValues.add(value);
    return true;
  }

  /** Ignores fields that a program class defines during a restore, because the object has restored fields. */
  override define(handle: Handle, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    return !this.#isReady || super.define(handle, key, descriptor);
  }

  override apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    const tracker = deviceTracker();
    if (tracker !== undefined) {
      const [selfHandle] = this.#handlesOf(self);
      tracker.noteCall(functionLabel(handle, selfHandle), selfHandle, args);
    }
    if (!isDescriptorWriter(handle.path)) return super.apply(handle, self, args);
    const { output } = this.deps;
    const result = output.duringProgramWrite(args, () => super.apply(handle, self, args));
    const written = writtenBytes(args, result);
    if (written !== undefined) output.show(...written);
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

  // Host callbacks: the trace operates on program objects.

  wrapListener(listener: object): () => void {
    // A listener of a snapshot has its number already.
    if (this.#isReady) this.toHost(listener);
    return () => undefined;
  }

  /** Performs the callbacks that the recorded run of a lookup has made (`RecordedMembrane.duringLookup`). */
  performLookupCallbacks(): void {
    if (!this.#isReady) return;
    for (;;) {
      const next = this.#tape.peek(TRACE_SOURCES.device);
      if (!Array.isArray(next)) return;
      const [predictedBefore, code, number, ...values] = next as unknown as [number, number, number, ...EncodedValue[]];
      if (predictedBefore !== this.predictedCount || (code & OP_FLAG.lookup) === 0) return;
      this.#tape.outcome(TRACE_SOURCES.device);
      this.predictedCount = 0;
      this.#hostCallback(code & ~(OP_FLAG.callback | OP_FLAG.lookup), number, values);
    }
  }

  /** Performs a recorded operation of the host. Returns the error that it throws, which a real host would catch. */
  #hostCallback(
    code: number,
    number: number,
    encodedValues: readonly EncodedValue[],
    isEntry = false,
  ): ThrownError | undefined {
    const isNeutral = (code & OP_FLAG.neutral) !== 0;
    const op = (code & ~OP_FLAG.neutral) as Op;
    const operands = isNeutral ? encodedValues.slice(1) : encodedValues;
    const programObject = isNeutral
      ? this.statics.objectAt(encodedValues[0] as string)
      : this.#exports.objectAt(number);
    if (programObject === undefined)
      return this.#tape.diverge(`the host calls object ${number}`, 'the program has not passed it to the host');
    if (op === OP.fill) {
      this.callProgram(() => fillBytes(programObject, operands[0] as number, operands[1] as Uint8Array));
      return undefined;
    }
    const key = hasKey(op) ? this.#decoder.decodeKey(operands[0], programObject) : undefined;
    const isCall = op === OP.apply || op === OP.construct;
    const outerData = isCall ? this.sharedData.startCallback(isEntry) : undefined;
    const values = (key === undefined ? operands : operands.slice(1)).map(this.#decoder.decodeValue);
    if (!isCall) return this.#performCallback(op, programObject, key, values);
    for (let i = 1; i < values.length; i++) if (isExported(operands[i])) this.sharedData.add(values[i], undefined);
    return this.#performCallback(op, programObject, key, values, (result) =>
      this.sharedData.endCallback(outerData, result),
    );
  }

  /** Performs an operation of the host. A request handler may return a promise, which its data source then tracks. */
  #performCallback(
    op: Op,
    programObject: object,
    key: OpKey,
    values: readonly unknown[],
    onEnd?: (result: unknown) => void,
  ): ThrownError | undefined {
    const tracker = deviceTracker();
    const finish = tracker?.enterCallback(values.flatMap((value) => this.#handlesOf(value)));
    const surrogateType = op === OP.apply ? this.promiseTrackerOf(values) : undefined;
    if (surrogateType !== undefined) tracker?.beforeCallback(values);
    let result: unknown;
    try {
      let trackedNumber: number | undefined;
      result = this.callProgram(() => {
        const callbackResult = this.resultOf(op, programObject, key, values);
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
      onEnd?.(result);
      finish?.();
    }
  }

  #handlesOf(value: unknown): Handle[] {
    const handle = typeof value === 'object' && value !== null ? this.handleFromProxy(value) : undefined;
    return handle === undefined ? [] : [handle];
  }

  // Entries: events of the host outside of host calls, each in its own task.

  #performEntry(number: number, [code, ...fields]: EncodedList): true {
    switch (code) {
      case MEMBRANE_EVENT.released:
        this.#releaseNumbers(...(fields as unknown as readonly (readonly number[])[]));
        break;
      case MEMBRANE_EVENT.uncaught:
      case MEMBRANE_EVENT.failed:
        this.#raiseError([code, ...fields]);
        break;
      case MEMBRANE_EVENT.rejected: {
        const reason = this.#decoder.decodeValue(fields[0]);
        this.#rejections.add(reason);
        void NativePromise.reject(reason);
        break;
      }
      default:
        if (!this.#performSilentEvent(code as number, fields))
          this.#performCallbackEntry(number, code as number, fields);
    }
    return true;
  }

  #performCallbackEntry(number: number, code: number, [contextNumber, ...values]: EncodedList): void {
    const operation = code & ~(OP_FLAG.callback | OP_FLAG.chained | OP_FLAG.microtask);
    const perform = (): void => {
      this.#lastThrown = this.#hostCallback(operation, number, values, true);
      // Node reports an uncaught error at once, before the ticks and jobs that the callback has queued.
      const failure = this.#tape.skipEntry(TRACE_SOURCES.device, isReplayedError) as EncodedList | undefined;
      if (failure !== undefined) this.#raiseError(failure);
    };
    const context = this.#contextByNumber.get(contextNumber as number);
    if (context === undefined) perform();
    else this.deps.runInContext(context, perform);
  }

  /** Performs an event that calls no program code: output, or an aborted response. Returns false for any other. */
  #performSilentEvent(code: number, fields: readonly EncodedValue[]): boolean {
    if (code === MEMBRANE_EVENT.shown) this.deps.output.show(fields[0] as number, fields[1] as Uint8Array);
    else if (code !== MEMBRANE_EVENT.aborted) return false;
    else
      for (const handle of this.#handlesOf(this.#decoder.decodeValue(fields[0]))) deviceTracker()?.noteAborted(handle);
    return true;
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
      this.#proxies.delete(number);
      this.#surrogateKinds.delete(number);
    }
    for (const number of contexts) this.#contextByNumber.delete(number);
    for (const number of done) this.#surrogateKinds.delete(number);
  }

  // Failures: Node must report the errors that it has reported in the recorded run.

  /** Throws the error of an `uncaught` or `failed` event into Node, which then reports it as in the recorded run. */
  #raiseError([event, encoded]: EncodedList): void {
    this.#lastRaised =
      event === MEMBRANE_EVENT.failed ? { error: this.#decoder.decodeValue(encoded) } : this.#lastThrown;
    this.#lastThrown = undefined;
    if (this.#lastRaised === undefined) return;
    const { error } = this.#lastRaised;
    noteRethrown(error);
    throw rethrownError(error, 'node-do-not-add-exception-line');
  }

  uncaughtError(error: unknown): unknown {
    const lastRaised = this.#lastRaised;
    this.#lastRaised = undefined;
    if (lastRaised === undefined || lastRaised.error !== error) this.#skipFailure(MEMBRANE_EVENT.failed, error);
    return error;
  }

  unhandledRejection(reason: unknown): unknown {
    if (!this.#rejections.delete(reason)) this.#skipFailure(MEMBRANE_EVENT.rejected, reason);
    return reason;
  }

  /** Skips the record of a failure that the program has caused itself. Its error gets the recorded error's number. */
  #skipFailure(event: number, error: unknown): void {
    const recorded = this.#tape.skipEntry(TRACE_SOURCES.device, (value) => (value as EncodedList)[0] === event) as
      | EncodedList
      | undefined;
    const encoded = recorded?.[1];
    if (Array.isArray(encoded) && encoded[0] === VALUE_FORM.error && typeof error === 'object' && error !== null)
      this.#exports.adopt(error);
  }
}

interface TakenOutcome {
  readonly code: number;
  readonly fields: readonly EncodedValue[];
}

/** Whether this membrane must throw the error of an entry. False if the program may throw the same error itself. */
function isReplayedError(value: TapeValue): boolean {
  const [event, , isUncertain] = value as EncodedList;
  return event === MEMBRANE_EVENT.uncaught || (event === MEMBRANE_EVENT.failed && isUncertain !== true);
}

/** Whether an entry is in the same turn of Node as the entry before it, or in its own; undefined if unknown. */
function chainingOf(entry: EncodedList): 'apart' | 'chained' | undefined {
  switch (entry[0]) {
    case MEMBRANE_EVENT.uncaught:
    case MEMBRANE_EVENT.failed:
    case MEMBRANE_EVENT.rejected:
      return 'apart';
    case MEMBRANE_EVENT.shown:
      return entry[3] === true ? 'chained' : undefined;
    case MEMBRANE_EVENT.aborted:
      return entry[2] === true ? 'chained' : undefined;
    default:
      return hasFlag(entry, OP_FLAG.chained) ? 'chained' : undefined;
  }
}

function isExported(encoded: EncodedValue): boolean {
  return Array.isArray(encoded) && encoded[0] === VALUE_FORM.exported;
}

function hasFlag(event: TapeValue, flag: number): boolean {
  const [code] = event as EncodedList;
  return typeof code === 'number' && (code & flag) !== 0;
}

/** Whether a set property configures a builtin that runs on the program side, as `buffer.INSPECT_MAX_BYTES` does. */
function isProgramSideSetting({ path, hostObject: native }: Handle, key: PropertyKey, value: unknown): boolean {
  if (path === undefined || native === undefined || typeof key !== 'string') return false;
  return typeof value !== 'function' && typeof value !== 'object' && !path.includes('.') && !isHostMember(path, key);
}

/** Name of a function in the run index: its path, or its class and name. */
function functionLabel({ path, label }: Handle, self: Handle | undefined): string {
  if (path !== undefined) return path.replace(BOUND_PREFIX, '').replace('.prototype.', '.');
  return self === undefined || self.label === '' ? label : `${self.label}.${label}`;
}

/** Text of an operation for divergence reports. */
export function operationText(op: Op, { number, path, label }: Handle, key: OpKey): string {
  const target = path?.replace(BOUND_PREFIX, '') ?? `${label === '' ? 'object' : label}#${number}`;
  return opText(op, target, key);
}
