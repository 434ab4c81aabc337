// The membrane of a program that is recorded: there is an outside.
import { Eventual, rethrownError, type TapeRecorder } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { performHostCall } from './host-call.ts';
import type { NumberedContext } from './context-numbers.ts';
import { type EncodedValue, MEMBRANE_EVENT, OP_FLAG, HANDLE_KIND, OP, type Op } from './encoding.ts';
import { isError } from './error-encoding.ts';
import { SurrogateKinds, LiveSurrogates, isDone, SETTLED_MARK, type SurrogateType } from './surrogates.ts';
import { Handle, UNPREDICTED } from './handle.ts';
import { RESULT_KIND, OutcomeEncoder } from './outcome-encoder.ts';
import { isBufferWriter, LentBuffers } from './lent-buffers.ts';
import { BaseMembrane, ExportedObject, handleKindOf, type MembraneDeps } from './base-membrane.ts';
import type { OwnedEntry } from './membrane-state.ts';
import { RecordedExports } from './recorded-exports.ts';
import { performCallback, ExportProxies } from './export-proxies.ts';
import { isResponseClass, onResponseAborted } from './response-aborts.ts';
import { PendingTable } from './pending-table.ts';
import { SharedProperties } from './shared-properties.ts';
import { isDescriptorWriter } from './standard-output.ts';
import { WeakTable } from './weak-table.ts';
import { noteRethrown } from '@turntable/loader';
import type { FailureHandlers, ErrorThrower } from '../inputs/failure-classifier.ts';

const { apply } = Reflect;
const { then: nativePromiseThen } = Promise.prototype as { then: (this: unknown, ...args: unknown[]) => unknown };

export class RecordedMembrane extends BaseMembrane implements FailureHandlers {
  readonly #tape: TapeRecorder;
  readonly #encoder: OutcomeEncoder;
  readonly #exports: RecordedExports;
  readonly #exportProxies: ExportProxies;
  readonly #lentBuffers = new LentBuffers();
  /** Those that stand for native ones. */
  readonly #programPromises = new WeakSet<object>();
  readonly #surrogateKinds = new SurrogateKinds();
  /** Native code runs that the program has called. */
  #isInHostCall = false;
  #isInHostCallback = false;
  #eventCount = 0;
  #lastThrown: { readonly error: unknown } | undefined;

  constructor(deps: MembraneDeps) {
    super(deps);
    const tape = (this.#tape = deps.tape as TapeRecorder);
    const { statics, symbols, marks, counters: numbers } = this;
    this.#contextTable = new WeakTable(deps.engine);
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
      createHandle: (hostObject, kind, label) => {
        const handle = this.createHandle(numbers.handles++, undefined, kind, label, hostObject);
        marks.set(hostObject, handle);
        this.#exports.trackLifetime(handle);
        if (isResponseClass(label)) onResponseAborted(hostObject, () => this.#noteAborted(handle));
        return handle;
      },
      surrogateKindOf: (prototype) => this.#surrogateKinds.kindOf(prototype),
      surrogateType: (kind) => this.surrogateTypes[kind] as SurrogateType,
      createSurrogateHandle: (hostObject, kind, object, initialValues) => {
        const handle = this.createHandle(numbers.handles++, undefined, HANDLE_KIND.object, '', hostObject, {
          kind,
          object,
        });
        marks.set(hostObject, handle);
        this.#exports.trackLifetime(handle);
        const initialHandles = initialValues.map((initialValue) =>
          typeof initialValue === 'object' && initialValue !== null ? this.handleFromProxy(initialValue) : undefined,
        );
        this.#liveSurrogates.add(handle, initialHandles);
        return handle;
      },
      rememberPrototype: (handle, prototype) => this.predictions.rememberPrototype(handle, prototype),
      adopt: (value) => void this.#exports.exportObject(value, value),
      createPromise: (hostObject) => this.#adoptPromise(hostObject),
      signalAbortedBy: (reason) => this.#exports.abortSignals.signalAbortedWith(reason),
      reportUnreplayable: (op) => deps.reportUnreplayable(op),
    });
  }

  /** Code of Node's or of a device runs, on behalf of the program. */
  get isInHostCall(): boolean {
    return this.#isInHostCall;
  }

  /** The outside has called the program. */
  get isInHostCallback(): boolean {
    return this.#isInHostCallback;
  }

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

  /** Of something outside that has got to the program's objects past the membrane. */
  handleFromHostObject(hostObject: object): Handle | undefined {
    const mark = this.marks.get(hostObject);
    return mark instanceof Handle && mark.hostObject === hostObject ? mark : undefined;
  }

  /** What of the program's native code has this for. */
  programObjectOf(hostView: object): object | undefined {
    const mark = this.marks.get(hostView);
    return mark instanceof ExportedObject && mark.hostView === hostView && mark.programObject !== hostView
      ? mark.programObject
      : undefined;
  }

  protected exportedObjects(): OwnedEntry[] {
    return this.#exports.entries();
  }

  readonly #liveSurrogates = new LiveSurrogates(
    ({ hostObject, surrogateKind }) => isDone(hostObject, this.surrogateTypes[surrogateKind as number]?.donePath ?? []),
    (numbers) => this.#exports.reportDone(numbers),
  );

  protected liveSurrogates(): [number, object, number][] {
    return this.#liveSurrogates
      .handles()
      .map(({ number, proxy, surrogateKind }) => [number, proxy, surrogateKind as number]);
  }

  protected finishedSurrogate(): undefined {}

  protected registerSurrogateKind(prototype: object | undefined, kind: number): void {
    if (prototype !== undefined) this.#surrogateKinds.register(prototype, kind);
  }

  readonly #pendingPromises = new PendingTable<{ readonly promise: object; readonly home: object }>();

  protected pendingPromises(): OwnedEntry[] {
    return this.#pendingPromises.entries().map(([number, { promise, home }]) => [number, promise, home]);
  }

  readonly #contextTable: WeakTable<NumberedContext>;

  protected numberedContexts(): [number, object][] {
    return this.#contextTable.entries().map(([number, { context }]) => [number, context]);
  }

  protected onContextNumbered(numberedContext: NumberedContext): void {
    const collected = this.#contextTable.addPermanently(numberedContext);
    if (collected.length > 0) this.#exports.releaseContexts(collected);
  }

  /** Nobody looks on. */
  reportAnswered(): void {}

  uncaughtError(error: unknown, thrower: ErrorThrower): unknown {
    const lastThrown = this.#lastThrown;
    this.#lastThrown = undefined;
    if (thrower === 'program') return error;
    if (lastThrown === undefined || lastThrown.error !== error)
      return this.#noteFailure(MEMBRANE_EVENT.failed, error, thrower === 'host');
    this.#tape.recordEntry(TRACE_SOURCES.device, 0, [MEMBRANE_EVENT.uncaught]);
    return error;
  }

  unhandledRejection(reason: unknown, isOfProgram: boolean): unknown {
    return isOfProgram ? reason : this.#noteFailure(MEMBRANE_EVENT.rejected, reason, true);
  }

  /** A native promise, which stays one: that somebody is told of it does not handle it. */
  promiseForProgram(promise: object): object {
    return this.#encoder.promiseHandle(promise);
  }

  /** To standard output or error, by the outside. */
  noteHostOutput(descriptor: number, bytes: Uint8Array): void {
    if (this.#isInHostCall) this.#noteOutcome([this.predictedCount, MEMBRANE_EVENT.shown, descriptor, bytes]);
    else {
      this.#eventCount++;
      this.#tape.recordEntry(TRACE_SOURCES.device, 0, [
        MEMBRANE_EVENT.shown,
        descriptor,
        bytes,
        this.deps.hasPendingRejections(),
      ]);
    }
  }

  /** A client has gone: nobody tells the program of it that has not asked, and who looks at its requests wants to know. */
  #noteAborted(handle: Handle): void {
    if (this.#tape.isPaused) return;
    this.#encoder.encodeHandle(handle);
    const { encoded } = this.#encoder;
    if (this.#isInHostCall) return this.#noteOutcome([this.predictedCount, MEMBRANE_EVENT.aborted, encoded]);
    this.#eventCount++;
    this.#tape.recordEntry(TRACE_SOURCES.device, 0, [
      MEMBRANE_EVENT.aborted,
      encoded,
      this.deps.hasPendingRejections(),
    ]);
  }

  /** `isHostError`: it is none of the program's, which may know it all the same. */
  #noteFailure(event: number, error: unknown, isHostError: boolean): unknown {
    if (!this.#lentBuffers.isEmpty) this.#noteBufferWrites(false);
    const encoder = this.#encoder;
    let programError = error;
    const isUnsure = !isHostError && typeof error === 'object' && error !== null && !encoder.isKnown(error);
    if (!isUnsure) programError = encoder.toProgram(error, false);
    else if (isError(error)) encoder.encodeErrorOnly(error);
    else return error;
    this.#eventCount++;
    this.#tape.recordEntry(
      TRACE_SOURCES.device,
      0,
      isUnsure ? [event, encoder.encoded, true] : [event, encoder.encoded],
    );
    return programError;
  }

  override apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    if (!(handle.isBufferWriter ??= isBufferWriter(handle.label) || isDescriptorWriter(handle.path)))
      return super.apply(handle, self, args);
    if (isDescriptorWriter(handle.path))
      return this.deps.output.duringProgramWrite(() => super.apply(handle, self, args));
    const callback = args.findLast((argument) => typeof argument === 'function');
    const callToken = {};
    this.#lentBuffers.lend(args, callback ?? callToken);
    try {
      const result = super.apply(handle, self, args);
      if (typeof result === 'object' && result !== null && this.#programPromises.has(result))
        this.#lentBuffers.transfer(callToken, result);
      return result;
    } finally {
      this.#lentBuffers.release(callToken);
    }
  }

  #noteBufferWrites(isNested: boolean): void {
    // What was written meanwhile is told as it is then.
    if (this.#tape.isPaused) return;
    this.#lentBuffers.reportWrites((view, offset, bytes) => {
      const { number } = this.marks.get(view) as ExportedObject;
      if (isNested) this.#noteOutcome([this.predictedCount, OP.fill | OP_FLAG.callback, number, offset, bytes]);
      else this.#tape.recordEntry(TRACE_SOURCES.device, number, [OP.fill | OP_FLAG.callback, 0, offset, bytes]);
    });
  }

  #sharedProperties: SharedProperties | undefined;

  /** The program has the runner of tests. */
  watchSharedProperties(): void {
    this.#sharedProperties ??= new SharedProperties();
  }

  #checkSharedProperties(): void {
    this.#sharedProperties?.check((holder, key, value) => {
      if (this.#tape.isPaused) return this.#encoder.toProgramUnrecorded(value, false);
      const programValues: unknown[] = [];
      this.#noteCallback(OP.set, holder, key, [value], false, programValues);
      return programValues[0];
    });
  }

  // Nothing is predicted either: at the cut with which a recording begins all that was known is forgotten, by both runs. What a snapshot has, numbers and
  // who has them, is there all the time.

  #getUnrecorded(handle: Handle, key: string): unknown {
    this.noteContext();
    const hostObject = handle.hostObject as Record<PropertyKey, unknown>;
    const wasInHostCall = this.#isInHostCall;
    this.#isInHostCall = true;
    let result: unknown;
    try {
      result = hostObject[key];
    } catch (error) {
      throw this.#encoder.toProgramUnrecorded(error, false);
    } finally {
      this.#isInHostCall = wasInHostCall;
    }
    const value = this.#resultUnrecorded(OP.get, handle, key, result);
    this.notePrediction(handle, key, value, value);
    return value;
  }

  /** What was asked, as the program is to see it. */
  #resultUnrecorded(op: Op, handle: Handle, key: PropertyKey | undefined, result: unknown): unknown {
    const encoder = this.#encoder;
    const hostObject = handle.hostObject as object;
    switch (op) {
      case OP.apply: {
        const resultKind = (handle.resultKind ??= encoder.resultKindOf(handle));
        return resultKind === RESULT_KIND.nothing
          ? encoder.toProgramUnrecorded(result, true)
          : encoder.encodeOwnedResult(resultKind, result);
      }
      case OP.describe:
        return encoder.encodeDescriptor(result as PropertyDescriptor | undefined);
      case OP.get:
        if (typeof result === 'function' && this.isHostBound(hostObject, key as PropertyKey, result))
          return this.boundProxy(result);
        return encoder.toProgramUnrecorded(result, false);
      default:
        return encoder.toProgramUnrecorded(result, isUnsharedResult(op, hostObject));
    }
  }

  protected hostCall(
    op: Op,
    handle: Handle,
    predicted: unknown,
    key: PropertyKey | undefined,
    operand: unknown,
    secondOperand: unknown,
  ): unknown {
    this.noteContext();
    const eventsBefore = this.#eventCount;
    const wasInHostCall = this.#isInHostCall;
    this.#isInHostCall = true;
    let result: unknown;
    let hasThrown = false;
    try {
      result = performHostCall(op, handle.hostObject as object, key, operand, secondOperand);
    } catch (error) {
      hasThrown = true;
      result = error;
    } finally {
      if (this.#sharedProperties !== undefined) this.#checkSharedProperties();
      this.#isInHostCall = wasInHostCall;
    }
    return this.#finishHostCall(op, handle, predicted, key, result, hasThrown, eventsBefore);
  }

  /** Most of what is asked, and mostly what it was, or a method. As `hostCall` does it, with less to decide. */
  override get(handle: Handle, key: PropertyKey, receiver: object | undefined): unknown {
    if (receiver !== undefined || typeof key === 'symbol') return super.get(handle, key, receiver);
    if (this.#tape.isPaused) return this.#getUnrecorded(handle, key as string);
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
    const matchesPrediction =
      this.#eventCount === eventsBefore &&
      !hasThrown &&
      this.#lentBuffers.isEmpty &&
      this.#matchesPrediction(result, predicted);
    if (matchesPrediction) this.predictedCount++;
    const value = matchesPrediction
      ? predicted
      : this.#finishHostCall(OP.get, handle, predicted, key, result, hasThrown, eventsBefore);
    this.notePrediction(handle, key, value, predicted);
    return value;
  }

  /** Whether the program sees `hostView` as what was predicted: false means that it is to be looked at. */
  #matchesPrediction(hostView: unknown, predicted: unknown): boolean {
    if (hostView === predicted) return true;
    if ((typeof predicted !== 'object' && typeof predicted !== 'function') || predicted === null) return false;
    const mark = this.marks.get(predicted);
    if (mark === undefined) return false;
    return mark instanceof Handle
      ? mark.hostObject === hostView && mark.proxy === predicted
      : mark.hostView === hostView && mark.programObject === predicted;
  }

  /** What was asked has had this result, after so many events: as the program is to see it. */
  #finishHostCall(
    op: Op,
    handle: Handle,
    predicted: unknown,
    key: PropertyKey | undefined,
    result: unknown,
    hasThrown: boolean,
    eventsBefore: number,
  ): unknown {
    if (this.#tape.isPaused) {
      if (hasThrown) throw this.#encoder.toProgramUnrecorded(result, false);
      return this.#resultUnrecorded(op, handle, key, result);
    }
    if (!this.#lentBuffers.isEmpty) this.#noteBufferWrites(true);
    const encoder = this.#encoder;
    let programObject: unknown;
    if (hasThrown) programObject = encoder.toProgram(result, false);
    else if (op === OP.apply) {
      const resultKind = (handle.resultKind ??= encoder.resultKindOf(handle));
      programObject =
        resultKind === RESULT_KIND.nothing
          ? encoder.toProgram(result, true)
          : encoder.encodeOwnedResult(resultKind, result);
    } else {
      const hostObject = handle.hostObject as object;
      const isHostBound =
        op === OP.get && typeof result === 'function' && this.isHostBound(hostObject, key as string, result);
      const knownView = isHostBound ? this.boundProxy(result as object) : encoder.knownView(result, UNPREDICTED);
      if (this.#eventCount === eventsBefore && Object.is(knownView, predicted) && predicted !== UNPREDICTED) {
        this.predictedCount++;
        return predicted;
      }
      if (isHostBound) programObject = encoder.encodeHandle(this.handleFromProxy(knownView as object) as Handle);
      else if (op === OP.describe) programObject = encoder.encodeDescriptor(result as PropertyDescriptor | undefined);
      else programObject = encoder.toProgram(result, isUnsharedResult(op, hostObject));
    }
    const { encoded } = encoder;
    const code = hasThrown ? op | OP_FLAG.threw : op;
    const hasKey = op === OP.get || op === OP.has || op === OP.read || op === OP.invoke;
    this.#noteOutcome(
      hasKey
        ? [this.predictedCount, code, encoded, encoder.encodeKey(key as PropertyKey)]
        : [this.predictedCount, code, encoded],
    );
    if (hasThrown) throw programObject;
    return programObject;
  }

  #noteOutcome(value: EncodedValue): void {
    this.#eventCount++;
    this.predictedCount = 0;
    this.#tape.recordOutcome(TRACE_SOURCES.device, value);
  }

  wrapListener(listener: object): (...values: unknown[]) => void {
    this.toHost(listener);
    return (...values) => void this.#hostCallback(OP.apply, listener, undefined, [undefined, ...values], true);
  }

  /** For the outside to call something that both sides know. */
  asHostCallback(neutralFunction: (...args: never[]) => unknown): (...args: unknown[]) => object {
    return (...args) => this.#hostCallback(OP.apply, neutralFunction, undefined, [undefined, ...args]) as object;
  }

  /** The outside does something to the program: it is noted, then done. `areArgumentsKept`: data that it is called with is alive. */
  #hostCallback(
    op: Op,
    programObject: object,
    key: PropertyKey | undefined,
    values: readonly unknown[],
    areArgumentsKept: boolean = false,
  ): unknown {
    const isNested = this.#isInHostCall;
    if (this.#sharedProperties !== undefined) this.#checkSharedProperties();
    if (!this.#lentBuffers.isEmpty) {
      this.#noteBufferWrites(isNested);
      if (op === OP.apply) this.#lentBuffers.release(programObject);
    }
    // `this` is no data that nobody keeps, nor what is put somewhere.
    const isFunctionCall = (op === OP.apply && !areArgumentsKept) || op === OP.construct;
    const programValues: unknown[] = [];
    if (this.#tape.isPaused)
      for (let i = 0; i < values.length; i++)
        programValues.push(this.#encoder.toProgramUnrecorded(values[i], isFunctionCall && i > 0));
    else this.#noteCallback(op, programObject, key, values, isFunctionCall, programValues);
    this.#isInHostCall = false;
    const wasInHostCallback = this.#isInHostCallback;
    this.#isInHostCallback = true;
    try {
      const promiseTracker = op === OP.apply ? this.promiseTrackerOf(programValues) : undefined;
      const result = performCallback(op, programObject, key, programValues);
      if (promiseTracker?.trackPromise !== undefined && Eventual.is(result))
        return this.trackedPromises.add(promiseTracker.trackPromise(result));
      return this.toHost(result);
    } catch (error) {
      if (!isNested) this.#lastThrown = { error };
      noteRethrown(error);
      throw rethrownError(this.toHost(error), 'node-do-not-add-exception-line');
    } finally {
      this.#isInHostCall = isNested;
      this.#isInHostCallback = wasInHostCallback;
    }
  }

  /** `programValues` gets what the program is to see of `values`. */
  #noteCallback(
    op: Op,
    programObject: object,
    key: PropertyKey | undefined,
    values: readonly unknown[],
    isFunctionCall: boolean,
    programValues: unknown[],
  ): void {
    const encoder = this.#encoder;
    const mark = this.marks.get(programObject);
    const exportedObject = mark instanceof ExportedObject && mark.programObject === programObject ? mark : undefined;
    const code = exportedObject === undefined ? op | OP_FLAG.callback | OP_FLAG.neutral : op | OP_FLAG.callback;
    const number = exportedObject?.number ?? 0;
    // The first three are known once all has come in.
    const event: EncodedValue[] = this.#isInHostCall ? [0, code, number] : [code, 0];
    if (exportedObject === undefined) event.push(this.statics.neutralPathOf(programObject));
    if (key !== undefined) event.push(encoder.encodeKey(key));
    for (let i = 0; i < values.length; i++) {
      programValues.push(encoder.toProgram(values[i], isFunctionCall && i > 0));
      event.push(encoder.encoded);
    }
    if (this.#isInHostCall) {
      event[0] = this.predictedCount;
      this.#noteOutcome(event);
      return;
    }
    this.#eventCount++;
    if (this.deps.hasPendingRejections()) event[0] = code | OP_FLAG.chained;
    if (this.deps.isInMicrotask()) event[0] = (event[0] as number) | OP_FLAG.microtask;
    event[1] = this.currentContextNumber();
    this.#tape.recordEntry(TRACE_SOURCES.device, number, event);
  }

  #adoptPromise(hostObject: object): object {
    const { promise, settle, noteRejection } = this.deps.createPromise();
    const number = this.counters.promises++;
    this.#programPromises.add(promise);
    this.#pendingPromises.add(number, { promise, home: this.deps.currentHome() });
    this.#exports.exportObject(promise, hostObject);
    const createHandler =
      (isFulfilled: boolean) =>
      (value: unknown): void => {
        if (this.#sharedProperties !== undefined) this.#checkSharedProperties();
        if (!this.#lentBuffers.isEmpty) {
          this.#noteBufferWrites(false);
          this.#lentBuffers.release(promise);
        }
        this.#pendingPromises.take(number);
        if (!isFulfilled) noteRejection(value);
        if (this.#tape.isPaused) return settle(isFulfilled, this.#encoder.toProgramUnrecorded(value, isFulfilled));
        const programObject = this.#encoder.toProgram(value, isFulfilled);
        this.#eventCount++;
        this.#tape.recordEntry(TRACE_SOURCES.settled, number, [
          isFulfilled,
          this.#encoder.encoded,
          this.deps.hasPendingRejections(),
        ]);
        settle(isFulfilled, programObject);
      };
    apply(nativePromiseThen, hostObject, [createHandler(true), createHandler(false)]);
    return promise;
  }

  protected toHost(value: unknown): unknown {
    return this.#exports.toHost(value);
  }

  readonly #methodProxies = new WeakMap<object, object>();

  /** A neutral method that the outside calls on something of the program's. */
  #methodProxy(fn: object): object {
    let hostView = this.#methodProxies.get(fn);
    if (hostView === undefined)
      this.#methodProxies.set(fn, (hostView = this.#exportProxies.createProxy(fn, 'function')));
    return hostView;
  }
}

/** Whether nobody outside keeps what was answered, if it is data. */
function isUnsharedResult(op: Op, hostObject: object): boolean {
  if (op === OP.read) return (hostObject as Record<PropertyKey, unknown>)[SETTLED_MARK] === true;
  return op === OP.apply || op === OP.invoke || op === OP.keys;
}
