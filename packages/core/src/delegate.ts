// The state of a `yield*`, and its helper (ECMA-262 §15.5.5). `delegate` performs one exchange with the inner iterator,
// then suspends the frame or finishes. Each phase is data in the delegate, so a frame can always be captured.

import { GeneratorState, generatorNext } from './generator.ts';
import { NORMAL, RETURN, THROW, type Frame } from './frame.ts';
import { NativeTypeError, apply } from './intrinsics.ts';
import { notIterableError } from './value-format.ts';
import { iterator } from './iterator.ts';
import { requireCallable, notCallableError, requireResult } from './iterator-protocol.ts';
import type { AsyncGenerators } from './async-generator.ts';
import type { IteratorRecord } from './async-iterator.ts';
import type { Eventuals } from './eventuals.ts';

export class Delegate {
  readonly source: object;
  readonly method: unknown;
  /** Whether the inner iterator is one of core's generators with an unpatched `next`. */
  readonly direct: boolean;
  /** Result of the `yield*`, once it has ended. */
  value: unknown = undefined;
  returning = false;

  constructor(iterable: unknown) {
    const source = iterator(iterable, notIterableError);
    this.source = source;
    this.method = source.next;
    this.direct = this.method === generatorNext && GeneratorState.is(source);
  }
}

/** Phases of an async delegate, each named after the value that it waits for. */
const YIELDED = 0; // a request of the consumer (or the first exchange)
const AWAITING_RESULT = 1; // the result of the inner `next` or `throw`
const AWAITING_RETURN_RESULT = 2; // the result of the inner `return`
const AWAITING_RETURN_VALUE = 3; // the value of a return, if the inner iterator has no `return`
const AWAITING_CLOSE = 4; // the closing of the inner iterator, which has no `throw`

export class AsyncDelegate {
  /** Iterator, which the first exchange opens. */
  record: IteratorRecord | undefined = undefined;
  iterable: unknown;
  phase = YIELDED;
  value: unknown = undefined;
  returning = false;

  constructor(iterable: unknown) {
    this.iterable = iterable;
  }
}

export function createDelegates(
  eventuals: Eventuals,
  asyncGenerators: AsyncGenerators,
  asyncIterator: (value: unknown, refused: (value: unknown) => TypeError) => IteratorRecord,
) {
  function delegate(frame: Frame, k: number, state: Delegate | AsyncDelegate, value: unknown, how: number): unknown {
    return state instanceof Delegate
      ? exchange(frame, k, state, value, how)
      : exchangeAsync(frame, k, state, value, how);
  }

  function exchangeAsync(frame: Frame, k: number, state: AsyncDelegate, value: unknown, how: number): unknown {
    const record = (state.record ??= asyncIterator(state.iterable, notDelegableError));
    switch (state.phase) {
      case YIELDED:
        return sendRequest(frame, k, state, record, value, how);
      case AWAITING_CLOSE:
        if (how === THROW) throw value;
        requireResult(value);
        throw missingThrowError();
      case AWAITING_RETURN_VALUE:
        if (how === THROW) throw value;
        return finish(state, value, true);
    }
    const returning = state.phase === AWAITING_RETURN_RESULT;
    state.phase = YIELDED;
    if (how === THROW) throw value;
    const result = requireResult(value);
    if (result.done) return finish(state, result.value, returning);
    return asyncGenerators.yieldAsync(frame, k, result.value);
  }

  function sendRequest(
    frame: Frame,
    k: number,
    state: AsyncDelegate,
    record: IteratorRecord,
    value: unknown,
    how: number,
  ): unknown {
    const { iterator: inner } = record;
    if (how === NORMAL)
      return awaitInPhase(
        frame,
        k,
        state,
        AWAITING_RESULT,
        apply(requireCallable(record.next), inner, [value] as never[]),
      );
    const method: unknown =
      how === THROW ? (inner as AsyncIterator<unknown>).throw : (inner as AsyncIterator<unknown>).return;
    if (method !== undefined && method !== null) {
      return awaitInPhase(
        frame,
        k,
        state,
        how === THROW ? AWAITING_RESULT : AWAITING_RETURN_RESULT,
        apply(requireCallable(method), inner, [value] as never[]),
      );
    }
    if (how === RETURN) return awaitInPhase(frame, k, state, AWAITING_RETURN_VALUE, value);
    const close: unknown = (inner as AsyncIterator<unknown>).return;
    if (close === undefined || close === null) throw missingThrowError();
    return awaitInPhase(frame, k, state, AWAITING_CLOSE, apply(requireCallable(close), inner, []));
  }

  function awaitInPhase(frame: Frame, k: number, state: AsyncDelegate, phase: number, value: unknown): void {
    eventuals.await(frame, k, value);
    state.phase = phase;
  }

  return { delegate };
}

function exchange(frame: Frame, k: number, state: Delegate, value: unknown, how: number): unknown {
  const { source } = state;
  let result: unknown;
  if (how === NORMAL)
    result = state.direct
      ? GeneratorState.next(source as GeneratorState, value)
      : apply(requireCallable(state.method), source, [value] as never[]);
  else {
    const method: unknown = how === THROW ? (source as Iterator<unknown>).throw : (source as Iterator<unknown>).return;
    if (method !== undefined && method !== null) result = apply(requireCallable(method), source, [value] as never[]);
    else if (how === RETURN) return finish(state, value, true);
    else {
      closeIterator(source);
      throw missingThrowError();
    }
  }
  const { done } = requireResult(result);
  if (done) return finish(state, (result as IteratorResult<unknown>).value, how === RETURN);
  frame.pc = k;
  return result;
}

function finish(state: Delegate | AsyncDelegate, value: unknown, returning: boolean): undefined {
  state.value = value;
  state.returning = returning;
  return undefined;
}

function closeIterator(source: object): void {
  const method: unknown = (source as Iterator<unknown>).return;
  if (method === undefined || method === null) return;
  requireResult(apply(requireCallable(method), source, []));
}

/** Error for a value that an async `yield*` cannot iterate. It names what the value has as `Symbol.iterator`. */
function notDelegableError(value: unknown): TypeError {
  return notCallableError((value as Iterable<unknown>)[Symbol.iterator]);
}

function missingThrowError(): TypeError {
  return new NativeTypeError("The iterator does not provide a 'throw' method.");
}
