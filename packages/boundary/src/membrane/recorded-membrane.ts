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
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { performHostCall } from './host-call.ts';
import type { NumberedContext } from './context-numbers.ts';
import { type EncodedValue, MEMBRANE_EVENT, OP_FLAG, HANDLE_KIND, OP, type Op, type OpKey } from './encoding.ts';
import { isError } from './error-encoding.ts';
import { SurrogateKinds, LiveSurrogates, isDone, SETTLED_MARK, type SurrogateType } from './surrogates.ts';
import { Handle, UNPREDICTED } from './handle.ts';
import { RESULT_KIND, OutcomeEncoder } from './outcome-encoder.ts';
import { isBufferWriter, LentBuffers } from './lent-buffers.ts';
import { BaseMembrane, ExportedObject, handleKindOf, type MembraneDeps } from './base-membrane.ts';
import type { OwnedEntry } from './membrane-state.ts';
import { ReturnedCopies } from './returned-copies.ts';
import { RecordedExports } from './recorded-exports.ts';
import { ExportProxies } from './export-proxies.ts';
import { HostChanges } from './host-changes.ts';
import { HostExitCode } from './host-exit-code.ts';
import { isResponseClass, onResponseAborted } from './response-aborts.ts';
import { PendingTable } from './pending-table.ts';
import { isPlainData } from './shared-data.ts';
import { SharedProperties } from './shared-properties.ts';
import { isDescriptorWriter } from './standard-output.ts';
import { WeakTable } from './weak-table.ts';
import { noteRethrown, setToolRunning } from '@turntable/loader';
import type { FailureHandlers, ErrorThrower } from '../inputs/failure-classifier.ts';

const { apply } = Reflect;
const { then: nativePromiseThen } = Promise.prototype as { then: (this: unknown, ...args: unknown[]) => unknown };

export class RecordedMembrane extends BaseMembrane implements FailureHandlers {
  readonly #tape: TapeRecorder;
  /** Number of events written so far. A result counts as predicted only if its host call has written none. */
  #eventCount = 0;
  /** Whether host code runs that the program has called. Events then belong to that call and are not entries. */
  #isInHostCall = false;
  /** Whether program code runs that the host has called. */
  #isInHostCallback = false;
  /** Whether Node resolves a module for the program. Callbacks then belong to the lookup and are not entries. */
  #isInLookup = false;
  /** Error that the last entry threw into the host. Node reports it again if no host code catches it. */
  #lastThrown: { readonly error: unknown } | undefined;

  /** Encodes values for the tape. Its `encoded` is overwritten by the next value. */
  readonly #encoder: OutcomeEncoder;
  readonly #exports: RecordedExports;
  readonly #exportProxies: ExportProxies;
  /** The host's proxies of neutral methods that program objects inherit, by method. */
  readonly #methodProxies = new WeakMap<object, object>();
  /** Program buffers that a running host call may write to. */
  readonly #lentBuffers = new LentBuffers();
  /** Changes that packages make to their copies of the program's data. */
  readonly #hostChanges = new HostChanges({
    originalOf: (copy) => this.programObjectOf(copy),
    change: (op, copy, key, values) => this.#changeOriginal(op, copy, key, values),
  });
  readonly #returnedCopies: ReturnedCopies;
  /** The program's promises that represent native ones. */
  readonly #programPromises = new WeakSet<object>();
  /** The program's promises by number, until the native promises are settled. */
  readonly #pendingPromises = new PendingTable<{ readonly promise: object; readonly home: object }>();
  readonly #contextTable: WeakTable<NumberedContext>;
  readonly #surrogateKinds = new SurrogateKinds();
  readonly #liveSurrogates = new LiveSurrogates(
    ({ hostObject, surrogateKind }) => isDone(hostObject, this.surrogateTypes[surrogateKind as number]?.donePath ?? []),
    (numbers) => this.#exports.reportDone(numbers),
  );
  /** Created once the program has loaded `node:test`, whose mocks replace globals without crossing the membrane. */
  #sharedProperties: SharedProperties | undefined;
  readonly #hostExitCode = new HostExitCode();

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
    this.#exports = new RecordedExports({
      tape,
      statics,
      marks,
      numbers,
      proxies: this.#exportProxies,
      engine: deps.engine,
      exportForm: (value) => this.exportForm(value),
      argumentCopies: () => this.argumentCopies(),
      onCopied: (copy) => {
        if (this.isCallingPackage) this.#hostChanges.watch(copy);
      },
      registerSymbol: (symbol) => symbols.register(symbol),
      currentHome: () => deps.currentHome(),
      reportUnreplayable: (op) => deps.reportUnreplayable(op),
    });
    this.#encoder = new OutcomeEncoder({
      statics,
      symbols,
      marks,
      numbers,
      generation: () => this.predictions.generation,
      staticHandle: (hostObject) => this.#staticHandle(hostObject),
      createHandle: (hostObject, kind, label) => this.#createInstanceHandle(hostObject, kind, label),
      surrogateKindOf: (prototype) => this.#surrogateKinds.kindOf(prototype),
      surrogateType: (kind) => this.surrogateTypes[kind] as SurrogateType,
      createSurrogateHandle: (hostObject, kind, object, initialValues) =>
        this.#createSurrogateHandle(hostObject, kind, object, initialValues),
      rememberPrototype: (handle, prototype) => this.predictions.rememberPrototype(handle, prototype),
      adopt: (value) => void this.#exports.exportObject(value, value),
      createPromise: (hostObject) => this.#adoptPromise(hostObject),
      onReturned: (hostObject, copy, source) => this.#returnedCopies.add(hostObject, copy, source),
      signalAbortedBy: (reason) => this.#exports.abortSignals.signalAbortedWith(reason),
      reportUnreplayable: (op) => deps.reportUnreplayable(op),
    });
  }

  get isInHostCall(): boolean {
    return this.#isInHostCall;
  }

  get isInHostCallback(): boolean {
    return this.#isInHostCallback;
  }

  // Handles and host views: the views that each side has of the other side's objects.

  proxyFor<T extends object>(hostObject: T): T {
    const isStatic = this.marks.get(hostObject) instanceof Handle || this.statics.pathOf(hostObject) !== undefined;
    return (isStatic ? this.#staticHandle(hostObject).proxy : this.#encoder.toProgram(hostObject, false)) as T;
  }

  #staticHandle(hostObject: object): Handle {
    const mark = this.marks.get(hostObject);
    if (mark instanceof Handle) return mark;
    const path = this.statics.pathOf(hostObject) ?? '';
    const handle = this.createHandle(-1, path, handleKindOf(hostObject), path, hostObject);
    this.marks.set(hostObject, handle);
    return handle;
  }

  #createInstanceHandle(hostObject: object, kind: number, label: string): Handle {
    const handle = this.createHandle(this.counters.handles++, undefined, kind, label, hostObject);
    this.marks.set(hostObject, handle);
    this.#exports.trackLifetime(handle);
    if (isResponseClass(label)) onResponseAborted(hostObject, () => this.#recordAborted(handle));
    return handle;
  }

  /** @param initialValues values passed to the surrogate's constructor; a surrogate among them is its owner */
  #createSurrogateHandle(hostObject: object, kind: number, object: object, initialValues: readonly unknown[]): Handle {
    const surrogate = { kind, object };
    const handle = this.createHandle(this.counters.handles++, undefined, HANDLE_KIND.object, '', hostObject, surrogate);
    this.marks.set(hostObject, handle);
    this.#exports.trackLifetime(handle);
    const initialHandles = initialValues.map((value) =>
      typeof value === 'object' && value !== null ? this.handleFromProxy(value) : undefined,
    );
    this.#liveSurrogates.add(handle, initialHandles);
    return handle;
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

  protected noteCopyWritten(copy: object, key: PropertyKey): void {
    this.#hostChanges.noteWrite(copy, key);
  }

  /** Returns the program's view of a host value. `#encoder.encoded` is then its encoding, unless the tape is paused. */
  #toProgram(value: unknown, isUnshared: boolean): unknown {
    return this.#tape.isPaused
      ? this.#encoder.toProgramUnrecorded(value, isUnshared)
      : this.#encoder.toProgram(value, isUnshared);
  }

  /** Returns the proxy of a neutral method that the host calls on a program object. */
  #methodProxy(fn: object): object {
    let proxy = this.#methodProxies.get(fn);
    if (proxy === undefined) this.#methodProxies.set(fn, (proxy = this.#exportProxies.createProxy(fn, 'function')));
    return proxy;
  }

  // State for snapshots.

  protected exportedObjects(): OwnedEntry[] {
    return this.#exports.entries();
  }

  protected pendingPromises(): OwnedEntry[] {
    return this.#pendingPromises.entries().map(([number, { promise, home }]) => [number, promise, home]);
  }

  protected numberedContexts(): [number, object][] {
    return this.#contextTable.entries().map(([number, { context }]) => [number, context]);
  }

  protected liveSurrogates(): [number, object, number][] {
    return this.#liveSurrogates
      .handles()
      .map(({ number, proxy, surrogateKind }) => [number, proxy, surrogateKind as number]);
  }

  protected finishedSurrogate(): undefined {}

  protected registerSurrogateKind(prototype: object | undefined, kind: number): void {
    if (prototype !== undefined) this.#surrogateKinds.register(prototype, kind);
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
    const eventsBefore = this.#eventCount;
    const wasInHostCall = this.#isInHostCall;
    this.#isInHostCall = true;
    this.#hostExitCode.noteProgramValue();
    let result: unknown;
    let hasThrown = false;
    try {
      result = performHostCall(op, handle.hostObject as object, key, operand, secondOperand);
    } catch (error) {
      hasThrown = true;
      result = error;
    } finally {
      if (handle.path === undefined && (op === OP.apply || op === OP.construct))
        this.#hostChanges.afterCall((op === OP.apply ? secondOperand : operand) as readonly unknown[], result);
      this.recordHostState();
      this.#isInHostCall = wasInHostCall;
    }
    return this.#finishHostCall(op, handle, predicted, key, result, hasThrown, eventsBefore);
  }

  /** Fast path of `hostCall`: property reads are the most frequent operation, and most of them match the prediction. */
  override get(handle: Handle, key: PropertyKey, receiver: object | undefined): unknown {
    if (receiver !== undefined || typeof key === 'symbol') return super.get(handle, key, receiver);
    const predicted = this.predictions.predict(handle, key);
    this.noteContext();
    const eventsBefore = this.#eventCount;
    const wasInHostCall = this.#isInHostCall;
    this.#isInHostCall = true;
    let result: unknown;
    let hasThrown = false;
    try {
      result = (handle.hostObject as Record<PropertyKey, unknown>)[key];
    } catch (error) {
      hasThrown = true;
      result = error;
    }
    this.#isInHostCall = wasInHostCall;
    const isPredicted =
      this.#eventCount === eventsBefore && !hasThrown && this.#lentBuffers.isEmpty && this.#isSeenAs(result, predicted);
    if (isPredicted) this.predictedCount++;
    const value = isPredicted
      ? predicted
      : this.#finishHostCall(OP.get, handle, predicted, key, result, hasThrown, eventsBefore);
    this.notePrediction(handle, key, value, predicted);
    if (isPlainData(handle)) this.#addShared(result, value);
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
    this.#recordBufferWrites(true);
    const refusal = this.#returnedCopies.errorFor(result);
    if (refusal !== undefined) {
      hasThrown = true;
      result = refusal;
    }
    const { isPaused } = this.#tape;
    const canBePredicted =
      !hasThrown && !isPaused && op !== OP.apply && predicted !== UNPREDICTED && this.#eventCount === eventsBefore;
    if (canBePredicted && Object.is(this.#knownResult(op, handle, key, result), predicted)) {
      this.predictedCount++;
      return predicted;
    }
    const programView = hasThrown ? this.#toProgram(result, false) : this.#encodeResult(op, handle, key, result);
    if (op === OP.apply && handle.path === undefined) this.#addShared(result, programView);
    if (!isPaused) {
      const { encoded } = this.#encoder;
      const code = hasThrown ? op | OP_FLAG.threw : op;
      const hasKey = op === OP.get || op === OP.has || op === OP.read || op === OP.invoke;
      const encodedKey = hasKey ? this.#encoder.encodeKey(key as PropertyKey) : undefined;
      this.#recordOutcome(
        hasKey ? [this.predictedCount, code, encoded, encodedKey] : [this.predictedCount, code, encoded],
      );
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
      if (op === OP.apply && handle.path === undefined) return this.#returnedToProgram(result, handle);
      return this.#toProgram(result, isUnsharedResult(op, handle.hostObject as object));
    }
    const proxy = this.boundProxy(result);
    return this.#tape.isPaused ? proxy : encoder.encodeHandle(this.handleFromProxy(proxy) as Handle);
  }

  #returnedToProgram(value: unknown, source: Handle | undefined): unknown {
    this.#encoder.copySource = source;
    try {
      return this.#toProgram(value, true);
    } finally {
      this.#encoder.copySource = undefined;
    }
  }

  override apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    if (!(handle.isBufferWriter ??= isBufferWriter(handle.label) || isDescriptorWriter(handle.path)))
      return super.apply(handle, self, args);
    if (isDescriptorWriter(handle.path))
      return this.deps.output.duringProgramWrite(args, () => super.apply(handle, self, args));
    // The loan ends when the callback is called or the promise is settled, otherwise when the call returns.
    const callToken = {};
    this.#lentBuffers.lend(args, args.findLast((argument) => typeof argument === 'function') ?? callToken);
    try {
      const result = super.apply(handle, self, args);
      if (typeof result === 'object' && result !== null && this.#programPromises.has(result))
        this.#lentBuffers.transfer(callToken, result);
      return result;
    } finally {
      this.#lentBuffers.release(callToken);
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
    const eventsBefore = this.#eventCount;
    const wasInLookup = this.#isInLookup;
    this.#isInLookup = !this.#isInHostCall;
    try {
      const value = lookUp();
      return { value, hasCalledProgram: this.#eventCount !== eventsBefore };
    } finally {
      this.#isInLookup = wasInLookup;
    }
  }

  /** Records an operation, then performs it. @param hostKeepsData whether the host may still change data in `values` */
  #hostCallback(op: Op, programObject: object, key: OpKey, values: readonly unknown[], hostKeepsData = false): unknown {
    const wasInHostCall = this.#isInHostCall;
    const wasInLookup = this.#isInLookup;
    const isNested = wasInHostCall || wasInLookup;
    this.recordHostState();
    this.#recordBufferWrites(isNested);
    if (op === OP.apply) this.#lentBuffers.release(programObject);
    const isCall = op === OP.apply || op === OP.construct;
    for (const value of values) {
      const refusal = this.#returnedCopies.errorFor(value);
      if (refusal !== undefined) throw refusal;
    }
    if (isCall) this.#hostChanges.apply(values);
    const outerData = isCall ? this.sharedData.startCallback(!isNested) : undefined;
    const hasUnsharedArguments = isCall && !hostKeepsData && !this.#hasPackageData(values);
    const programValues = this.#recordCallback(op, programObject, key, values, hasUnsharedArguments);
    if (isCall) for (let i = 1; i < values.length; i++) this.#addShared(values[i], programValues[i]);
    this.#isInHostCall = false;
    this.#isInLookup = false;
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
      if (!isNested) this.#lastThrown = { error };
      noteRethrown(error);
      throw rethrownError(this.toHost(error), 'node-do-not-add-exception-line');
    } finally {
      if (isCall) this.sharedData.endCallback(outerData, result);
      this.#isInHostCall = wasInHostCall;
      this.#isInLookup = wasInLookup;
      this.#isInHostCallback = wasInHostCallback;
      this.#hostExitCode.noteProgramValue();
      setToolRunning(wasToolRunning);
    }
  }

  /** Whether a package passes data that it has made, and may keep. */
  #hasPackageData(values: readonly unknown[]): boolean {
    for (let i = 1; i < values.length; i++) if (this.#encoder.isNewData(values[i])) return this.deps.isPackageCalling();
    return false;
  }

  /** Repeats a change that the host has made to its copy of plain data. */
  #changeOriginal(op: Op, copy: object, key: PropertyKey, values: readonly unknown[]): void {
    const exported = this.marks.get(copy) as ExportedObject;
    const programValues = this.#recordCallback(op, exported.programObject, key, values, false, exported);
    this.resultOf(op, exported.programObject, key, programValues);
  }

  /** Notes an object of the program that the host returns, if the host has a copy of the object. */
  #addShared(hostValue: unknown, programView: unknown): void {
    if (typeof hostValue !== 'object' || hostValue === null || hostValue === programView) return;
    if (this.programObjectOf(hostValue) === programView) this.sharedData.add(programView, hostValue);
  }

  /**
   * Records an operation of the host, and returns the program's views of `values`. The first value, the receiver of a
   * call, is never data that may be copied.
   * @param hasUnsharedArguments whether the host keeps no data among `values`
   * @param mark export with the object's number
   */
  #recordCallback(
    op: Op,
    programObject: object,
    key: OpKey,
    values: readonly unknown[],
    hasUnsharedArguments: boolean,
    mark = this.marks.get(programObject),
  ): unknown[] {
    const encoder = this.#encoder;
    const { isPaused } = this.#tape;
    const isExport = mark instanceof ExportedObject && mark.programObject === programObject;
    const number = isExport ? mark.number : 0;
    const isNested = this.#isInHostCall || this.#isInLookup;
    const code = op | OP_FLAG.callback | (isExport ? 0 : OP_FLAG.neutral) | (this.#isInLookup ? OP_FLAG.lookup : 0);
    // The zeros are replaced below, once the values are encoded.
    const event: EncodedValue[] = isNested ? [0, code, number] : [code, 0];
    if (!isExport) event.push(this.statics.neutralPathOf(programObject));
    if (key !== undefined && !isPaused) event.push(encoder.encodeKey(key));
    const programValues: unknown[] = [];
    for (let i = 0; i < values.length; i++) {
      programValues.push(this.#toProgram(values[i], hasUnsharedArguments && i > 0));
      event.push(encoder.encoded);
    }
    if (isPaused) return programValues;
    if (isNested) {
      event[0] = this.predictedCount;
      this.#recordOutcome(event);
    } else {
      const chained = this.deps.hasPendingRejections() ? OP_FLAG.chained : 0;
      const microtask = this.deps.isInMicrotask() ? OP_FLAG.microtask : 0;
      event[0] = code | chained | microtask;
      event[1] = this.currentContextNumber();
      this.#recordEntry(number, event);
    }
    return programValues;
  }

  /** Creates the program's promise for a native one. The settlement is an entry of source `settled`. */
  #adoptPromise(hostObject: object): object {
    const { promise, settle, noteRejection } = this.deps.createPromise();
    const number = this.counters.promises++;
    this.#programPromises.add(promise);
    this.#pendingPromises.add(number, { promise, home: this.deps.currentHome() });
    this.#exports.exportObject(promise, hostObject);
    const { copySource: source } = this.#encoder;
    const createHandler =
      (isHostFulfilled: boolean) =>
      (hostValue: unknown): void => {
        const refusal = this.#returnedCopies.errorFor(hostValue);
        const isFulfilled = isHostFulfilled && refusal === undefined;
        const value: unknown = refusal ?? hostValue;
        this.#hostChanges.afterSettlement(hostObject);
        this.recordHostState();
        this.#recordBufferWrites(false);
        this.#lentBuffers.release(promise);
        this.#pendingPromises.take(number);
        if (!isFulfilled) noteRejection(value);
        const programValue = isFulfilled ? this.#returnedToProgram(value, source) : this.#toProgram(value, false);
        if (!this.#tape.isPaused) {
          this.#eventCount++;
          const settlement = [isFulfilled, this.#encoder.encoded, this.deps.hasPendingRejections()];
          this.#tape.recordEntry(TRACE_SOURCES.settled, number, settlement);
        }
        settle(isFulfilled, programValue);
      };
    apply(nativePromiseThen, hostObject, [createHandler(true), createHandler(false)]);
    return promise;
  }

  // Changes by the host that call no program code. They are found by comparison, or reported by the host.

  /**
   * Records the bytes that the host has written to lent buffers. Must precede any event that could show them.
   */
  #recordBufferWrites(isNested: boolean): void {
    if (this.#lentBuffers.isEmpty || this.#tape.isPaused) return;
    this.#lentBuffers.reportWrites((view, offset, bytes) => {
      const { number } = this.marks.get(view) as ExportedObject;
      if (isNested) this.#recordOutcome([this.predictedCount, OP.fill | OP_FLAG.callback, number, offset, bytes]);
      else this.#tape.recordEntry(TRACE_SOURCES.device, number, [OP.fill | OP_FLAG.callback, 0, offset, bytes]);
    });
  }

  watchSharedProperties(): void {
    this.#sharedProperties ??= new SharedProperties();
  }

  /** Records the shared properties and the exit code that the host has set, as `set` operations of the host. */
  recordHostState(): void {
    if (this.#hostExitCode.takeChange()) this.#recordCallback(OP.set, process, 'exitCode', [process.exitCode], false);
    this.#sharedProperties?.check((holder, key, value) => this.#recordCallback(OP.set, holder, key, [value], false)[0]);
  }

  /** Records output that host code writes to the descriptor of standard output or error. */
  noteHostOutput(descriptor: number, bytes: Uint8Array): void {
    this.#recordSilentEvent(MEMBRANE_EVENT.shown, descriptor, bytes);
  }

  /** Records, for request observers only, that the client of a response has disconnected. */
  #recordAborted(handle: Handle): void {
    if (this.#tape.isPaused) return;
    this.#encoder.encodeHandle(handle);
    this.#recordSilentEvent(MEMBRANE_EVENT.aborted, this.#encoder.encoded);
  }

  /** Has no effect, because a recorded thread has no request observer. */
  reportAnswered(): void {}

  // Failures: errors and rejections that Node reports as unhandled.

  uncaughtError(error: unknown, thrower: ErrorThrower): unknown {
    const lastThrown = this.#lastThrown;
    this.#lastThrown = undefined;
    if (thrower === 'program') return error;
    if (lastThrown === undefined || lastThrown.error !== error)
      return this.#recordFailure(MEMBRANE_EVENT.failed, error, thrower === 'host');
    this.#tape.recordEntry(TRACE_SOURCES.device, 0, [MEMBRANE_EVENT.uncaught]);
    return error;
  }

  unhandledRejection(reason: unknown, isOfProgram: boolean): unknown {
    return isOfProgram ? reason : this.#recordFailure(MEMBRANE_EVENT.rejected, reason, true);
  }

  /**
   * Records a failure, and returns the program's view of its error.
   * @param isHostError whether host code has certainly thrown the error; otherwise a replay must not throw it, because
   * the replayed program may throw the error itself
   */
  #recordFailure(event: number, error: unknown, isHostError: boolean): unknown {
    this.#recordBufferWrites(false);
    const encoder = this.#encoder;
    const isUncertain = !isHostError && typeof error === 'object' && error !== null && !encoder.isKnown(error);
    if (!isUncertain) {
      const programError = encoder.toProgram(error, false);
      this.#recordEntry(0, [event, encoder.encoded]);
      return programError;
    }
    if (isError(error)) {
      encoder.encodeErrorOnly(error);
      this.#recordEntry(0, [event, encoder.encoded, true]);
    }
    return error;
  }

  // The tape.

  /** Writes an event of the running host call. */
  #recordOutcome(outcome: EncodedValue): void {
    this.#eventCount++;
    this.predictedCount = 0;
    this.#tape.recordOutcome(TRACE_SOURCES.device, outcome);
  }

  /** Writes an event that happens outside of host calls: a separate task in a replay. */
  #recordEntry(number: number, entry: EncodedValue): void {
    this.#eventCount++;
    this.#tape.recordEntry(TRACE_SOURCES.device, number, entry);
  }

  /** Writes an event that calls no program code. */
  #recordSilentEvent(...fields: readonly EncodedValue[]): void {
    if (this.#isInHostCall) this.#recordOutcome([this.predictedCount, ...fields]);
    else this.#recordEntry(0, [...fields, this.deps.hasPendingRejections()]);
  }
}

/** Whether the host keeps no reference to a result. Plain data among such results may be copied. */
function isUnsharedResult(op: Op, hostObject: object): boolean {
  if (op === OP.read) return (hostObject as Record<PropertyKey, unknown>)[SETTLED_MARK] === true;
  return op === OP.apply || op === OP.invoke || op === OP.keys;
}
