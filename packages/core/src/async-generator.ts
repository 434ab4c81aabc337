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
import { NativeTypeError, asyncIteratorPrototype, create, defineProperty, isObject } from './intrinsics.ts';
import { show } from './show.ts';
import { rememberParents } from './awaiting.ts';
import { journal } from './undo/journal.ts';
import type { Eventual } from './eventual.ts';
import type { Eventuals } from './eventuals.ts';
import type { Jobs, Now } from './jobs.ts';

export interface AsyncGenerators {
  /** %AsyncGeneratorPrototype% */
  prototype: object;
  asyncGenerator(frame: Frame, prototype: unknown): object;
  asyncGeneratorPrototype(): object;
  /** Suspends at a yield; `value` has been awaited. */
  yieldAsync(frame: Frame, k: number, value: unknown): void;
  /** Sends a settlement into a frame waiting in `await`; called by the job queue only. */
  resume(frame: Frame, value: unknown, how: number): void;
  /** The value of a `return` request to a generator that is not at a yield has settled. */
  returned(state: AsyncGeneratorState, value: unknown, rejected: number): void;
}

export function createAsyncGenerators(eventuals: Eventuals, jobs: Jobs, now: Now): AsyncGenerators {
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
      return request(state, NORMAL, value);
    },
    return(this: unknown, value: unknown): Eventual {
      const state = AsyncGeneratorObject.state(this);
      if (state === undefined) return incompatible('return', this);
      return request(state, RETURN, value);
    },
    throw(this: unknown, error: unknown): Eventual {
      const state = AsyncGeneratorObject.state(this);
      if (state === undefined) return incompatible('throw', this);
      if (journal.log !== undefined) journal.log.frame(state.frame);
      if (state.status === SUSPENDED_START) finish(state);
      if (state.status === COMPLETED) {
        const eventual = eventuals.create();
        eventuals.reject(eventual, error);
        return eventual;
      }
      return request(state, THROW, error);
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
        `Method [AsyncGenerator].prototype.${method} called on incompatible receiver ${show(receiver)}`,
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

  function request(state: AsyncGeneratorState, how: number, value: unknown): Eventual {
    if (journal.log !== undefined) journal.log.frame(state.frame);
    const eventual = eventuals.create();
    const { status, queue } = state;
    queue[queue.length] = { how, value, eventual };
    if (status === SUSPENDED_YIELD) resumeWith(state, how, value);
    else if (status === SUSPENDED_START || status === COMPLETED) {
      if (how === RETURN) {
        if (status === SUSPENDED_START) finish(state);
        awaitReturn(state);
      } else {
        resumeWith(state, how, value);
      }
    }
    return eventual;
  }

  /** Resumes at a yield, or starts. A `return` first awaits its value. */
  function resumeWith(state: AsyncGeneratorState, how: number, value: unknown): void {
    state.status = EXECUTING;
    if (how !== RETURN) return drive(state, value, how);
    const { frame } = state;
    let eventual: Eventual;
    try {
      eventual = eventuals.eventualOf(value);
    } catch (error) {
      return drive(state, error, THROW);
    }
    state.returning = true;
    frame.context = now.context;
    eventuals.register(eventual, frame);
  }

  function resume(frame: Frame, value: unknown, how: number): void {
    if (now.context !== frame.context) now.context = frame.context;
    if (journal.log !== undefined) journal.log.frame(frame);
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
        completion = step(frame, value, how);
      } catch (error) {
        frame.pc = FINISHED;
        rememberParents(error, jobs.running(), value);
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
    frame.pc = k;
    state.yielded = true;
    answer(state, NORMAL, value, false);
  }

  function complete(state: AsyncGeneratorState, how: number, value: unknown): void {
    state.status = DRAINING;
    answer(state, how, value, true);
    drain(state);
  }

  /** Answers the oldest request. */
  function answer(state: AsyncGeneratorState, how: number, value: unknown, done: boolean): void {
    const { eventual } = shift(state.queue);
    if (how === THROW) eventuals.reject(eventual, value);
    else eventuals.resolveWithResult(eventual, value, done);
  }

  function drain(state: AsyncGeneratorState): void {
    const { queue } = state;
    while (queue.length > 0) {
      const request = queue[0] as AsyncGeneratorRequest;
      if (request.how === RETURN) return awaitReturn(state);
      answer(state, request.how, request.how === NORMAL ? undefined : request.value, true);
    }
    finish(state);
  }

  function awaitReturn(state: AsyncGeneratorState): void {
    state.status = DRAINING;
    let eventual: Eventual;
    try {
      eventual = eventuals.eventualOf((state.queue[0] as AsyncGeneratorRequest).value);
    } catch (error) {
      answer(state, THROW, error, true);
      return drain(state);
    }
    eventuals.register(eventual, eventuals.continuation(AWAIT_RETURN, state, undefined));
  }

  function returned(state: AsyncGeneratorState, value: unknown, rejected: number): void {
    if (journal.log !== undefined) journal.log.frame(state.frame);
    answer(state, rejected === 1 ? THROW : NORMAL, value, true);
    drain(state);
  }

  function finish(state: AsyncGeneratorState): void {
    state.status = COMPLETED;
    state.frame.pc = FINISHED;
  }

  return { prototype, asyncGenerator, asyncGeneratorPrototype, yieldAsync, resume, returned };
}

function shift(queue: AsyncGeneratorRequest[]): AsyncGeneratorRequest {
  const first = queue[0] as AsyncGeneratorRequest;
  for (let i = 1; i < queue.length; i++) queue[i - 1] = queue[i] as AsyncGeneratorRequest;
  queue.length--;
  return first;
}
