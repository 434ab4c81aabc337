// Suspended and queued code as data: frames of suspendable functions, and the two kinds of reaction on an eventual. A
// frame suspended in `await` is itself the reaction. `kind` is the job kind of a waiting object once its eventual
// settles (+1 when rejected), so the queue never inspects classes.

export type StepFunction = (frame: Frame, value: unknown, how: number) => unknown;

/** Part of an actor that core knows. Objects made in the actor's turns refer to it, and keep it alive. */
export interface HomeActor {
  readonly id: number;
  /** Asynchronous context of the actor that holds no values. Only the host sets and reads it. */
  ownContext: object | undefined;
}

/** Execution context: actor and store. It is immutable and shared; a change of actor or store makes a new context. */
export interface Context {
  readonly home: HomeActor;
  /** The host's asynchronous context (AsyncLocalStorage). */
  readonly store: unknown;
  /** The scheduler's data about the message that started this turn. */
  readonly trail: object | undefined;
}

/** Home of the main program's code and objects, which exist before any actor. */
export const ROOT_HOME: HomeActor = { id: 0, ownContext: undefined };
export const ROOT_CONTEXT: Context = { home: ROOT_HOME, store: undefined, trail: undefined };

/** Ways in which a step receives a value: as a result, as an exception, or as a `return`. */
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
  /** Eventual of an async function, or state of a generator or async generator. */
  result: unknown = undefined;
  kind = ASYNC_FRAME;
  /** Context at the last suspension, in which the frame resumes. */
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

/** The handlers of a `then`, and the promise that their outcome settles. */
export class Reaction {
  kind = REACTION;
  /** Promise settled by the handler's outcome: an eventual, or the capability of a subclass. */
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

/** Tags of continuations: the effect once the awaited eventual settles. `target` and `detail` depend on the tag. */
export const ADOPT_INTO = 1; // target is the eventual that takes over the outcome
export const UNWRAP_RESULT = 2; // wrapper of `for await`: target is the eventual of the result; detail is {done, close}
export const AWAIT_RETURN = 3; // async generator: target is its state
export const DISPOSE = 4; // asynchronous disposal: target is its eventual, detail the remaining resources
export const FORWARD = 5; // the outcome leaves the realm: target identifies its receiver

/** A reaction of core's own. It has no function of the program, so it is plain data. */
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

/** A job that calls the `then` of a thenable. */
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
