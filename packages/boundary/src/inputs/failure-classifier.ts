// Classifies uncaught exceptions and unhandled rejections when Node reports them. A replay repeats failures of the
// program by itself. Failures of Node's code or of a device are entries of the trace. The stack is gone when Node
// reports a failure, so Node's asynchronous context tells its origin.
import { executionAsyncResource } from 'node:async_hooks';
import { nodeQueueState } from '@turntable/loader';
import { ProgramTimer } from '../timers/program-timer.ts';

export type UncaughtOrigin = 'uncaughtException' | 'unhandledRejection';

/** `unsure`: native code has rethrown an error of a listener, which may be the program's or the host's. */
export type ErrorThrower = 'program' | 'host' | 'unsure';

export interface FailureHandlers {
  /** Called when Node reports an uncaught exception. Returns the program's view of the error. */
  uncaughtError(error: unknown, thrower: ErrorThrower): unknown;
  /**
   * Returns the program's view of the reason of an unhandled rejection.
   * @param isOfProgram whether the program has caused the rejection
   */
  unhandledRejection(reason: unknown, isOfProgram: boolean): unknown;
  /** Returns the program's view of a native promise that Node reports as unhandled. */
  promiseForProgram(promise: object): object;
}

/** Source text of the functions with which Node rethrows, in a tick, the error of a listener or subscriber. */
const RETHROWING_TICK = /^\(\) => \{\s*(?:throw err|triggerUncaughtException\(err, false\));?\s*\}$/;
const { toString: functionSource } = Function.prototype;

export class FailureClassifier {
  readonly #handlers: FailureHandlers;
  #isModuleFailure: ((reason: unknown) => boolean) | undefined;
  /** Error that a `process` listener has thrown. Node calls these listeners directly. */
  #listenerError: { readonly error: unknown } | undefined;
  /** The rejection that Node reported last. Node may report a rejection twice. */
  #lastRejection: { readonly reason: unknown; readonly valueForProgram: unknown } | undefined;

  constructor(handlers: FailureHandlers) {
    this.#handlers = handlers;
  }

  /** @param isModuleFailure whether a module of the program has failed with a reason */
  setModuleFailureCheck(isModuleFailure: (reason: unknown) => boolean): void {
    if (this.#isModuleFailure !== undefined) throw new Error('the module failure check must be set only once');
    this.#isModuleFailure = isModuleFailure;
  }

  /** Whether a module has failed with the reason. True for every reason until `setModuleFailureCheck` is called. */
  #hasFailedModule(reason: unknown): boolean {
    return this.#isModuleFailure === undefined || this.#isModuleFailure(reason);
  }

  noteListenerError(error: unknown): void {
    this.#listenerError = { error };
  }

  /** Returns the program's view of an uncaught error. */
  errorForProgram(error: unknown, origin: UncaughtOrigin): unknown {
    if (origin === 'unhandledRejection') {
      if (this.#lastRejection !== undefined && this.#lastRejection.reason === error)
        return this.#lastRejection.valueForProgram;
      return this.#noteRejection(
        error,
        nodeQueueState.isUnreported(error) || this.#hasFailedModule(error) || isUnhandledRejectionError(error),
      );
    }
    return this.#handlers.uncaughtError(error, this.#throwerOf(error));
  }

  /** Returns the program's view of an unhandled rejection. */
  rejectionForProgram(reason: unknown, promise: object): [reason: unknown, promise: object] {
    if (nodeQueueState.isEventualStandIn(promise)) {
      this.#lastRejection = { reason, valueForProgram: reason };
      return [reason, promise];
    }
    const lastRejection = this.#lastRejection;
    const isRepeated = lastRejection !== undefined && lastRejection.reason === reason;
    const valueForProgram = isRepeated
      ? lastRejection.valueForProgram
      : this.#noteRejection(reason, this.#hasFailedModule(reason));
    return [valueForProgram, this.#handlers.promiseForProgram(promise)];
  }

  #noteRejection(reason: unknown, isOfProgram: boolean): unknown {
    const valueForProgram = this.#handlers.unhandledRejection(reason, isOfProgram);
    this.#lastRejection = { reason, valueForProgram };
    return valueForProgram;
  }

  #throwerOf(error: unknown): ErrorThrower {
    if (this.#listenerError?.error === error || nodeQueueState.hasMainFailed) return 'program';
    if (nodeQueueState.isRunningJobs) {
      nodeQueueState.isRunningJobs = false;
      return 'program';
    }
    const resource = executionAsyncResource();
    if (ProgramTimer.numberOf(resource) !== undefined) return 'program';
    const { callback } = resource as { callback?: unknown };
    if (nodeQueueState.isTickAnchor(callback)) return 'program';
    return typeof callback === 'function' && RETHROWING_TICK.test(Reflect.apply(functionSource, callback, []))
      ? 'unsure'
      : 'host';
  }
}

/** Whether Node has wrapped a rejection reason that is no error. */
function isUnhandledRejectionError(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === 'ERR_UNHANDLED_REJECTION';
}
