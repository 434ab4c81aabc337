// The abstract operations of ECMA-262 §27.2 on eventuals: settle, resolve, register, await.
// Hot path: guarded by bench/prototype and the async rows of bench/awfy.

import { rememberNative } from './awaiting.ts';
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
import { brands, show } from './show.ts';
import type { Frame, Home, Waiting } from './frame.ts';
import type { Jobs, Now } from './jobs.ts';
import type { Rejections } from './rejections.ts';

/** What the realm's `Promise` is at this level: the constructor object whose identity makes an eventual pristine. */
export interface PromiseIntrinsics {
  constructor: unknown;
  /** SpeciesConstructor(object, %Promise%); reads what the program may have redefined, and may throw. */
  speciesOf(object: object): unknown;
  /** The rest of `then`, once the species is known. */
  performThen(eventual: Eventual, species: unknown, onFulfilled: unknown, onRejected: unknown): unknown;
  then: unknown;
}

const NativeWeakRef = WeakRef;
const deref = receiverFirst(WeakRef.prototype.deref) as (ref: WeakRef<Eventual>) => Eventual | undefined;
/** So many may be dead before they are looked through. */
const FEW = 64;

/** Ends an eventual, with the state it is to have. */
export type Settle = (state: number, value: unknown) => void;

export interface Eventuals {
  create(): Eventual;
  settle(eventual: Eventual, state: number, value: unknown): void;
  /** The promise resolve function: thenables are adopted in a job. */
  resolve(eventual: Eventual, value: unknown): void;
  /** `resolve` with a fresh iterator result. */
  resolveWithResult(eventual: Eventual, value: unknown, done: boolean): void;
  reject(eventual: Eventual, reason: unknown): void;
  /** PerformPromiseThen: `waiting` becomes a job when `eventual` is settled. */
  register(eventual: Eventual, waiting: Waiting): void;
  /** PromiseResolve(%Promise%, value). */
  eventualOf(value: unknown): Eventual;
  /** Suspends `frame` at point `k` until `value` is settled; the last thing a step does. */
  await(frame: Frame, k: number, value: unknown): void;
  adopt(own: Continuation, inner: Eventual): void;
  callThen(job: ThenableJob, thenable: object): void;
  continuation(tag: number, target: object, detail: unknown): Continuation;
  /** The outcome leaves the realm: `target` tells who takes it (`forwardBy`) whose it is. */
  forward(eventual: Eventual, target: object): void;
  /** The native promise that will settle an eventual, if one will. */
  sourceOf(eventual: Eventual): Promise<unknown> | undefined;
  /** From now on, eventuals that native promises will settle are kept in mind, weakly: nothing of the program leads to them. */
  followSources(): void;
  /** The same of one that something else outside will settle, until it does. */
  follow(eventual: Eventual): void;
  /** Those of them that are alive. */
  followed(): Eventual[];
  /** From now on, native promises call what `watch` makes of the function that settles an eventual, for each that begins to wait. */
  settledBy(watch: (settle: Settle) => Settle): void;
  /** Whose code it was that began to wait for the native promise of one of them. */
  homeOf(eventual: Eventual): Home | undefined;
}

export function createEventuals(
  jobs: Jobs,
  now: Now,
  rejections: Rejections,
  intrinsics: PromiseIntrinsics,
  create: () => Eventual,
  resolvers: (eventual: Eventual) => [(value?: unknown) => void, (reason?: unknown) => void],
): Eventuals {
  const { enqueue } = jobs;

  function settle(eventual: Eventual, state: number, value: unknown): void {
    const waiting = Eventual.settle(eventual, state, value);
    if (waiting === undefined) {
      if (state === REJECTED && !Eventual.handled(eventual)) rejections.rejected(eventual);
      return;
    }
    const side = state - FULFILLED;
    if (isArray(waiting)) {
      for (let i = 0; i < waiting.length; i++) enqueue(waiting[i], (waiting[i] as Waiting).kind + side, value);
    } else {
      enqueue(waiting, waiting.kind + side, value);
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
    if (value === eventual)
      return settle(eventual, REJECTED, new NativeTypeError(`Chaining cycle detected for promise ${show(value)}`));
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
    if (then === intrinsics.then && Eventual.has(value)) return enqueueAdoption(eventual, value);
    enqueue(new ThenableJob(eventual, then as () => unknown, now.context), THENABLE, value);
  }

  function resolveWithResult(eventual: Eventual, value: unknown, done: boolean): void {
    const result: { value: unknown; done: boolean; then?: unknown } = { value, done };
    let then: unknown;
    try {
      // A look-up of its own, so that V8 sees one shape here and none of the program's.
      then = result.then;
    } catch (error) {
      return settle(eventual, REJECTED, error);
    }
    if (then === undefined) settle(eventual, FULFILLED, result);
    else resolveWithThen(eventual, result, then);
  }

  function register(eventual: Eventual, waiting: Waiting): void {
    const state = Eventual.wait(eventual, waiting);
    if (state === PENDING) return;
    if (state === REJECTED && !Eventual.handled(eventual)) {
      rejections.handled(eventual);
      Eventual.handle(eventual);
    }
    enqueue(waiting, waiting.kind + state - FULFILLED, Eventual.value(eventual));
  }

  function eventualOf(value: unknown): Eventual {
    if (Eventual.has(value) && value.constructor === intrinsics.constructor) return value;
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
    if (then === nativeThen && isNativePromise(value)) listen(value, eventual);
    else resolveWithThen(eventual, value, then);
    return eventual;
  }

  function awaitValue(frame: Frame, k: number, value: unknown): void {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      frame.pc = k;
      frame.context = now.context;
      return enqueue(frame, frame.kind, value);
    }
    if (Eventual.has(value) && value.constructor === intrinsics.constructor) {
      frame.pc = k;
      frame.context = now.context;
      if (Eventual.state(value) === FULFILLED) return enqueue(frame, frame.kind, Eventual.value(value));
      return register(value, frame);
    }
    awaitObject(frame, k, value);
  }

  function awaitObject(frame: Frame, k: number, value: object): void {
    // An eventual is made only when the value may settle later: a plain object is a job at once, as a primitive is.
    let then: unknown;
    let eventual: Eventual | undefined;
    let how = NORMAL;
    let sent: unknown = value;
    try {
      then = (value as { then?: unknown }).then;
    } catch (error) {
      how = THROW;
      sent = error;
    }
    if (typeof then === 'function') {
      eventual = create();
      if (then === nativeThen && isNativePromise(value)) listen(value, eventual);
      else if (then === intrinsics.then && Eventual.has(value)) enqueueAdoption(eventual, value);
      else enqueue(new ThenableJob(eventual, then as () => unknown, now.context), THENABLE, value);
    }
    frame.pc = k;
    frame.context = now.context;
    if (eventual === undefined) enqueue(frame, frame.kind + how, sent);
    else register(eventual, frame);
  }

  /** A native promise nobody has tampered with: asked at once, so that no job is spent on calling its `then`. */
  function isNativePromise(value: object): value is Promise<unknown> {
    return brands.isNativePromise(value) && value.constructor === NativePromise;
  }

  let watchSettling: ((settle: Settle) => Settle) | undefined;

  const sources = new NativeWeakMap<Eventual, Promise<unknown>>();
  const sourceOf = receiverFirst(sources.get);
  const setSource = receiverFirst(sources.set);
  const removeSource = receiverFirst(sources.delete);

  const homes = new NativeWeakMap<Eventual, Home>();
  const homeOf = receiverFirst(homes.get);
  const setHome = receiverFirst(homes.set);
  let refs: WeakRef<Eventual>[] | undefined;
  let sweepAt = FEW;

  function remember(list: WeakRef<Eventual>[], eventual: Eventual): void {
    if (list.length >= sweepAt) {
      const alive = followed();
      list = refs = [];
      for (let i = 0; i < alive.length; i++) list[i] = new NativeWeakRef(alive[i] as Eventual);
      sweepAt = FEW + 2 * alive.length;
    }
    list[list.length] = new NativeWeakRef(eventual);
  }

  function keep(eventual: Eventual): void {
    if (refs === undefined) return;
    remember(refs, eventual);
    setHome(homes, eventual, now.context.home);
  }

  function followed(): Eventual[] {
    const alive: Eventual[] = [];
    const list = refs ?? [];
    for (let i = 0; i < list.length; i++) {
      const eventual = deref(list[i] as WeakRef<Eventual>);
      if (eventual === undefined || Eventual.state(eventual) !== PENDING) continue;
      alive[alive.length] = eventual;
    }
    return alive;
  }

  function listen(promise: Promise<unknown>, eventual: Eventual): void {
    setSource(sources, eventual, promise);
    const { home } = now.context;
    keep(eventual);
    let end: Settle = (state, value) => settleFromOutside(eventual, state, value, home);
    if (watchSettling !== undefined) end = watchSettling(end);
    apply(nativeThen, promise, [(value: unknown) => end(FULFILLED, value), (reason: unknown) => end(REJECTED, reason)]);
  }

  /** An entry from native code: only queues, never runs. */
  function settleFromOutside(eventual: Eventual, state: number, value: unknown, home: Home): void {
    jobs.entering(home);
    removeSource(sources, eventual);
    if (state === REJECTED) rememberNative(value, eventual);
    settle(eventual, state, value);
  }

  /** In whose context it is done is known now, and not when the job's turn comes: those of others are before it. */
  function enqueueAdoption(eventual: Eventual, inner: Eventual): void {
    enqueue(continuation(ADOPT_INTO, eventual, undefined), ADOPT, inner);
  }

  function adopt(own: Continuation, inner: Eventual): void {
    const target = own.target as Eventual;
    // What `inner.then(resolve, reject)` does, without the functions and without the derived promise nobody can see.
    try {
      const species = intrinsics.speciesOf(inner);
      if (species === intrinsics.constructor) return register(inner, own);
      const functions = resolvers(target);
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
    const functions = resolvers(job.eventual as Eventual);
    try {
      apply(job.then, thenable, functions as unknown as never[]);
    } catch (error) {
      functions[1](error);
    }
  }

  function continuation(tag: number, target: object, detail: unknown): Continuation {
    return new Continuation(tag, target, detail, now.context);
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
    eventualOf,
    await: awaitValue,
    adopt,
    callThen,
    continuation,
    followed,
    follow: keep,
    settledBy(watch) {
      watchSettling = watch;
    },
    homeOf: (eventual) => homeOf(homes, eventual) as Home | undefined,
    followSources() {
      refs ??= [];
    },
    sourceOf: (eventual) => sourceOf(sources, eventual) as Promise<unknown> | undefined,
  };
}
