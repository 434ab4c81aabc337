// Async generators (ECMA-262 §27.6.3): the request queue and the driver, tick for tick as specified.

import {
  AsyncGeneratorObject,
  AsyncGeneratorState,
  COMPLETED,
  DRAINING,
  EXECUTING,
  SUSPENDED_START,
  SUSPENDED_YIELD,
  type AsyncGeneratorRequest,
} from './async-generator-state.ts';
import { AWAIT_RETURN, ASYNC_GENERATOR_FRAME, FINISHED, NORMAL, RETURN, THROW, type Frame } from './frame.ts';
import { observedStep } from './frame-observer.ts';
import { NativeTypeError, asyncIteratorPrototype, create, defineProperty, isObject } from './intrinsics.ts';
import { formatValue } from './value-format.ts';
import { rememberParents } from './async-parents.ts';
import { journal } from './undo/journal.ts';
import type { Eventual } from './eventual.ts';
import type { Eventuals } from './eventuals.ts';
import type { Jobs, CurrentExecution } from './jobs.ts';

export interface AsyncGenerators {
  /** %AsyncGeneratorPrototype% */
  prototype: object;
  asyncGenerator(frame: Frame, prototype: unknown): object;
  asyncGeneratorPrototype(): object;
  /** Suspends the frame at yield `k`. The caller has awaited `value`. */
  yieldAsync(frame: Frame, k: number, value: unknown): void;
  /** Resumes a frame suspended in `await` with the outcome. Only the job queue may call it. */
  resume(frame: Frame, value: unknown, how: number): void;
  /** Completes a `return` request to a generator that is not at a yield, after the request's value has settled. */
  onReturnSettled(state: AsyncGeneratorState, value: unknown, rejected: number): void;
}

export function createAsyncGenerators(eventuals: Eventuals, jobs: Jobs, current: CurrentExecution): AsyncGenerators {
  const prototype = create(asyncIteratorPrototype) as object;

  const methods = {
    next(this: unknown, value: unknown): Eventual {
      const state = AsyncGeneratorObject.state(this);
      if (state === undefined) return incompatible('next', this);
      if (state.status === COMPLETED) {
        const eventual = eventuals.create();
        eventuals.resolveWithResult(eventual, undefined, true);
        return eventual;
      }
      return enqueueRequest(state, NORMAL, value);
    },
    return(this: unknown, value: unknown): Eventual {
      const state = AsyncGeneratorObject.state(this);
      if (state === undefined) return incompatible('return', this);
      return enqueueRequest(state, RETURN, value);
    },
    throw(this: unknown, error: unknown): Eventual {
      const state = AsyncGeneratorObject.state(this);
      if (state === undefined) return incompatible('throw', this);
      if (journal.log !== undefined) journal.log.noteFrame(state.frame);
      if (state.status === SUSPENDED_START) markCompleted(state);
      if (state.status === COMPLETED) {
        const eventual = eventuals.create();
        eventuals.reject(eventual, error);
        return eventual;
      }
      return enqueueRequest(state, THROW, error);
    },
  };
  for (const [name, value] of Object.entries(methods)) {
    defineProperty(prototype, name, { value, writable: true, enumerable: false, configurable: true });
  }
  defineProperty(prototype, Symbol.toStringTag, { value: 'AsyncGenerator', configurable: true });

  function incompatible(method: string, receiver: unknown): Eventual {
    const eventual = eventuals.create();
    eventuals.reject(
      eventual,
      new NativeTypeError(
        `Method [AsyncGenerator].prototype.${method} called on incompatible receiver ${formatValue(receiver)}`,
      ),
    );
    return eventual;
  }

  function asyncGenerator(frame: Frame, proto: unknown): object {
    const state = new AsyncGeneratorState(frame);
    frame.result = state;
    frame.kind = ASYNC_GENERATOR_FRAME;
    return new AsyncGeneratorObject(create(isObject(proto) ? proto : prototype) as object, state);
  }

  function asyncGeneratorPrototype(): object {
    return create(prototype) as object;
  }

  function enqueueRequest(state: AsyncGeneratorState, how: number, value: unknown): Eventual {
    if (journal.log !== undefined) journal.log.noteFrame(state.frame);
    const eventual = eventuals.create();
    const { status, queue } = state;
    queue[queue.length] = { how, value, eventual };
    if (status === SUSPENDED_YIELD) resumeWith(state, how, value);
    else if (status === SUSPENDED_START || status === COMPLETED) {
      if (how === RETURN) {
        if (status === SUSPENDED_START) markCompleted(state);
        awaitReturn(state);
      } else {
        resumeWith(state, how, value);
      }
    }
    return eventual;
  }

  /** Resumes the generator at its yield, or starts it. The value of a `return` is awaited first. */
  function resumeWith(state: AsyncGeneratorState, how: number, value: unknown): void {
    state.status = EXECUTING;
    if (how !== RETURN) return drive(state, value, how);
    const { frame } = state;
    let eventual: Eventual;
    try {
      eventual = eventuals.toEventual(value);
    } catch (error) {
      return drive(state, error, THROW);
    }
    state.returning = true;
    frame.context = current.context;
    eventuals.register(eventual, frame);
  }

  function resume(frame: Frame, value: unknown, how: number): void {
    if (current.context !== frame.context) current.context = frame.context;
    if (journal.log !== undefined) journal.log.noteFrame(frame);
    const state = frame.result as AsyncGeneratorState;
    if (!state.returning) return drive(state, value, how);
    state.returning = false;
    drive(state, value, how === NORMAL ? RETURN : THROW);
  }

  function drive(state: AsyncGeneratorState, value: unknown, how: number): void {
    const { frame } = state;
    const { step } = frame;
    for (;;) {
      let completion: unknown;
      try {
        const { frameObserver } = journal;
        completion =
          frameObserver === undefined ? step(frame, value, how) : observedStep(frameObserver, frame, value, how);
      } catch (error) {
        frame.pc = FINISHED;
        rememberParents(error, jobs.runningTarget(), value);
        return complete(state, THROW, error);
      }
      if (frame.pc <= 0) {
        frame.pc = FINISHED;
        return complete(state, NORMAL, completion);
      }
      if (!state.yielded) return;
      state.yielded = false;
      const request = state.queue[0];
      if (request === undefined) {
        state.status = SUSPENDED_YIELD;
        return;
      }
      if (request.how === RETURN) return resumeWith(state, RETURN, request.value);
      value = request.value;
      how = request.how;
    }
  }

  function yieldAsync(frame: Frame, k: number, value: unknown): void {
    const state = frame.result as AsyncGeneratorState;
    const { frameObserver } = journal;
    if (frameObserver !== undefined) frameObserver.yielding(frame);
    frame.pc = k;
    state.yielded = true;
    answerRequest(state, NORMAL, value, false);
  }

  function complete(state: AsyncGeneratorState, how: number, value: unknown): void {
    state.status = DRAINING;
    answerRequest(state, how, value, true);
    drainRequests(state);
  }

  /** Settles the oldest request, and removes it from the queue. */
  function answerRequest(state: AsyncGeneratorState, how: number, value: unknown, done: boolean): void {
    const { eventual } = shiftRequest(state.queue);
    if (how === THROW) eventuals.reject(eventual, value);
    else eventuals.resolveWithResult(eventual, value, done);
  }

  function drainRequests(state: AsyncGeneratorState): void {
    const { queue } = state;
    while (queue.length > 0) {
      const request = queue[0] as AsyncGeneratorRequest;
      if (request.how === RETURN) return awaitReturn(state);
      answerRequest(state, request.how, request.how === NORMAL ? undefined : request.value, true);
    }
    markCompleted(state);
  }

  function awaitReturn(state: AsyncGeneratorState): void {
    state.status = DRAINING;
    let eventual: Eventual;
    try {
      eventual = eventuals.toEventual((state.queue[0] as AsyncGeneratorRequest).value);
    } catch (error) {
      answerRequest(state, THROW, error, true);
      return drainRequests(state);
    }
    eventuals.register(eventual, eventuals.continuation(AWAIT_RETURN, state, undefined));
  }

  function onReturnSettled(state: AsyncGeneratorState, value: unknown, rejected: number): void {
    if (journal.log !== undefined) journal.log.noteFrame(state.frame);
    answerRequest(state, rejected === 1 ? THROW : NORMAL, value, true);
    drainRequests(state);
  }

  function markCompleted(state: AsyncGeneratorState): void {
    state.status = COMPLETED;
    state.frame.pc = FINISHED;
  }

  return { prototype, asyncGenerator, asyncGeneratorPrototype, yieldAsync, resume, onReturnSettled };
}

function shiftRequest(queue: AsyncGeneratorRequest[]): AsyncGeneratorRequest {
  const first = queue[0] as AsyncGeneratorRequest;
  for (let i = 1; i < queue.length; i++) queue[i - 1] = queue[i] as AsyncGeneratorRequest;
  queue.length--;
  return first;
}
