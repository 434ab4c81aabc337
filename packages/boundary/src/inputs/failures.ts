// Exceptions that nobody has caught and promises whose rejection nobody handles, as Node tells of them. The program's own come again when it runs again;
// what Node's code or a device has come to by itself does not, and is an entry. Which of both it is Node's asynchronous context tells: the stack is gone.
import { executionAsyncResource } from 'node:async_hooks';
import { standingIn } from '@turntable/loader';
import { OwnTimer } from '../timers/own-timer.ts';

export type Origin = 'uncaughtException' | 'unhandledRejection';

/** `unsure`: native code hands on what a listener has thrown; whose listener that was is not to be seen. */
export type Thrower = 'program' | 'outside' | 'unsure';

export interface FailureTakers {
  /** Node tells of something that was thrown. Answers what the program is to see. */
  uncaught(error: unknown, thrower: Thrower): unknown;
  /** Of a rejection; `isKnown`: it has been told of before. */
  rejected(reason: unknown, isOfProgram: boolean): unknown;
  /** A native promise that the program is to be told of. */
  seen(promise: object): object;
}

/** Ticks in which Node throws what a listener or a subscriber has thrown, by their text. */
const HANDS_ON = /^\(\) => \{\s*(?:throw err|triggerUncaughtException\(err, false\));?\s*\}$/;
const { toString: textOf } = Function.prototype;

export class Failures {
  readonly #takers: FailureTakers;
  #isOfModule: ((reason: unknown) => boolean) | undefined;
  /** What a listener of `process` has thrown: Node calls those itself. */
  #ofListener: { readonly error: unknown } | undefined;
  /** Of a rejection, the last one: Node may tell of it twice. */
  #told: { readonly reason: unknown; readonly seen: unknown } | undefined;

  constructor(takers: FailureTakers) {
    this.#takers = takers;
  }

  /** `isOfModule`: whether a module of the program has failed with a reason. */
  recogniseModules(isOfModule: (reason: unknown) => boolean): void {
    if (this.#isOfModule !== undefined) throw new Error('failures of modules are recognised already');
    this.#isOfModule = isOfModule;
  }

  /** True for every reason until `recogniseModules` is called. */
  #failsModule(reason: unknown): boolean {
    return this.#isOfModule === undefined || this.#isOfModule(reason);
  }

  noteListener(error: unknown): void {
    this.#ofListener = { error };
  }

  /** What its listeners are told. */
  toldOf(error: unknown, origin: Origin): unknown {
    if (origin === 'unhandledRejection') {
      if (this.#told !== undefined && this.#told.reason === error) return this.#told.seen;
      return this.#reject(error, standingIn.isUntold(error) || this.#failsModule(error) || isMadeOfReason(error));
    }
    return this.#takers.uncaught(error, this.#throwerOf(error));
  }

  /** What listeners of rejections are told. */
  rejected(reason: unknown, promise: object): [reason: unknown, promise: object] {
    if (standingIn.isEventual(promise)) {
      this.#told = { reason, seen: reason };
      return [reason, promise];
    }
    const told = this.#told;
    const isTold = told !== undefined && told.reason === reason;
    const seen = isTold ? told.seen : this.#reject(reason, this.#failsModule(reason));
    return [seen, this.#takers.seen(promise)];
  }

  #reject(reason: unknown, isOfProgram: boolean): unknown {
    const seen = this.#takers.rejected(reason, isOfProgram);
    this.#told = { reason, seen };
    return seen;
  }

  #throwerOf(error: unknown): Thrower {
    if (this.#ofListener?.error === error || standingIn.hasMainFailed) return 'program';
    if (standingIn.isInJobs) {
      standingIn.isInJobs = false;
      return 'program';
    }
    const resource = executionAsyncResource();
    if (OwnTimer.numberOf(resource) !== undefined) return 'program';
    const { callback } = resource as { callback?: unknown };
    if (standingIn.isAnchor(callback)) return 'program';
    return typeof callback === 'function' && HANDS_ON.test(Reflect.apply(textOf, callback, [])) ? 'unsure' : 'outside';
  }
}

/** Node's own error, in the place of a reason that is none. */
function isMadeOfReason(error: unknown): boolean {
  return (error as { code?: unknown } | null | undefined)?.code === 'ERR_UNHANDLED_REJECTION';
}
