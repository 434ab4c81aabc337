// What waits and what runs, all of it data: frames of suspendable functions and the two kinds of reaction on an eventual.
// A frame waiting in `await` *is* the reaction. `kind` is the job kind a waiting thing becomes when it is settled
// (+1 when rejected), so that the queue needs no look at classes.

export type StepFunction = (frame: Frame, value: unknown, how: number) => unknown;

/** How a value is sent into a step. */
export const NORMAL = 0;
export const THROW = 1;
export const RETURN = 2;

/** Job kinds; an odd number is the rejected side of the even one before it. */
export const ASYNC_FRAME = 0;
export const ASYNC_GENERATOR_FRAME = 2;
export const REACTION = 4;
export const CONTINUATION = 6;
export const ADOPT = 8;
export const THENABLE = 10;
export const MICROTASK = 12;

/** `pc` of a frame that has finished. */
export const FINISHED = -1;

export class Frame {
  step: StepFunction;
  pc = 0;
  /** What the frame answers to: the eventual of an async function, the state of a (async) generator. */
  result: unknown = undefined;
  kind = ASYNC_FRAME;
  /** AsyncLocalStorage context at the last suspension. */
  context: unknown = undefined;
  /** The actor the frame belongs to. */
  home = 0;
  s0: unknown = undefined;
  s1: unknown = undefined;
  s2: unknown = undefined;
  s3: unknown = undefined;
  s4: unknown = undefined;
  s5: unknown = undefined;
  s6: unknown = undefined;
  s7: unknown = undefined;
  more: unknown[] | undefined;
  constructor(step: StepFunction, count?: number) {
    this.step = step;
    this.more = count === undefined || count === 0 ? undefined : slots(count);
  }
}

function slots(count: number): unknown[] {
  const more: unknown[] = [];
  for (let i = 0; i < count; i++) more[i] = undefined;
  return more;
}

export interface Capability {
  promise: unknown;
  resolve: (value?: unknown) => unknown;
  reject: (reason?: unknown) => unknown;
}

/** A `then` of the program: handlers that are functions of the program, and what their outcome settles. */
export class Reaction {
  kind = REACTION;
  /** An eventual of core's own, or the capability of a subclass, or nothing. */
  derived: object | undefined;
  capability: Capability | undefined;
  onFulfilled: unknown;
  onRejected: unknown;
  context: unknown;
  home: number;
  constructor(derived: object | undefined, capability: Capability | undefined, onFulfilled: unknown, onRejected: unknown, context: unknown, home: number) {
    this.derived = derived;
    this.capability = capability;
    this.onFulfilled = onFulfilled;
    this.onRejected = onRejected;
    this.context = context;
    this.home = home;
  }
}

/** What a continuation does once settled; `target` and `detail` mean what the tag says. */
export const ADOPT_INTO = 1; // target: the eventual that takes over the outcome
export const UNWRAP_RESULT = 2; // async-from-sync: target the eventual of the result; detail {done, iterator}
export const AWAIT_RETURN = 3; // async generator: target its state

/** A reaction of core's own: no program function, so nothing but data. */
export class Continuation {
  kind = CONTINUATION;
  tag: number;
  target: object;
  detail: unknown;
  context: unknown;
  home: number;
  constructor(tag: number, target: object, detail: unknown, context: unknown, home: number) {
    this.tag = tag;
    this.target = target;
    this.detail = detail;
    this.context = context;
    this.home = home;
  }
}

export type Waiting = Frame | Reaction | Continuation;

/** A thenable to be called in a job of its own. */
export class ThenableJob {
  eventual: object;
  then: (...args: never[]) => unknown;
  context: unknown;
  home: number;
  constructor(eventual: object, then: (...args: never[]) => unknown, context: unknown, home: number) {
    this.eventual = eventual;
    this.then = then;
    this.context = context;
    this.home = home;
  }
}

/** A callback of `queueMicrotask` or `nextTick`. */
export class CallbackJob {
  callback: (...args: never[]) => unknown;
  args: unknown[];
  context: unknown;
  home: number;
  constructor(callback: (...args: never[]) => unknown, args: unknown[], context: unknown, home: number) {
    this.callback = callback;
    this.args = args;
    this.context = context;
    this.home = home;
  }
}
