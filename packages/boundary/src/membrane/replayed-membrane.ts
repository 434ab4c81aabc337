// The membrane of a replaying thread. There is no host: the trace answers each host call of the program, and the trace
// calls the program where the host has called it. Only handles of builtins' objects have a host object.
//
// Invariant: the program repeats the host calls of the recorded run in the same order, so the next `device` outcome of
// the tape always belongs to the current call, and handles, exports and promises get the numbers that
// `recorded-membrane.ts` has assigned. An operation that does not match its outcome ends the replay (`tape.diverge`).
//
// Until `forgetPredictions` is called, a membrane that awaits a state (`awaitState`) must not take anything from the
// tape: code that restores the state operates on handles, too.
import { Eventual, type TapePlayer } from '@turntable/core';
import { isHostMember } from '@turntable/loader';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { BaseMembrane } from './base-membrane.ts';
import type { NumberedContext } from './context-numbers.ts';
import { deviceTracker } from './device-tracker.ts';
import {
  HANDLE_KIND,
  MEMBRANE_EVENT,
  OP,
  OP_FLAG,
  VALUE_FORM,
  type EncodedList,
  type EncodedValue,
  type Op,
  type OpKey,
} from './encoding.ts';
import { chainingOf, isMicrotaskEntry, isReplayedError } from './entry-flags.ts';
import { hasKey } from './export-proxies.ts';
import { UNPREDICTED, type Handle } from './handle.ts';
import { fillBytes } from './lent-buffers.ts';
import type { MembraneDeps, PromiseSettler } from './membrane-deps.ts';
import type { HostReferences, MembraneState, OwnedEntry } from './membrane-state.ts';
import { functionLabel } from './operation-text.ts';
import { OutcomeDecoder } from './outcome-decoder.ts';
import { OutcomeReader } from './outcome-reader.ts';
import { ReplayedExports } from './replayed-exports.ts';
import { ReplayedFailures, type CallbackError } from './replayed-failures.ts';
import { ReplayedHandles } from './replayed-handles.ts';
import { isPlainData, SharedData } from './shared-data.ts';
import { isDescriptorWriter, writtenBytes } from './standard-output.ts';

interface PendingPromise {
  readonly settler: PromiseSettler;
  readonly home: object | undefined;
}

export class ReplayedMembrane extends BaseMembrane {
  readonly #tape: TapePlayer;
  readonly #decoder: OutcomeDecoder;
  readonly #exports: ReplayedExports;
  readonly #outcomes: OutcomeReader;
  readonly #handles: ReplayedHandles;
  readonly failures: ReplayedFailures;
  protected readonly sharedData = new SharedData(this.sharedDataDeps);
  /** False from `awaitState` until the state has been restored. */
  #isReady = true;

  readonly #contextByNumber = new Map<number, object>();
  /** Promises that an entry of the trace will settle, by number. */
  readonly #pending = new Map<number, PendingPromise>();
  /** Program objects that the program has put on the global object. In the recorded run the host has a view of each. */
  readonly #globalValues = new WeakSet<object>();

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
      exportForm: (value) => this.exportForms.formOf(value),
      argumentCopies: () => this.exportForms.argumentCopies(),
      registerSymbol: (symbol) => symbols.register(symbol),
      currentHome: () => deps.currentHome(),
    }));
    const decoder = (this.#decoder = new OutcomeDecoder({
      tape,
      statics,
      symbols,
      exportedObject: (number) => exports.objectAt(number),
      adopt: (value) => exports.adopt(value),
      proxyAt: (number, kind, label) =>
        kind === undefined ? this.#handles.proxyAt(number) : this.#handles.revive(number, kind, label ?? ''),
      createProxy: (list) => this.#handles.createProxy(list),
      createStaticProxy: (path) => this.#handles.createStaticProxy(path),
      makeSurrogate: (list) => this.#handles.makeSurrogate(list),
      createPromise: () => this.#createPromise(),
    }));
    this.#outcomes = new OutcomeReader(tape, decoder);
    this.#handles = new ReplayedHandles({
      tape,
      statics,
      numbers,
      decoder,
      surrogateTypes: this.surrogateTypes,
      createHandle: (...fields) => this.createHandle(...fields),
      handleFromProxy: (proxy) => this.handleFromProxy(proxy),
      boundProxy: (fn) => this.boundProxy(fn),
      rememberPrototype: (handle, prototype) => this.predictions.rememberPrototype(handle, prototype),
      makeForProgram: (make) => this.makeForProgram(make),
    });
    this.failures = new ReplayedFailures({ tape, decoder, exports });
    tape.setPerformer(
      TRACE_SOURCES.device,
      (number, value) => this.#isReady && this.#performEntry(number, value as EncodedList),
      (value) => (isMicrotaskEntry(value) ? 'microtask' : 'macrotask'),
      chainingOf,
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
    this.#outcomes.predictedCount = 0;
    if (this.#isReady) return;
    this.#isReady = true;
    this.#tape.wake();
  }

  /** Restores the membrane's part of a snapshot. `reviveProxy` must have revived the handles of the state before. */
  restore(state: MembraneState): void {
    const { counters: numbers } = this;
    [numbers.handles, numbers.exports, numbers.promises] = state.counts;
    this.symbols.restore(state.symbols);
    this.surrogateTypes.push(...state.surrogateTypes);
    this.#handles.restore(state);
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
    return this.#handles.revive(number, kind, label);
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
    return this.#handles.liveSurrogates();
  }

  protected onContextNumbered({ number, context }: NumberedContext): void {
    this.#contextByNumber.set(number, context);
  }

  // Handles, surrogates and promises of the program.

  proxyFor<T extends object>(hostObject: T): T {
    return this.#handles.staticProxy(hostObject) as T;
  }

  promiseForProgram(): object {
    return this.#handles.createPromiseProxy();
  }

  #createPromise(): object {
    const settler = this.deps.createPromise();
    this.#pending.set(this.counters.promises++, { settler, home: this.deps.currentHome() });
    return this.#exports.adopt(settler.promise);
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

  // Host calls: the trace answers.

  protected hostCall(op: Op, handle: Handle, predicted: unknown, key: OpKey): unknown {
    if (!this.#isReady) {
      if (predicted !== UNPREDICTED) return predicted;
      // A restored class that extends a host class is defined again; the state restores its prototype afterwards.
      if (op === OP.get && key === 'prototype') return null;
    }
    this.noteContext();
    for (let prediction = predicted; ; prediction = UNPREDICTED) {
      const outcome = this.#outcomes.take(op, handle, key, prediction);
      if (outcome === undefined) return prediction;
      const { code, fields } = outcome;
      if (this.#performSilentEvent(code, fields)) continue;
      if ((code & OP_FLAG.callback) === 0) {
        const value = this.#outcomes.decodeResult(outcome, op, handle, key);
        if (op === OP.apply && handle.path === undefined && isExported(fields[0]))
          this.sharedData.add(value, undefined);
        if ((code & OP_FLAG.threw) !== 0) throw value;
        return value;
      }
      const [number, ...values] = fields;
      this.#hostCallback(code & ~OP_FLAG.callback, number as number, values);
    }
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
    for (let next = this.#outcomes.takeLookupCallback(); next !== undefined;) {
      const [number, ...values] = next.fields;
      this.#hostCallback(next.code & ~(OP_FLAG.callback | OP_FLAG.lookup), number as number, values);
      next = this.#outcomes.takeLookupCallback();
    }
  }

  /** Performs a recorded operation of the host. Returns the error that it throws, which a real host would catch. */
  #hostCallback(
    code: number,
    number: number,
    encodedValues: readonly EncodedValue[],
    isEntry = false,
  ): CallbackError | undefined {
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
  ): CallbackError | undefined {
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
        this.failures.raise([code, ...fields]);
        break;
      case MEMBRANE_EVENT.rejected:
        this.failures.reject([code, ...fields]);
        break;
      default:
        if (!this.#performSilentEvent(code as number, fields))
          this.#performCallbackEntry(number, code as number, fields);
    }
    return true;
  }

  #performCallbackEntry(number: number, code: number, [contextNumber, ...values]: EncodedList): void {
    const operation = code & ~(OP_FLAG.callback | OP_FLAG.chained | OP_FLAG.microtask);
    const perform = (): void => {
      this.failures.noteThrown(this.#hostCallback(operation, number, values, true));
      // Node reports an uncaught error at once, before the ticks and jobs that the callback has queued.
      const failure = this.#tape.skipEntry(TRACE_SOURCES.device, isReplayedError) as EncodedList | undefined;
      if (failure !== undefined) this.failures.raise(failure);
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
    for (const number of handles) this.#handles.release(number);
    for (const number of contexts) this.#contextByNumber.delete(number);
    for (const number of done) this.#handles.finishSurrogate(number);
  }
}

function isExported(encoded: EncodedValue): boolean {
  return Array.isArray(encoded) && encoded[0] === VALUE_FORM.exported;
}

/** Whether a set property configures a builtin that runs on the program side, as `buffer.INSPECT_MAX_BYTES` does. */
function isProgramSideSetting({ path, hostObject: native }: Handle, key: PropertyKey, value: unknown): boolean {
  if (path === undefined || native === undefined || typeof key !== 'string') return false;
  return typeof value !== 'function' && typeof value !== 'object' && !path.includes('.') && !isHostMember(path, key);
}
