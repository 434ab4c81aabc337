// What a membrane needs of its thread.
import type { ContextData, EngineView, Tape } from '@turntable/core';
import type { CallerClassifier } from './caller-classifier.ts';
import type { StandardOutput } from './standard-output.ts';
import type { Statics } from './static-objects.ts';

export interface MembraneDeps {
  readonly tape: Tape;
  readonly statics: Statics;
  readonly engine: Pick<EngineView, 'weakKeys'>;
  createPromise(): PromiseSettler;
  /** Returns the settler of a promise that a state has restored. */
  settlerOf(promise: object): PromiseSettler;
  /** The asynchronous context of the running code; undefined while nothing tracks contexts. */
  currentContext(): object | undefined;
  runInContext(context: object, run: () => void): void;
  /** The home (an actor, or the thread itself) of the running code. */
  currentHome(): object;
  homeOf(context: object): object | undefined;
  contextData(context: object): ContextData;
  /** Whether Node will report unhandled rejections at the end of its current tick. Handlers must be attached before. */
  hasPendingRejections(): boolean;
  /** Whether the running code was called from Node's microtask queue. */
  isInMicrotask(): boolean;
  /** Whether code of a host-side package calls the program. Such code may keep the data that it passes. */
  readonly isPackageCalling: CallerClassifier['isPackageCalling'];
  /** Returns the file of a package that exports a function, or a class with it as a method, and its name there. */
  packageExportOf(hostFunction: object): { readonly file: string; readonly name: string } | undefined;
  readonly output: StandardOutput;
  reportUnreplayable(use: string): void;
}

export interface PromiseSettler {
  readonly promise: object;
  settle(isFulfilled: boolean, value: unknown): void;
  /**
   * Reports the rejection of the native promise. Must precede any read of the reason's `stack`, which lists awaiters.
   */
  noteRejection(reason: unknown): void;
}
