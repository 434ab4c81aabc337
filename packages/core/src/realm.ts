// The realm: everything transformed code runs on, made once per worker from a host. The parts are made in the order they
// need each other; `run` at the end is the one place where a job kind becomes an action.

import { createAsyncFunctions } from './async-function.ts';
import { createAsyncGenerators } from './async-generator.ts';
import { createAsyncIterators } from './async-iterator.ts';
import { awaiting, noteCapture, originOf, rememberNative, rememberParents } from './awaiting.ts';
import { Cell, init } from './cell.ts';
import { createClassRegistry } from './class-registry.ts';
import { defineCombinators } from './combinators.ts';
import { coreClosures } from './core-closures.ts';
import { createDisposableStacks } from './disposable-stacks.ts';
import { AsyncDelegate, Delegate, createDelegates } from './delegate.ts';
import { Eventual } from './eventual.ts';
import { ForIn } from './for-in.ts';
import { ForOf } from './for-of.ts';
import { createFunctionKinds } from './function-kinds.ts';
import { createGenerators } from './generator.ts';
import { iterator, keeping } from './iterator.ts';
import { installIteratorHelpers, iteratorFunctions } from './iterator-helpers.ts';
import { keep, kept, keptPrototypes } from './kept-iterator.ts';
import {
  ADOPT,
  ADOPT_INTO,
  ASYNC_FRAME,
  ASYNC_GENERATOR_FRAME,
  AWAIT_RETURN,
  CONTINUATION,
  DISPOSE,
  FORWARD,
  Frame,
  MICROTASK,
  REACTION,
  ROOT_CONTEXT,
  ROOT_HOME,
  THENABLE,
  UNWRAP_RESULT,
} from './frame.ts';
import { addHostGlobals } from './host-globals.ts';
import { installBind } from './bound-function.ts';
import { CoreError } from './core-error.ts';
import { apply, defineProperty, getOwnPropertyDescriptor } from './intrinsics.ts';
import { createJobs, type Jobs, type Now } from './jobs.ts';
import { decoratorHelpers } from './decorators.ts';
import * as language from './language.ts';
import { parameter } from './mapped-parameter.ts';
import { defineFile, identify, probe } from './probe.ts';
import { createPromise } from './promise.ts';
import { createRejections } from './rejections.ts';
import { brands } from './show.ts';
import { awaitingSites, mappedSites, stackText, type StackMapping } from './stack.ts';
import { installRevocable } from './revocable-proxy.ts';
import { createWeakReferences } from './weak-references.ts';
import type { AsyncGeneratorState } from './async-generator-state.ts';
import type { CallbackJob, Capability, Context, Continuation, Home, Reaction, ThenableJob } from './frame.ts';
import type { Host } from './host.ts';
import type { CallSite } from './call-site.ts';

const rawGlobal: unknown = globalThis;
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'clearImmediate'] as const;

export type Realm = ReturnType<typeof createRealm>;

/** Calls a function in the host's asynchronous context of an earlier moment. */
export type ContextRunner = (
  fn: (target: unknown, kind: number, value: unknown) => void,
  target: unknown,
  kind: number,
  value: unknown,
) => void;

export function createRealm(host: Host) {
  const now: Now = { context: ROOT_CONTEXT };
  if (host.isProxy !== undefined) brands.isProxy = host.isProxy;
  if (host.isNativePromise !== undefined) brands.isNativePromise = host.isNativePromise;
  const rejections = createRejections(
    host,
    () => jobs,
    () => now.context.home,
  );
  const jobs: Jobs = createJobs(host, now, runInContext, rejections.drained, atRest);
  host.tape?.attach(jobs);
  const promise = createPromise(jobs, now, rejections);
  const { Promise, eventuals } = promise;
  const closures = coreClosures(() => promise);
  defineCombinators(promise, closures);
  const asyncFunctions = createAsyncFunctions(eventuals, jobs, now);
  const generators = createGenerators();
  const asyncGenerators = createAsyncGenerators(eventuals, jobs, now);
  const asyncIterators = createAsyncIterators(eventuals);
  const delegates = createDelegates(eventuals, asyncGenerators, asyncIterators.asyncIterator);
  const kinds = createFunctionKinds(host, generators, asyncGenerators);

  const weak = createWeakReferences(now, host);
  const disposables = createDisposableStacks(eventuals);

  let tracksContexts = false;
  let entersContext: (context: ContextRunner) => boolean;
  let emptyContextOf: (home: Home) => ContextRunner;
  let isEmptyContextOf: (home: Home, context: ContextRunner) => boolean;

  /**
   * From the first `AsyncLocalStorage` on, what waits keeps the host's context of that moment, and the host is asked to enter it; what waited before
   * resumes in the empty context of its home. Where the host enters one by itself, for a callback, `homeOf` says whose it is.
   */
  function trackContexts(
    take: () => ContextRunner,
    entering: (context: ContextRunner) => boolean,
    homeOf: (context: ContextRunner) => Home | undefined,
    emptyOf: (home: Home) => ContextRunner,
    isEmptyOf: (home: Home, context: ContextRunner) => boolean,
  ): void {
    if (tracksContexts) return;
    tracksContexts = true;
    entersContext = entering;
    emptyContextOf = emptyOf;
    isEmptyContextOf = isEmptyOf;
    let entered = now.context;
    defineProperty(now, 'context', {
      get: (): Context => {
        const store = take();
        // Most of what waits does so in the context it was entered in; one of before contexts were followed is the empty one.
        const { home, store: own } = entered;
        const isEntered = own === store || (own === undefined && isEmptyContextOf(home, store));
        if (!isEntered) entered = { home: homeOf(store) ?? ROOT_HOME, store, trail: entered.trail };
        return entered;
      },
      set: (context: Context) => {
        entered = context;
      },
    });
  }

  /** As the host would: nothing of the context of whoever calls is there. */
  function inContext(context: Context, run: () => unknown): void {
    if (!tracksContexts) {
      now.context = context;
      return void run();
    }
    const store = (context.store ?? emptyContextOf(context.home)) as ContextRunner;
    const enter = (): void => {
      now.context = context;
      run();
    };
    if (entersContext(store)) enter();
    else store(enter, undefined, 0, undefined);
  }

  function runInContext(target: unknown, kind: number, value: unknown): void {
    if (!tracksContexts) return run(target, kind, value);
    const { context } = target as { context?: Context };
    if (context === undefined) return run(target, kind, value);
    const { home } = context;
    const store = (context.store ?? emptyContextOf(home)) as ContextRunner;
    if (entersContext(store)) run(target, kind, value);
    else store(run, target, kind, value);
  }

  function run(target: unknown, kind: number, value: unknown): void {
    switch (kind) {
      case ASYNC_FRAME:
      case ASYNC_FRAME + 1:
        return asyncFunctions.resume(target as Frame, value, kind);
      case ASYNC_GENERATOR_FRAME:
      case ASYNC_GENERATOR_FRAME + 1:
        return asyncGenerators.resume(target as Frame, value, kind - ASYNC_GENERATOR_FRAME);
      case REACTION:
      case REACTION + 1:
        return react(target as Reaction, value, kind - REACTION);
      case CONTINUATION:
      case CONTINUATION + 1:
        return proceed(target as Continuation, value, kind - CONTINUATION);
      case ADOPT:
        return eventuals.adopt(target as Continuation, value as Eventual);
      case THENABLE: {
        const job = target as ThenableJob;
        enter(job.context);
        return eventuals.callThen(job, value as object);
      }
      case MICROTASK: {
        const job = target as CallbackJob;
        enter(job.context);
        apply(job.callback, undefined, job.args as never[]);
      }
    }
  }

  function atRest(run: () => void): void {
    if (tracksContexts) return emptyContextOf(ROOT_HOME)(run, undefined, 0, undefined);
    const { context } = now;
    now.context = ROOT_CONTEXT;
    try {
      run();
    } finally {
      now.context = context;
    }
  }

  function enter(context: Context): void {
    if (now.context !== context) now.context = context;
  }

  function react(reaction: Reaction, value: unknown, rejected: number): void {
    enter(reaction.context);
    const handler = rejected === 0 ? reaction.onFulfilled : reaction.onRejected;
    let outcome = value;
    let failed = rejected === 1;
    if (typeof handler === 'function') {
      failed = false;
      try {
        outcome = handler(value);
      } catch (error) {
        failed = true;
        outcome = error;
        rememberParents(error, reaction, value);
      }
    }
    const { derived } = reaction;
    if (Eventual.has(derived)) {
      if (failed) eventuals.reject(derived, outcome);
      else eventuals.resolve(derived, outcome);
      return;
    }
    const { resolve, reject } = derived as Capability;
    if (failed) reject(outcome);
    else resolve(outcome);
  }

  function proceed(continuation: Continuation, value: unknown, rejected: number): void {
    enter(continuation.context);
    switch (continuation.tag) {
      case ADOPT_INTO: {
        const target = continuation.target as Eventual;
        if (rejected === 1) eventuals.reject(target, value);
        else eventuals.resolve(target, value);
        return;
      }
      case UNWRAP_RESULT:
        return asyncIterators.unwrap(continuation, value, rejected);
      case AWAIT_RETURN:
        return asyncGenerators.returned(continuation.target as AsyncGeneratorState, value, rejected);
      case DISPOSE:
        return disposables.proceed(continuation, value, rejected);
      case FORWARD:
        return forward(continuation.target, value, rejected === 1);
    }
  }

  let forward = (_target: object, _value: unknown, _isRejected: boolean): void => {
    throw new CoreError(
      'TT_NO_FORWARDING',
      'an outcome is to leave the realm, but nobody takes it; call forwardBy() first',
    );
  };

  const ambient: Record<string, unknown> = {
    Promise,
    queueMicrotask(callback: unknown): void {
      if (typeof callback !== 'function') {
        throw Object.assign(
          new TypeError(`The "callback" argument must be of type function. Received ${received(callback)}`),
          { code: 'ERR_INVALID_ARG_TYPE' },
        );
      }
      jobs.queueMicrotask(callback as () => unknown);
    },
    Function: kinds.Function,
    WeakRef: weak.WeakRef,
    FinalizationRegistry: weak.FinalizationRegistry,
    ...disposables.constructors,
    globalThis,
    global: globalThis,
    babelHelpers: decoratorHelpers,
  };
  for (const name of TIMERS) {
    const descriptor = getOwnPropertyDescriptor(host.timers ?? globalThis, name);
    if (descriptor !== undefined) defineProperty(ambient, name, descriptor);
  }

  addHostGlobals(ambient);
  const classes = createClassRegistry();

  return {
    Cell,
    init,
    initializer: language.initializer,
    parameter,
    dead: language.dead,
    superAgain: language.superAgain,
    noObject: language.noObject,
    noIterable: language.noIterable,
    constAssign: language.constAssign,
    constTarget: language.constTarget,
    key: language.key,
    call: language.call,
    objectRest: language.objectRest,
    superGet: language.superGet,
    superSet: language.superSet,
    superTarget: language.superTarget,
    privateTarget: language.privateTarget,
    /** The global object as the program knows it. */
    view: (receiver: unknown): unknown => (receiver === rawGlobal ? ambient['globalThis'] : receiver),
    defineClass: classes.defineClass,
    classOf: classes.classOf,
    ownerOf: classes.ownerOf,
    memberKey: classes.memberKey,
    memberOf: classes.memberOf,
    membersOf: classes.membersOf,
    forAwait: (iterable: unknown) => new language.AsyncIteration(asyncIterators.asyncIterator(iterable)),
    ArrayElements: language.ArrayElements,
    DisposalStack: language.DisposalStack,
    probe,
    identify,
    defineFile,
    Frame,
    async: asyncFunctions.async,
    fulfilled: asyncFunctions.fulfilled,
    rejected: asyncFunctions.rejected,
    await: eventuals.await,
    generator: generators.generator,
    asyncGenerator: asyncGenerators.asyncGenerator,
    yieldAsync: asyncGenerators.yieldAsync,
    Delegate,
    AsyncDelegate,
    delegate: delegates.delegate,
    ForOf,
    ForIn,
    asyncIterator: asyncIterators.asyncIterator,
    iterator,
    keep,
    kept,
    keeping,
    asyncFunction: kinds.asyncFunction,
    generatorFunction: kinds.generatorFunction,
    asyncGeneratorFunction: kinds.asyncGeneratorFunction,
    generatorPrototype: generators.generatorPrototype,
    asyncGeneratorPrototype: asyncGenerators.asyncGeneratorPrototype,
    ambient,
    Promise,
    kinds,
    jobs,
    nextTick: jobs.nextTick,
    now,
    /** For packages of the house (capture, module records), not for transformed code. */
    parts: {
      classes,
      host,
      brands,
      eventuals,
      promise,
      closures,
      generators,
      asyncGenerators,
      asyncIterators,
      rejections,
      weak,
      disposables,
      keptPrototypes,
      iteratorFunctions,
    },
    trackContexts,
    inContext,
    /** Who takes the outcomes that are forwarded. */
    forwardBy(taker: (target: object, value: unknown, isRejected: boolean) => void): void {
      forward = taker;
    },
    install(): void {
      kinds.install();
      promise.install();
      weak.install();
      disposables.install();
      installBind();
      installRevocable(closures.revoker);
      installIteratorHelpers();
    },
    /** `error.stack` of an error of this realm, for `Error.prepareStackTrace`. */
    stackText: (error: unknown, sites: readonly CallSite[], mapping: StackMapping, limit = Infinity): string =>
      stackText(error, sites, originOf(error, jobs.taken(), sites, sites.length < limit), mapping, limit),
    /** The same frames, for a program's own `Error.prepareStackTrace`. */
    callSites: (error: unknown, sites: readonly CallSite[], mapping: StackMapping, limit = Infinity): CallSite[] =>
      mappedSites(sites, originOf(error, jobs.taken(), sites, sites.length < limit), mapping, limit),
    /** The stack of an object has been taken, by whatever runs now. */
    noteCapture: (object: object): void => noteCapture(object, jobs.running()),
    /** A native promise has been rejected for which an eventual stands. */
    noteRejection: (error: unknown, eventual: Eventual): void => rememberNative(error, eventual),
    /** The frames of who awaits the outcome of an eventual. */
    awaitingSites: (eventual: object, mapping: StackMapping): CallSite[] => awaitingSites(awaiting(eventual), mapping),
  };
}

/** As Node says it in ERR_INVALID_ARG_TYPE. */
function received(value: unknown): string {
  if (value === undefined || value === null) return `${value}`;
  if (typeof value === 'object') {
    const name = value.constructor?.name;
    return name === undefined ? '[Object: null prototype] {}' : `an instance of ${name}`;
  }
  const text = typeof value === 'string' ? `'${value}'` : `${String(value)}${typeof value === 'bigint' ? 'n' : ''}`;
  return `type ${typeof value} (${text.length > 28 ? `${text.slice(0, 25)}...` : text})`;
}
