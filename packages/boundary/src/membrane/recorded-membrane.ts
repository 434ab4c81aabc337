// The membrane of a recorded thread. The host is real: each operation of the program on a handle is performed on the
// host object, and its outcome is written to the tape unless a replay predicts it (`predictions.ts`). Each operation of
// the host on a program object is written to the tape first and performed afterwards.
//
// Invariant: handles, exports and promises are numbered in the order in which they cross the membrane, and the events
// on the tape have the order in which the program sees them. `replayed-membrane.ts` repeats both from the tape alone,
// so whatever changes a number or the order of events here must change it there too.
//
// While the tape is paused nothing is written and nothing is predicted, but numbers are assigned: the snapshot that
// starts the recording contains them.
import { Eventual, rethrownError, type TapeRecorder } from '@turntable/core';
import { noteRethrown, setToolRunning } from '@turntable/loader';
import { BaseMembrane } from './base-membrane.ts';
import type { NumberedContext } from './context-numbers.ts';
import { OP, OP_FLAG, type Op, type OpKey } from './encoding.ts';
import { EventRecorder } from './event-recorder.ts';
import { ExportProxies } from './export-proxies.ts';
import { Handle, UNPREDICTED } from './handle.ts';
import { performHostCall } from './host-call.ts';
import { HostState } from './host-state.ts';
import { isBufferWriter } from './lent-buffers.ts';
import { ExportedObject } from './marks.ts';
import type { MembraneDeps } from './membrane-deps.ts';
import type { OwnedEntry } from './membrane-state.ts';
import { OutcomeEncoder, RESULT_KIND } from './outcome-encoder.ts';
import { RecordedExports } from './recorded-exports.ts';
import { RecordedFailures } from './recorded-failures.ts';
import { RecordedHandles } from './recorded-handles.ts';
import { RecordedPromises } from './recorded-promises.ts';
import { RecordedSharedData } from './recorded-shared-data.ts';
import { ReturnedCopies } from './returned-copies.ts';
import { isPlainData } from './shared-data.ts';
import { isDescriptorWriter } from './standard-output.ts';
import { SETTLED_MARK } from './surrogates.ts';
import { WeakTable } from './weak-table.ts';

export class RecordedMembrane extends BaseMembrane {
  readonly #tape: TapeRecorder;
  /** Whether program code runs that the host has called. */
  #isInHostCallback = false;
  /** The host function without a path that the program has called; undefined while program code runs. */
  #calledFunction: Handle | undefined;

  /** Encodes values for the tape. Its `encoded` is overwritten by the next value. */
  readonly #encoder: OutcomeEncoder;
  readonly #exports: RecordedExports;
  readonly #exportProxies: ExportProxies;
  /** The host's proxies of neutral methods that program objects inherit, by method. */
  readonly #methodProxies = new WeakMap<object, object>();
  readonly #returnedCopies: ReturnedCopies;
  protected readonly sharedData = new RecordedSharedData({
    ...this.sharedDataDeps,
    change: (op, copy, key, values) => this.#changeOriginal(op, copy, key, values),
  });
  readonly #contextTable: WeakTable<NumberedContext>;
  readonly #handles: RecordedHandles;
  readonly #promises: RecordedPromises;
  readonly #events: EventRecorder;
  readonly hostState: HostState;
  readonly failures: RecordedFailures;

  constructor(deps: MembraneDeps) {
    super(deps);
    const tape = (this.#tape = deps.tape as TapeRecorder);
    const { statics, symbols, marks, counters: numbers } = this;
    this.#contextTable = new WeakTable(deps.engine);
    this.#returnedCopies = new ReturnedCopies({
      isKnown: (value) => this.#encoder.isKnown(value),
      packageExportOf: (hostFunction) => deps.packageExportOf(hostFunction),
    });
    this.#exportProxies = new ExportProxies({
      hostViewOf: (value) => this.#exports.hostViewOf(value),
      hostObjectOf: (proxy) => this.hostObjectOf(proxy),
      isNeutral: (value) => statics.isNeutral(value),
      hostMethodOf: (key, value) => (this.predictions.isNeutralMethod(key, value) ? this.#methodProxy(value) : value),
      hostCallback: (op, programObject, key, values) => this.#hostCallback(op, programObject, key, values),
    });
    const exports = (this.#exports = new RecordedExports({
      tape,
      statics,
      marks,
      numbers,
      proxies: this.#exportProxies,
      engine: deps.engine,
      exportForm: (value) => this.exportForms.formOf(value),
      argumentCopies: () => this.exportForms.argumentCopies(),
      onCopied: (copy) => {
        if (this.exportForms.isForPackage) this.sharedData.watch(copy);
      },
      registerSymbol: (symbol) => symbols.register(symbol),
      currentHome: () => deps.currentHome(),
      reportUnreplayable: (op) => deps.reportUnreplayable(op),
    }));
    const handles = (this.#handles = new RecordedHandles({
      statics,
      marks,
      numbers,
      exports,
      surrogateTypes: this.surrogateTypes,
      createHandle: (...fields) => this.createHandle(...fields),
      handleFromProxy: (proxy) => this.handleFromProxy(proxy),
      onResponseAborted: (response) => this.#events.recordAborted(response),
    }));
    const encoder = (this.#encoder = new OutcomeEncoder({
      statics,
      symbols,
      marks,
      numbers,
      generation: () => this.predictions.generation,
      handles,
      rememberPrototype: (handle, prototype) => this.predictions.rememberPrototype(handle, prototype),
      adopt: (value) => void this.#exports.exportObject(value, value),
      createPromise: (hostObject, source) => this.#promises.adopt(hostObject, source),
      onReturned: (hostObject, copy, source) => this.#returnedCopies.add(hostObject, copy, source),
      signalAbortedBy: (reason) => this.#exports.abortSignals.signalAbortedWith(reason),
      reportUnreplayable: (op) => deps.reportUnreplayable(op),
    }));
    const events = (this.#events = new EventRecorder({
      tape,
      statics,
      marks,
      encoder,
      currentContextNumber: () => this.currentContextNumber(),
      hasPendingRejections: () => deps.hasPendingRejections(),
      isInMicrotask: () => deps.isInMicrotask(),
    }));
    const hostState = (this.hostState = new HostState({ tape, marks, events }));
    this.failures = new RecordedFailures({ tape, encoder, events, hostState });
    this.#promises = new RecordedPromises({
      numbers,
      exports,
      events,
      hostState,
      sharedData: this.sharedData,
      returnedCopies: this.#returnedCopies,
      createPromise: () => deps.createPromise(),
      currentHome: () => deps.currentHome(),
    });
  }

  get isInHostCall(): boolean {
    return this.#events.isInHostCall;
  }

  get isInHostCallback(): boolean {
    return this.#isInHostCallback;
  }

  // Handles and host views: the views that each side has of the other side's objects.

  proxyFor<T extends object>(hostObject: T): T {
    const isStatic = this.marks.get(hostObject) instanceof Handle || this.statics.pathOf(hostObject) !== undefined;
    return (isStatic ? this.#handles.ofStatic(hostObject).proxy : this.#encoder.toProgram(hostObject, false)) as T;
  }

  /** Returns the handle of a host object that program objects reference directly, without a proxy. */
  handleFromHostObject(hostObject: object): Handle | undefined {
    const mark = this.marks.get(hostObject);
    return mark instanceof Handle && mark.hostObject === hostObject ? mark : undefined;
  }

  programObjectOf(hostView: object): object | undefined {
    const mark = this.marks.get(hostView);
    return mark instanceof ExportedObject && mark.hostView === hostView && mark.programObject !== hostView
      ? mark.programObject
      : undefined;
  }

  /** Returns a handle and not a promise of the program, because observing a promise must not handle its rejection. */
  promiseForProgram(promise: object): object {
    return this.#encoder.promiseHandle(promise);
  }

  protected toHost(value: unknown): unknown {
    return this.#exports.toHost(value);
  }

  /** Returns the proxy of a neutral method that the host calls on a program object. */
  #methodProxy(fn: object): object {
    let proxy = this.#methodProxies.get(fn);
    if (proxy === undefined) this.#methodProxies.set(fn, (proxy = this.#exportProxies.createProxy(fn, 'function')));
    return proxy;
  }

  // State for snapshots.

  override forgetPredictions(): void {
    super.forgetPredictions();
    this.#events.predictedCount = 0;
  }

  protected exportedObjects(): OwnedEntry[] {
    return this.#exports.entries();
  }

  protected pendingPromises(): OwnedEntry[] {
    return this.#promises.pending();
  }

  protected numberedContexts(): [number, object][] {
    return this.#contextTable.entries().map(([number, { context }]) => [number, context]);
  }

  protected liveSurrogates(): [number, object, number][] {
    return this.#handles.liveSurrogates();
  }

  protected finishedSurrogate(): undefined {}

  protected registerSurrogateKind(prototype: object | undefined, kind: number): void {
    if (prototype !== undefined) this.#handles.registerSurrogateKind(prototype, kind);
  }

  protected onContextNumbered(numberedContext: NumberedContext): void {
    const collected = this.#contextTable.addPermanently(numberedContext);
    if (collected.length > 0) this.#exports.releaseContexts(collected);
  }

  // Host calls: the program operates on a handle.

  protected hostCall(
    op: Op,
    handle: Handle,
    predicted: unknown,
    key: OpKey,
    operand: unknown,
    secondOperand: unknown,
  ): unknown {
    this.noteContext();
    const events = this.#events;
    const { count: eventsBefore, isInHostCall: wasInHostCall } = events;
    events.isInHostCall = true;
    this.hostState.exitCode.noteProgramValue();
    const isPackageCall = handle.path === undefined && (op === OP.apply || op === OP.construct);
    this.#calledFunction = isPackageCall ? handle : undefined;
    let result: unknown;
    let hasThrown = false;
    try {
      result = performHostCall(op, handle.hostObject as object, key, operand, secondOperand);
    } catch (error) {
      hasThrown = true;
      result = error;
    } finally {
      this.#calledFunction = undefined;
      if (isPackageCall)
        this.sharedData.afterPackageCall((op === OP.apply ? secondOperand : operand) as readonly unknown[], result);
      this.hostState.recordProperties();
      events.isInHostCall = wasInHostCall;
    }
    return this.#finishHostCall(op, handle, predicted, key, result, hasThrown, eventsBefore);
  }

  /** Fast path of `hostCall`: property reads are the most frequent operation, and most of them match the prediction. */
  override get(handle: Handle, key: PropertyKey, receiver: object | undefined): unknown {
    if (receiver !== undefined || typeof key === 'symbol') return super.get(handle, key, receiver);
    const predicted = this.predictions.predict(handle, key);
    this.noteContext();
    const events = this.#events;
    const { count: eventsBefore, isInHostCall: wasInHostCall } = events;
    events.isInHostCall = true;
    let result: unknown;
    let hasThrown = false;
    try {
      result = (handle.hostObject as Record<PropertyKey, unknown>)[key];
    } catch (error) {
      hasThrown = true;
      result = error;
    }
    events.isInHostCall = wasInHostCall;
    const isPredicted =
      events.count === eventsBefore &&
      !hasThrown &&
      this.hostState.lentBuffers.isEmpty &&
      this.#isSeenAs(result, predicted);
    if (isPredicted) events.predictedCount++;
    const value = isPredicted
      ? predicted
      : this.#finishHostCall(OP.get, handle, predicted, key, result, hasThrown, eventsBefore);
    this.notePrediction(handle, key, value, predicted);
    if (isPlainData(handle)) this.sharedData.addPassed(result, value);
    return value;
  }

  /** Whether the program is known to see `hostValue` as `predicted`. If false, `#finishHostCall` decides. */
  #isSeenAs(hostValue: unknown, predicted: unknown): boolean {
    if (hostValue === predicted) return true;
    if ((typeof predicted !== 'object' && typeof predicted !== 'function') || predicted === null) return false;
    const mark = this.marks.get(predicted);
    if (mark === undefined) return false;
    return mark instanceof Handle
      ? mark.hostObject === hostValue && mark.proxy === predicted
      : mark.hostView === hostValue && mark.programObject === predicted;
  }

  /**
   * Gives the program the result of a host call, or throws its error, and records it unless a replay predicts it.
   * @param eventsBefore the event count before the call
   */
  #finishHostCall(
    op: Op,
    handle: Handle,
    predicted: unknown,
    key: OpKey,
    result: unknown,
    hasThrown: boolean,
    eventsBefore: number,
  ): unknown {
    this.hostState.recordBufferWrites(true);
    const refusal = this.#returnedCopies.errorFor(result);
    if (refusal !== undefined) {
      hasThrown = true;
      result = refusal;
    }
    const { isPaused } = this.#tape;
    const events = this.#events;
    const canBePredicted =
      !hasThrown && !isPaused && op !== OP.apply && predicted !== UNPREDICTED && events.count === eventsBefore;
    if (canBePredicted && Object.is(this.#knownResult(op, handle, key, result), predicted)) {
      events.predictedCount++;
      return predicted;
    }
    const programView = hasThrown ? events.toProgram(result, false) : this.#encodeResult(op, handle, key, result);
    if (op === OP.apply && handle.path === undefined) this.sharedData.addPassed(result, programView);
    if (!isPaused) {
      const { encoded } = this.#encoder;
      const code = hasThrown ? op | OP_FLAG.threw : op;
      const hasKey = op === OP.get || op === OP.has || op === OP.read || op === OP.invoke;
      const encodedKey = hasKey ? this.#encoder.encodeKey(key as PropertyKey) : undefined;
      const { predictedCount } = events;
      events.recordOutcome(hasKey ? [predictedCount, code, encoded, encodedKey] : [predictedCount, code, encoded]);
    }
    if (hasThrown) throw programView;
    return programView;
  }

  /** Returns the view that the program already has of a result; `UNPREDICTED` if the result is new to the program. */
  #knownResult(op: Op, handle: Handle, key: OpKey, result: unknown): unknown {
    return this.#isHostBoundResult(op, handle, key, result)
      ? this.boundProxy(result)
      : this.#encoder.knownView(result, UNPREDICTED);
  }

  #isHostBoundResult(op: Op, { hostObject }: Handle, key: OpKey, result: unknown): result is object {
    return (
      op === OP.get &&
      typeof result === 'function' &&
      this.isHostBound(hostObject as object, key as PropertyKey, result)
    );
  }

  /** Returns the program's view of a result, and encodes the result for the tape unless paused. */
  #encodeResult(op: Op, handle: Handle, key: OpKey, result: unknown): unknown {
    const encoder = this.#encoder;
    if (op === OP.describe) return encoder.encodeDescriptor(result as PropertyDescriptor | undefined);
    if (op === OP.apply) {
      const resultKind = (handle.resultKind ??= encoder.resultKindOf(handle));
      if (resultKind !== RESULT_KIND.nothing) return encoder.encodeOwnedResult(resultKind, result);
    }
    if (!this.#isHostBoundResult(op, handle, key, result)) {
      if (op === OP.apply && handle.path === undefined) return this.#events.returnedToProgram(result, handle);
      return this.#events.toProgram(result, isUnsharedResult(op, handle.hostObject as object));
    }
    const proxy = this.boundProxy(result);
    return this.#tape.isPaused ? proxy : encoder.encodeHandle(this.handleFromProxy(proxy) as Handle);
  }

  override apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    if (!(handle.isBufferWriter ??= isBufferWriter(handle.label) || isDescriptorWriter(handle.path)))
      return super.apply(handle, self, args);
    if (isDescriptorWriter(handle.path))
      return this.deps.output.duringProgramWrite(args, () => super.apply(handle, self, args));
    // The loan ends when the callback is called or the promise is settled, otherwise when the call returns.
    const callToken = {};
    this.hostState.lentBuffers.lend(args, args.findLast((argument) => typeof argument === 'function') ?? callToken);
    try {
      const result = super.apply(handle, self, args);
      if (typeof result === 'object' && result !== null && this.#promises.has(result))
        this.hostState.lentBuffers.transfer(callToken, result);
      return result;
    } finally {
      this.hostState.lentBuffers.release(callToken);
    }
  }

  // Host callbacks: the host operates on a program object.

  wrapListener(listener: object): (...values: unknown[]) => void {
    this.toHost(listener);
    return (...values) => void this.#hostCallback(OP.apply, listener, undefined, [undefined, ...values], true);
  }

  /** Returns a neutral function for host code to call. Each call is recorded as a host callback. */
  asHostCallback(neutralFunction: (...args: never[]) => unknown): (...args: unknown[]) => object {
    return (...args) => this.#hostCallback(OP.apply, neutralFunction, undefined, [undefined, ...args]) as object;
  }

  /** Runs a lookup of Node that may call functions with which the program has replaced members of builtins. */
  duringLookup<T>(lookUp: () => T): { readonly value: T; readonly hasCalledProgram: boolean } {
    const events = this.#events;
    const { count: eventsBefore, isInLookup: wasInLookup } = events;
    events.isInLookup = !events.isInHostCall;
    try {
      const value = lookUp();
      return { value, hasCalledProgram: events.count !== eventsBefore };
    } finally {
      events.isInLookup = wasInLookup;
    }
  }

  /** Records an operation, then performs it. @param hostKeepsData whether the host may still change data in `values` */
  #hostCallback(op: Op, programObject: object, key: OpKey, values: readonly unknown[], hostKeepsData = false): unknown {
    const events = this.#events;
    const { isInHostCall: wasInHostCall, isInLookup: wasInLookup } = events;
    const isNested = wasInHostCall || wasInLookup;
    const calledFunction = this.#calledFunction;
    this.#calledFunction = undefined;
    this.hostState.recordProperties();
    this.hostState.recordBufferWrites(isNested);
    if (op === OP.apply) this.hostState.lentBuffers.release(programObject);
    const isCall = op === OP.apply || op === OP.construct;
    for (const value of values) {
      const refusal = this.#returnedCopies.errorFor(value);
      if (refusal !== undefined) throw refusal;
    }
    const outerData = isCall ? this.sharedData.startHostCallback(values, !isNested) : undefined;
    const hasUnsharedArguments = isCall && !hostKeepsData && !this.#hasPackageData(values, calledFunction);
    const programValues = events.recordCallback(op, programObject, key, values, hasUnsharedArguments);
    if (isCall) for (let i = 1; i < values.length; i++) this.sharedData.addPassed(values[i], programValues[i]);
    events.isInHostCall = false;
    events.isInLookup = false;
    const wasInHostCallback = this.#isInHostCallback;
    this.#isInHostCallback = true;
    const wasToolRunning = setToolRunning(false);
    let result: unknown;
    try {
      const promiseTracker = op === OP.apply ? this.promiseTrackerOf(programValues) : undefined;
      result = this.resultOf(op, programObject, key, programValues);
      if (promiseTracker?.trackPromise !== undefined && Eventual.is(result))
        return this.trackedPromises.add(promiseTracker.trackPromise(result));
      return this.toHost(result);
    } catch (error) {
      if (!isNested) this.failures.noteThrown(error);
      noteRethrown(error);
      throw rethrownError(this.toHost(error), 'node-do-not-add-exception-line');
    } finally {
      if (isCall) this.sharedData.endCallback(outerData, result);
      events.isInHostCall = wasInHostCall;
      events.isInLookup = wasInLookup;
      this.#isInHostCallback = wasInHostCallback;
      this.#calledFunction = calledFunction;
      this.hostState.exitCode.noteProgramValue();
      setToolRunning(wasToolRunning);
    }
  }

  /**
   * Whether a package passes data that it has made, and may keep.
   * @param calledFunction the function that is calling back, if the program has called it
   */
  #hasPackageData(values: readonly unknown[], calledFunction: Handle | undefined): boolean {
    for (let i = 1; i < values.length; i++)
      if (this.#encoder.isNewData(values[i])) return this.deps.isPackageCalling(this.#hostCallback, calledFunction);
    return false;
  }

  /** Repeats a change that the host has made to its copy of plain data. */
  #changeOriginal(op: Op, copy: object, key: PropertyKey, values: readonly unknown[]): void {
    const exported = this.marks.get(copy) as ExportedObject;
    const programValues = this.#events.recordCallback(op, exported.programObject, key, values, false, exported);
    this.resultOf(op, exported.programObject, key, programValues);
  }

  /** Records output that host code writes to the descriptor of standard output or error. */
  noteHostOutput(descriptor: number, bytes: Uint8Array): void {
    this.#events.recordOutput(descriptor, bytes);
  }

  /** Has no effect, because a recorded thread has no request observer. */
  reportAnswered(): void {}
}

/** Whether the host keeps no reference to a result. Plain data among such results may be copied. */
function isUnsharedResult(op: Op, hostObject: object): boolean {
  if (op === OP.read) return (hostObject as Record<PropertyKey, unknown>)[SETTLED_MARK] === true;
  return op === OP.apply || op === OP.invoke || op === OP.keys;
}
