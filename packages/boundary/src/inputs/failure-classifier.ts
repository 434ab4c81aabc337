// Exceptions that nobody has caught and promises whose rejection nobody handles, as Node tells of them. The program's own come again when it runs again;
// what Node's code or a device has come to by itself does not, and is an entry. Which of both it is Node's asynchronous context tells: the stack is gone.
import { executionAsyncResource } from 'node:async_hooks';
import { nodeQueueState } from '@turntable/loader';
import { ProgramTimer } from '../timers/program-timer.ts';

export type UncaughtOrigin = 'uncaughtException' | 'unhandledRejection';

/** `unsure`: native code hands on what a listener has thrown; whose listener that was is not to be seen. */
export type ErrorThrower = 'program' | 'host' | 'unsure';

export interface FailureHandlers {
  /** Node tells of something that was thrown. Answers what the program is to see. */
  uncaughtError(error: unknown, thrower: ErrorThrower): unknown;
  /** Of a rejection; `isOfProgram`: it has been told of before. */
  unhandledRejection(reason: unknown, isOfProgram: boolean): unknown;
  /** A native promise that the program is to be told of. */
  promiseForProgram(promise: object): object;
}

/** Ticks in which Node throws what a listener or a subscriber has thrown, by their text. */
const RETHROWING_TICK = /^\(\) => \{\s*(?:throw err|triggerUncaughtException\(err, false\));?\s*\}$/;
const { toString: functionSource } = Function.prototype;

export class FailureClassifier {
  readonly #handlers: FailureHandlers;
  #isModuleFailure: ((reason: unknown) => boolean) | undefined;
  /** What a listener of `process` has thrown: Node calls those itself. */
  #listenerError: { readonly error: unknown } | undefined;
  /** Of a rejection, the last one: Node may tell of it twice. */
  #lastRejection: { readonly reason: unknown; readonly valueForProgram: unknown } | undefined;

  constructor(handlers: FailureHandlers) {
    this.#handlers = handlers;
  }

  /** `isModuleFailure`: whether a module of the program has failed with a reason. */
  setModuleFailureCheck(isModuleFailure: (reason: unknown) => boolean): void {
    if (this.#isModuleFailure !== undefined) throw new Error('failures of modules are recognised already');
    this.#isModuleFailure = isModuleFailure;
  }

  /** True for every reason until `setModuleFailureCheck` is called. */
  #hasFailedModule(reason: unknown): boolean {
    return this.#isModuleFailure === undefined || this.#isModuleFailure(reason);
  }

  noteListenerError(error: unknown): void {
    this.#listenerError = { error };
  }

  /** What its listeners are told. */
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

  /** What listeners of rejections are told. */
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

/** Node's own error, in the place of a reason that is none. */
function isUnhandledRejectionError(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === 'ERR_UNHANDLED_REJECTION';
}
