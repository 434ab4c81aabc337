// Core's own functions that a program can hold: resolving functions, executors of capabilities, thunks of `finally`,
// element functions of combinators. Each has the probe's prologue with `CORE` as its module. Capture writes (ordinal,
// captures), and restore calls `makers[ordinal](...captures)`. The functions must be anonymous: they are returned
// directly, never bound to a name, because their `name` must be ''.

import { CORE, probe } from './probe.ts';
import { NativeTypeError, apply } from './intrinsics.ts';
import { revokeOnce, type Revocable } from './revocable-proxy.ts';
import { journal } from './undo/journal.ts';
import type { Capability } from './frame.ts';
import type { Eventual } from './eventual.ts';

/** State shared by the two resolving functions of an eventual. */
export interface ResolvingState {
  eventual: Eventual;
  done: boolean;
}

/** State shared by the element functions of one `all`, `allSettled` or `any`. */
export interface CombinatorState {
  capability: Capability;
  values: unknown[];
  remaining: number;
  /** Whether the result is an AggregateError of the values, as for `any`; otherwise it is the values. */
  isAny: boolean;
}

/** State of one element. `allSettled` has two functions for an element, and only the first call of either counts. */
export interface CombinatorElement {
  state: CombinatorState;
  index: number;
  done: boolean;
}

/** State of the function with which Node wraps an emitter's listener that is called once. */
export interface OnceListener {
  readonly target: { removeListener(type: PropertyKey, listener: unknown): unknown };
  readonly type: PropertyKey;
  readonly listener: (...args: never[]) => unknown;
  wrapper: unknown;
  fired: boolean;
}

/** Operations of the realm's `Promise` that these closures use. */
export interface PromiseOperations {
  readonly eventuals: {
    resolve(eventual: Eventual, value: unknown): void;
    reject(eventual: Eventual, reason: unknown): void;
  };
  promiseResolve(constructor: unknown, value: unknown): unknown;
  /** Calls `promise.then(…)`, which the program may have replaced. */
  invokeThen(promise: unknown, ...handlers: unknown[]): unknown;
}

export type CoreClosures = ReturnType<typeof createCoreClosures>;

export function createCoreClosures(getOperations: () => PromiseOperations) {
  function resolveOnce(state: ResolvingState, value: unknown): void {
    if (state.done) return;
    if (journal.log !== undefined) journal.log.noteFields(state);
    state.done = true;
    getOperations().eventuals.resolve(state.eventual, value);
  }

  function rejectOnce(state: ResolvingState, reason: unknown): void {
    if (state.done) return;
    if (journal.log !== undefined) journal.log.noteFields(state);
    state.done = true;
    getOperations().eventuals.reject(state.eventual, reason);
  }

  function settleElement(element: CombinatorElement, value: unknown): unknown {
    if (element.done) return undefined;
    const { state: combinatorState } = element;
    if (journal.log !== undefined) {
      journal.log.noteFields(element);
      journal.log.noteFields(combinatorState);
    }
    element.done = true;
    combinatorState.values[element.index] = value;
    return --combinatorState.remaining === 0 ? settleCombinator(combinatorState) : undefined;
  }

  const resolve =
    (state: ResolvingState) =>
    (value?: unknown): void => {
      if (probe.on) return probe.hit(CORE, 0, [state]);
      resolveOnce(state, value);
    };
  const reject =
    (state: ResolvingState) =>
    (reason?: unknown): void => {
      if (probe.on) return probe.hit(CORE, 1, [state]);
      rejectOnce(state, reason);
    };
  const executor =
    (capability: Capability) =>
    (resolveFunction: unknown, rejectFunction: unknown): void => {
      if (probe.on) return probe.hit(CORE, 2, [capability]);
      if (capability.resolve !== undefined || capability.reject !== undefined) {
        throw new NativeTypeError('Promise executor has already been invoked with non-undefined arguments');
      }
      capability.resolve = resolveFunction as Capability['resolve'];
      capability.reject = rejectFunction as Capability['reject'];
    };
  const thenFinally =
    (onFinally: unknown, constructor: unknown) =>
    (value: unknown): unknown => {
      if (probe.on) return probe.hit(CORE, 3, [onFinally, constructor]);
      const result = apply(onFinally as () => unknown, undefined, []);
      return getOperations().invokeThen(getOperations().promiseResolve(constructor, result), valueThunk(value));
    };
  const catchFinally =
    (onFinally: unknown, constructor: unknown) =>
    (reason: unknown): unknown => {
      if (probe.on) return probe.hit(CORE, 4, [onFinally, constructor]);
      const result = apply(onFinally as () => unknown, undefined, []);
      return getOperations().invokeThen(getOperations().promiseResolve(constructor, result), thrower(reason));
    };
  const valueThunk = (value: unknown) => (): unknown => {
    if (probe.on) return probe.hit(CORE, 5, [value]);
    return value;
  };
  const thrower = (reason: unknown) => (): unknown => {
    if (probe.on) return probe.hit(CORE, 6, [reason]);
    throw reason;
  };
  const element =
    (element: CombinatorElement) =>
    (value: unknown): unknown => {
      if (probe.on) return probe.hit(CORE, 7, [element]);
      return settleElement(element, value);
    };
  const fulfilledElement =
    (element: CombinatorElement) =>
    (value: unknown): unknown => {
      if (probe.on) return probe.hit(CORE, 8, [element]);
      return settleElement(element, { status: 'fulfilled', value });
    };
  const rejectedElement =
    (element: CombinatorElement) =>
    (reason: unknown): unknown => {
      if (probe.on) return probe.hit(CORE, 9, [element]);
      return settleElement(element, { status: 'rejected', reason });
    };

  const onceListener = (state: OnceListener) =>
    function wrapper(): unknown {
      if (probe.on) return probe.hit(CORE, 10, [state]);
      if (state.fired) return undefined;
      if (journal.log !== undefined) journal.log.noteFields(state);
      state.fired = true;
      state.target.removeListener(state.type, state.wrapper);
      return apply(state.listener, state.target, arguments as unknown as never[]);
    };

  const revoker = (state: Revocable) => (): void => {
    if (probe.on) return probe.hit(CORE, 11, [state]);
    revokeOnce(state);
  };

  const makers = [
    resolve,
    reject,
    executor,
    thenFinally,
    catchFinally,
    valueThunk,
    thrower,
    element,
    fulfilledElement,
    rejectedElement,
    onceListener,
    revoker,
  ] as ((...captures: never[]) => (...args: never[]) => unknown)[];

  return {
    resolve,
    reject,
    executor,
    thenFinally,
    catchFinally,
    element,
    fulfilledElement,
    rejectedElement,
    rejectOnce,
    onceListener,
    revoker,
    makers,
  };
}

/** Settles the promise of a combinator after its last element. */
export function settleCombinator(combinatorState: CombinatorState): unknown {
  const { values } = combinatorState;
  const { resolve, reject } = combinatorState.capability;
  if (!combinatorState.isAny) return resolve(values);
  const error = new AggregateError([], 'All promises were rejected');
  Object.defineProperty(error, 'errors', { value: values, writable: true, enumerable: false, configurable: true });
  return reject(error);
}
