// The abstract operations of ECMA-262 §27.2 on eventuals: settle, resolve, register, await.
// Hot path: guarded by bench/prototype and the async rows of bench/awfy.

import { rememberNativeRejection } from './async-parents.ts';
import { Eventual, FULFILLED, PENDING, REJECTED } from './eventual.ts';
import { ADOPT, ADOPT_INTO, Continuation, FORWARD, NORMAL, THENABLE, THROW, ThenableJob } from './frame.ts';
import {
  NativePromise,
  NativeTypeError,
  NativeWeakMap,
  apply,
  isArray,
  nativeThen,
  receiverFirst,
} from './intrinsics.ts';
import { brands, formatValue } from './value-format.ts';
import type { Frame, HomeActor, PendingReaction } from './frame.ts';
import type { Jobs, CurrentExecution } from './jobs.ts';
import type { Rejections } from './rejections.ts';

/** Parts of the realm's `Promise` that the operations need. `constructor` is that of unpatched eventuals. */
export interface PromiseIntrinsics {
  constructor: unknown;
  /** SpeciesConstructor(object, %Promise%). Reads properties that the program may have redefined, so it may throw. */
  speciesOf(object: object): unknown;
  /** PerformPromiseThen after the species is known: makes the derived promise, and registers the handlers. */
  performThen(eventual: Eventual, species: unknown, onFulfilled: unknown, onRejected: unknown): unknown;
  then: unknown;
}

const NativeWeakRef = WeakRef;
const deref = receiverFirst(WeakRef.prototype.deref) as (ref: WeakRef<Eventual>) => Eventual | undefined;
/** Minimum number of tracked references before collected ones are removed. */
const MIN_SWEEP_SIZE = 64;

/** Settles an eventual with a final state. */
export type SettleEventual = (state: number, value: unknown) => void;

export interface Eventuals {
  create(): Eventual;
  settle(eventual: Eventual, state: number, value: unknown): void;
  /** Promise resolve function of ECMA-262. A thenable is adopted in a job. */
  resolve(eventual: Eventual, value: unknown): void;
  /** Resolves an eventual with a new iterator result. */
  resolveWithResult(eventual: Eventual, value: unknown, done: boolean): void;
  reject(eventual: Eventual, reason: unknown): void;
  /** PerformPromiseThen: `reaction` becomes a job when `eventual` is settled. */
  register(eventual: Eventual, reaction: PendingReaction): void;
  /** PromiseResolve(%Promise%, value). */
  toEventual(value: unknown): Eventual;
  /** Suspends `frame` at `point` until `value` is settled. A step must return right after this call. */
  await(frame: Frame, point: number, value: unknown): void;
  adopt(continuation: Continuation, inner: Eventual): void;
  callThen(job: ThenableJob, thenable: object): void;
  continuation(tag: number, target: object, detail: unknown): Continuation;
  /** Passes the outcome to a receiver outside of the realm (`onForward`), which `target` identifies. */
  forward(eventual: Eventual, target: object): void;
  /** Native promise that will settle an eventual; undefined if there is none. */
  nativeSourceOf(eventual: Eventual): Promise<unknown> | undefined;
  /** Starts tracking eventuals that native promises settle. They are held weakly, because the program may drop them. */
  trackNativeSources(): void;
  /** Tracks an eventual that a host object other than a native promise settles, until it is settled. */
  track(eventual: Eventual): void;
  /** Tracked eventuals that are alive. */
  trackedEventuals(): Eventual[];
  /** Wraps the function that settles an eventual, for each native promise adopted from now on. */
  wrapNativeSettle(wrap: (settle: SettleEventual) => SettleEventual): void;
  /** Home of the code that adopted an eventual's native promise; undefined without a native promise. */
  homeOf(eventual: Eventual): HomeActor | undefined;
}

export function createEventuals(
  jobs: Jobs,
  current: CurrentExecution,
  rejections: Rejections,
  intrinsics: PromiseIntrinsics,
  create: () => Eventual,
  createResolvers: (eventual: Eventual) => [(value?: unknown) => void, (reason?: unknown) => void],
): Eventuals {
  const { enqueue } = jobs;

  function settle(eventual: Eventual, state: number, value: unknown): void {
    const reactions = Eventual.settle(eventual, state, value);
    if (reactions === undefined) {
      if (state === REJECTED && !Eventual.isHandled(eventual)) rejections.addRejected(eventual);
      return;
    }
    const rejectedBit = state - FULFILLED;
    if (isArray(reactions)) {
      for (let i = 0; i < reactions.length; i++)
        enqueue(reactions[i], (reactions[i] as PendingReaction).kind + rejectedBit, value);
    } else {
      enqueue(reactions, reactions.kind + rejectedBit, value);
    }
  }

  function reject(eventual: Eventual, reason: unknown): void {
    settle(eventual, REJECTED, reason);
  }

  function resolve(eventual: Eventual, value: unknown): void {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
      return settle(eventual, FULFILLED, value);
    resolveWithObject(eventual, value);
  }

  function resolveWithObject(eventual: Eventual, value: object): void {
    if (value === eventual) {
      const error = new NativeTypeError(`Chaining cycle detected for promise ${formatValue(value)}`);
      return settle(eventual, REJECTED, error);
    }
    let then: unknown;
    try {
      then = (value as { then?: unknown }).then;
    } catch (error) {
      return settle(eventual, REJECTED, error);
    }
    resolveWithThen(eventual, value, then);
  }

  function resolveWithThen(eventual: Eventual, value: object, then: unknown): void {
    if (typeof then !== 'function') return settle(eventual, FULFILLED, value);
    if (then === intrinsics.then && Eventual.is(value)) return enqueueAdoption(eventual, value);
    enqueue(new ThenableJob(eventual, then as () => unknown, current.context), THENABLE, value);
  }

  function resolveWithResult(eventual: Eventual, value: unknown, done: boolean): void {
    const result: { value: unknown; done: boolean; then?: unknown } = { value, done };
    let then: unknown;
    try {
      // A second property access at its own place in the code: V8 sees one shape here, and none of the program's.
      then = result.then;
    } catch (error) {
      return settle(eventual, REJECTED, error);
    }
    if (then === undefined) settle(eventual, FULFILLED, result);
    else resolveWithThen(eventual, result, then);
  }

  function register(eventual: Eventual, reaction: PendingReaction): void {
    const state = Eventual.addReaction(eventual, reaction);
    if (state === PENDING) return;
    if (state === REJECTED && !Eventual.isHandled(eventual)) {
      rejections.addHandled(eventual);
      Eventual.markHandled(eventual);
    }
    enqueue(reaction, reaction.kind + state - FULFILLED, Eventual.value(eventual));
  }

  function toEventual(value: unknown): Eventual {
    if (Eventual.is(value) && value.constructor === intrinsics.constructor) return value;
    const eventual = create();
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      settle(eventual, FULFILLED, value);
      return eventual;
    }
    let then: unknown;
    try {
      then = (value as { then?: unknown }).then;
    } catch (error) {
      settle(eventual, REJECTED, error);
      return eventual;
    }
    if (then === nativeThen && isNativePromise(value)) adoptNativePromise(value, eventual);
    else resolveWithThen(eventual, value, then);
    return eventual;
  }

  function awaitValue(frame: Frame, point: number, value: unknown): void {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      frame.pc = point;
      frame.context = current.context;
      return enqueue(frame, frame.kind, value);
    }
    if (Eventual.is(value) && value.constructor === intrinsics.constructor) {
      frame.pc = point;
      frame.context = current.context;
      if (Eventual.state(value) === FULFILLED) return enqueue(frame, frame.kind, Eventual.value(value));
      return register(value, frame);
    }
    awaitObject(frame, point, value);
  }

  function awaitObject(frame: Frame, point: number, value: object): void {
    // Only a value that may settle later needs an eventual. A plain object becomes a job at once, like a primitive.
    let then: unknown;
    let eventual: Eventual | undefined;
    let how = NORMAL;
    let sentValue: unknown = value;
    try {
      // As natively, `await` ignores a `then` of the promise's own.
      if (isNativePromise(value)) adoptNativePromise(value, (eventual = create()));
      else then = (value as { then?: unknown }).then;
    } catch (error) {
      how = THROW;
      sentValue = error;
    }
    if (typeof then === 'function') {
      eventual = create();
      if (then === intrinsics.then && Eventual.is(value)) enqueueAdoption(eventual, value);
      else enqueue(new ThenableJob(eventual, then as () => unknown, current.context), THENABLE, value);
    }
    frame.pc = point;
    frame.context = current.context;
    if (eventual === undefined) enqueue(frame, frame.kind + how, sentValue);
    else register(eventual, frame);
  }

  /** Whether a value is a native promise with an unpatched `constructor`, which is adopted without a job for `then`. */
  function isNativePromise(value: object): value is Promise<unknown> {
    return brands.isNativePromise(value) && value.constructor === NativePromise;
  }

  let wrapSettle: ((settle: SettleEventual) => SettleEventual) | undefined;

  const sources = new NativeWeakMap<Eventual, Promise<unknown>>();
  const getSource = receiverFirst(sources.get);
  const setSource = receiverFirst(sources.set);
  const removeSource = receiverFirst(sources.delete);

  const homes = new NativeWeakMap<Eventual, HomeActor>();
  const getHome = receiverFirst(homes.get);
  const setHome = receiverFirst(homes.set);
  let trackedRefs: WeakRef<Eventual>[] | undefined;
  let sweepSize = MIN_SWEEP_SIZE;

  function addWeakRef(refs: WeakRef<Eventual>[], eventual: Eventual): void {
    if (refs.length >= sweepSize) {
      const alive = trackedEventuals();
      refs = trackedRefs = [];
      for (let i = 0; i < alive.length; i++) refs[i] = new NativeWeakRef(alive[i] as Eventual);
      sweepSize = MIN_SWEEP_SIZE + 2 * alive.length;
    }
    refs[refs.length] = new NativeWeakRef(eventual);
  }

  function track(eventual: Eventual): void {
    if (trackedRefs === undefined) return;
    addWeakRef(trackedRefs, eventual);
    setHome(homes, eventual, current.context.home);
  }

  function trackedEventuals(): Eventual[] {
    const alive: Eventual[] = [];
    const refs = trackedRefs ?? [];
    for (let i = 0; i < refs.length; i++) {
      const eventual = deref(refs[i] as WeakRef<Eventual>);
      if (eventual === undefined || Eventual.state(eventual) !== PENDING) continue;
      alive[alive.length] = eventual;
    }
    return alive;
  }

  function adoptNativePromise(promise: Promise<unknown>, eventual: Eventual): void {
    setSource(sources, eventual, promise);
    const { home } = current.context;
    track(eventual);
    let settleEventual: SettleEventual = (state, value) => settleFromNative(eventual, state, value, home);
    if (wrapSettle !== undefined) settleEventual = wrapSettle(settleEventual);
    apply(nativeThen, promise, [
      (value: unknown) => settleEventual(FULFILLED, value),
      (reason: unknown) => settleEventual(REJECTED, reason),
    ]);
  }

  /** Settles an eventual from native code. It queues jobs, and runs none. */
  function settleFromNative(eventual: Eventual, state: number, value: unknown, home: HomeActor): void {
    jobs.enterFromNative(home);
    removeSource(sources, eventual);
    if (state === REJECTED) rememberNativeRejection(value, eventual);
    settle(eventual, state, value);
  }

  /** Queues the adoption with the current context, which is no longer known when the job runs. */
  function enqueueAdoption(eventual: Eventual, inner: Eventual): void {
    enqueue(continuation(ADOPT_INTO, eventual, undefined), ADOPT, inner);
  }

  function adopt(continuation: Continuation, inner: Eventual): void {
    const target = continuation.target as Eventual;
    // Has the effect of `inner.then(resolve, reject)`, without functions and a derived promise.
    try {
      const species = intrinsics.speciesOf(inner);
      if (species === intrinsics.constructor) return register(inner, continuation);
      const functions = createResolvers(target);
      try {
        intrinsics.performThen(inner, species, functions[0], functions[1]);
      } catch (error) {
        functions[1](error);
      }
    } catch (error) {
      reject(target, error);
    }
  }

  function callThen(job: ThenableJob, thenable: object): void {
    const functions = createResolvers(job.eventual as Eventual);
    try {
      apply(job.then, thenable, functions as unknown as never[]);
    } catch (error) {
      functions[1](error);
    }
  }

  function continuation(tag: number, target: object, detail: unknown): Continuation {
    return new Continuation(tag, target, detail, current.context);
  }

  function forward(eventual: Eventual, target: object): void {
    register(eventual, continuation(FORWARD, target, undefined));
  }

  return {
    create,
    forward,
    settle,
    resolve,
    resolveWithResult,
    reject,
    register,
    toEventual,
    await: awaitValue,
    adopt,
    callThen,
    continuation,
    trackedEventuals,
    track,
    wrapNativeSettle(wrap) {
      wrapSettle = wrap;
    },
    homeOf: (eventual) => getHome(homes, eventual) as HomeActor | undefined,
    trackNativeSources() {
      trackedRefs ??= [];
    },
    nativeSourceOf: (eventual) => getSource(sources, eventual) as Promise<unknown> | undefined,
  };
}
