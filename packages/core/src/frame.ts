// What waits and what runs, all of it data: frames of suspendable functions and the two kinds of reaction on an eventual.
// A frame waiting in `await` *is* the reaction. `kind` is the job kind a waiting thing becomes when it is settled
// (+1 when rejected), so that the queue needs no look at classes.

export type StepFunction = (frame: Frame, value: unknown, how: number) => unknown;

/** An actor, as far as core is concerned: what is made in its turns belongs to it, and keeps it. */
export interface HomeActor {
  readonly id: number;
  /** The host's context in which its code runs and nothing is stored, once there is one. Of the host alone. */
  ownContext: object | undefined;
}

/** On whose behalf something runs. Immutable and shared: entering another actor or another store makes a new one. */
export interface Context {
  readonly home: HomeActor;
  /** AsyncLocalStorage context. */
  readonly store: unknown;
  /** What whoever runs this turn notes of the message that began it. */
  readonly trail: object | undefined;
}

/** The main program, which is there before any actor. */
export const ROOT_HOME: HomeActor = { id: 0, ownContext: undefined };
export const ROOT_CONTEXT: Context = { home: ROOT_HOME, store: undefined, trail: undefined };

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
  /** Whose turn it was, and its AsyncLocalStorage context, at the last suspension. */
  context: Context = ROOT_CONTEXT;
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
    this.more = count === undefined || count === 0 ? undefined : emptySlots(count);
  }
}

function emptySlots(count: number): unknown[] {
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
  /** What the outcome of the handler settles: an eventual of core's own, or the capability of a subclass. */
  derived: object | Capability;
  onFulfilled: unknown;
  onRejected: unknown;
  context: Context;
  constructor(derived: object | Capability, onFulfilled: unknown, onRejected: unknown, context: Context) {
    this.derived = derived;
    this.onFulfilled = onFulfilled;
    this.onRejected = onRejected;
    this.context = context;
  }
}

/** What a continuation does once settled; `target` and `detail` mean what the tag says. */
export const ADOPT_INTO = 1; // target: the eventual that takes over the outcome
export const UNWRAP_RESULT = 2; // async-from-sync: target the eventual of the result; detail {done, iterator}
export const AWAIT_RETURN = 3; // async generator: target its state
export const DISPOSE = 4; // asynchronous disposal of a stack: target its eventual, detail what is left
export const FORWARD = 5; // the outcome goes to whoever has asked for it from outside of the realm; target says who that is

/** A reaction of core's own: no program function, so nothing but data. */
export class Continuation {
  kind = CONTINUATION;
  tag: number;
  target: object;
  detail: unknown;
  context: Context;
  constructor(tag: number, target: object, detail: unknown, context: Context) {
    this.tag = tag;
    this.target = target;
    this.detail = detail;
    this.context = context;
  }
}

export type PendingReaction = Frame | Reaction | Continuation;

/** A thenable to be called in a job of its own. */
export class ThenableJob {
  eventual: object;
  then: (...args: never[]) => unknown;
  context: Context;
  constructor(eventual: object, then: (...args: never[]) => unknown, context: Context) {
    this.eventual = eventual;
    this.then = then;
    this.context = context;
  }
}

/** A callback of `queueMicrotask` or `nextTick`. */
export class CallbackJob {
  callback: (...args: never[]) => unknown;
  args: unknown[];
  context: Context;
  constructor(callback: (...args: never[]) => unknown, args: unknown[], context: Context) {
    this.callback = callback;
    this.args = args;
    this.context = context;
  }
}
