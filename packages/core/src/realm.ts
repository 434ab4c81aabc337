// The realm: everything that transformed code runs on, made once per worker from a host. The parts are made in the
// order of their dependencies. `runJob` is the only place where a job kind becomes an action.

import { createAsyncFunctions } from './async-function.ts';
import { createAsyncGenerators } from './async-generator.ts';
import { createAsyncIterators } from './async-iterator.ts';
import { awaitersOf, noteCapture, originOf, rememberNativeRejection, rememberParents } from './async-parents.ts';
import { Cell, init } from './cell.ts';
import { createClassRegistry } from './class-registry.ts';
import { defineCombinators } from './combinators.ts';
import { createCoreClosures } from './core-closures.ts';
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
import { createJobs, type Jobs, type CurrentExecution } from './jobs.ts';
import { decoratorHelpers } from './decorators.ts';
import * as language from './language.ts';
import { parameter } from './mapped-parameter.ts';
import { defineFile, identify, probe } from './probe.ts';
import { createPromise } from './promise.ts';
import { createRejections } from './rejections.ts';
import { brands } from './value-format.ts';
import { awaitingSites, mappedSites, stackText, type StackMapping } from './stack.ts';
import { installRevocable } from './revocable-proxy.ts';
import { createWeakReferences } from './weak-references.ts';
import type { AsyncGeneratorState } from './async-generator-state.ts';
import type { CallbackJob, Capability, Context, Continuation, HomeActor, Reaction, ThenableJob } from './frame.ts';
import type { Host } from './host.ts';
import type { CallSite } from './call-site.ts';

const rawGlobal: unknown = globalThis;
const TIMER_FUNCTIONS = ['setTimeout', 'setInterval', 'setImmediate', 'clearImmediate'] as const;

export type Realm = ReturnType<typeof createRealm>;

/** Asynchronous context of the host, in the form of a function that calls another one in this context. */
export type ContextRunner = (
  fn: (target: unknown, kind: number, value: unknown) => void,
  target: unknown,
  kind: number,
  value: unknown,
) => void;

export function createRealm(host: Host) {
  const current: CurrentExecution = { context: ROOT_CONTEXT };
  if (host.isProxy !== undefined) brands.isProxy = host.isProxy;
  if (host.isNativePromise !== undefined) brands.isNativePromise = host.isNativePromise;
  const rejections = createRejections(
    host,
    () => jobs,
    () => current.context.home,
  );
  const jobs: Jobs = createJobs(host, current, runJobInContext, rejections.reportPending, runInRootContext);
  host.tape?.attach(jobs);
  const promise = createPromise(jobs, current, rejections);
  const { Promise, eventuals } = promise;
  const closures = createCoreClosures(() => promise);
  defineCombinators(promise, closures);
  const asyncFunctions = createAsyncFunctions(eventuals, jobs, current);
  const generators = createGenerators();
  const asyncGenerators = createAsyncGenerators(eventuals, jobs, current);
  const asyncIterators = createAsyncIterators(eventuals);
  const delegates = createDelegates(eventuals, asyncGenerators, asyncIterators.asyncIterator);
  const kinds = createFunctionKinds(host, generators, asyncGenerators);

  const weak = createWeakReferences(current, host);
  const disposables = createDisposableStacks(eventuals);

  let tracksContexts = false;
  let tryEnterContext: (context: ContextRunner) => boolean;
  let emptyContextOf: (home: HomeActor) => ContextRunner;
  let isEmptyContextOf: (home: HomeActor, context: ContextRunner) => boolean;

  /**
   * Switches on the host's asynchronous contexts, when the program makes its first `AsyncLocalStorage`. From then on,
   * each suspension keeps the host's current context, and `tryEnter` enters it on resumption. A frame suspended earlier
   * resumes in the empty context of its home.
   * @param homeOf finds the home of a context that the host entered by itself, for a callback
   */
  function trackContexts(
    currentContext: () => ContextRunner,
    tryEnter: (context: ContextRunner) => boolean,
    homeOf: (context: ContextRunner) => HomeActor | undefined,
    emptyContextFor: (home: HomeActor) => ContextRunner,
    isEmptyContextFor: (home: HomeActor, context: ContextRunner) => boolean,
  ): void {
    if (tracksContexts) return;
    tracksContexts = true;
    tryEnterContext = tryEnter;
    emptyContextOf = emptyContextFor;
    isEmptyContextOf = isEmptyContextFor;
    let enteredContext = current.context;
    defineProperty(current, 'context', {
      get: (): Context => {
        const store = currentContext();
        // Usually this context is entered already. A suspension from before the tracking has no store.
        const { home, store: enteredStore } = enteredContext;
        const isEntered = enteredStore === store || (enteredStore === undefined && isEmptyContextOf(home, store));
        if (!isEntered) enteredContext = { home: homeOf(store) ?? ROOT_HOME, store, trail: enteredContext.trail };
        return enteredContext;
      },
      set: (context: Context) => {
        enteredContext = context;
      },
    });
  }

  /** Runs a callback in its own context, as the host would, and not in that of the caller. */
  function runInContext(context: Context, run: () => unknown): void {
    if (!tracksContexts) {
      current.context = context;
      return void run();
    }
    const store = (context.store ?? emptyContextOf(context.home)) as ContextRunner;
    const enter = (): void => {
      current.context = context;
      run();
    };
    if (tryEnterContext(store)) enter();
    else store(enter, undefined, 0, undefined);
  }

  function runJobInContext(target: unknown, kind: number, value: unknown): void {
    if (!tracksContexts) return runJob(target, kind, value);
    const { context } = target as { context?: Context };
    if (context === undefined) return runJob(target, kind, value);
    const { home } = context;
    const store = (context.store ?? emptyContextOf(home)) as ContextRunner;
    if (tryEnterContext(store)) runJob(target, kind, value);
    else store(runJob, target, kind, value);
  }

  function runJob(target: unknown, kind: number, value: unknown): void {
    switch (kind) {
      case ASYNC_FRAME:
      case ASYNC_FRAME + 1:
        return asyncFunctions.resume(target as Frame, value, kind);
      case ASYNC_GENERATOR_FRAME:
      case ASYNC_GENERATOR_FRAME + 1:
        return asyncGenerators.resume(target as Frame, value, kind - ASYNC_GENERATOR_FRAME);
      case REACTION:
      case REACTION + 1:
        return runReaction(target as Reaction, value, kind - REACTION);
      case CONTINUATION:
      case CONTINUATION + 1:
        return runContinuation(target as Continuation, value, kind - CONTINUATION);
      case ADOPT:
        return eventuals.adopt(target as Continuation, value as Eventual);
      case THENABLE: {
        const job = target as ThenableJob;
        switchContext(job.context);
        return eventuals.callThen(job, value as object);
      }
      case MICROTASK: {
        const job = target as CallbackJob;
        switchContext(job.context);
        apply(job.callback, undefined, job.args as never[]);
      }
    }
  }

  function runInRootContext(run: () => void): void {
    if (tracksContexts) return emptyContextOf(ROOT_HOME)(run, undefined, 0, undefined);
    const { context } = current;
    current.context = ROOT_CONTEXT;
    try {
      run();
    } finally {
      current.context = context;
    }
  }

  function switchContext(context: Context): void {
    if (current.context !== context) current.context = context;
  }

  function runReaction(reaction: Reaction, value: unknown, rejectedBit: number): void {
    switchContext(reaction.context);
    const handler = rejectedBit === 0 ? reaction.onFulfilled : reaction.onRejected;
    let result = value;
    let hasFailed = rejectedBit === 1;
    if (typeof handler === 'function') {
      hasFailed = false;
      try {
        result = handler(value);
      } catch (error) {
        hasFailed = true;
        result = error;
        rememberParents(error, reaction, value);
      }
    }
    const { derived } = reaction;
    if (Eventual.is(derived)) {
      if (hasFailed) eventuals.reject(derived, result);
      else eventuals.resolve(derived, result);
      return;
    }
    const { resolve, reject } = derived as Capability;
    if (hasFailed) reject(result);
    else resolve(result);
  }

  function runContinuation(continuation: Continuation, value: unknown, rejectedBit: number): void {
    switchContext(continuation.context);
    switch (continuation.tag) {
      case ADOPT_INTO: {
        const target = continuation.target as Eventual;
        if (rejectedBit === 1) eventuals.reject(target, value);
        else eventuals.resolve(target, value);
        return;
      }
      case UNWRAP_RESULT:
        return asyncIterators.unwrap(continuation, value, rejectedBit);
      case AWAIT_RETURN:
        return asyncGenerators.onReturnSettled(continuation.target as AsyncGeneratorState, value, rejectedBit);
      case DISPOSE:
        return disposables.resume(continuation, value, rejectedBit);
      case FORWARD:
        return forward(continuation.target, value, rejectedBit === 1);
    }
  }

  let forward = (_target: object, _value: unknown, _isRejected: boolean): void => {
    throw new CoreError(
      'TT_NO_FORWARDING',
      'an eventual was forwarded out of the realm, but the realm has no receiver; call onForward() first',
    );
  };

  const ambient: Record<string, unknown> = {
    Promise,
    queueMicrotask(callback: unknown): void {
      if (typeof callback !== 'function') {
        throw Object.assign(
          new TypeError(`The "callback" argument must be of type function. Received ${describeReceived(callback)}`),
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
  for (const name of TIMER_FUNCTIONS) {
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
    /** Replaces the raw global object with the global object that the program sees. */
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
    current,
    /** Parts for other packages, such as capture and module records. Transformed code must not use them. */
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
    runInContext,
    /** Sets the function that receives forwarded outcomes. */
    onForward(listener: (target: object, value: unknown, isRejected: boolean) => void): void {
      forward = listener;
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
    /** Text of `error.stack`, for `Error.prepareStackTrace`. */
    stackText: (error: unknown, sites: readonly CallSite[], mapping: StackMapping, limit = Infinity): string =>
      stackText(error, sites, originOf(error, jobs.runningJob(), sites, sites.length < limit), mapping, limit),
    /** Frames of the same stack as CallSites, for the program's own `Error.prepareStackTrace`. */
    callSites: (error: unknown, sites: readonly CallSite[], mapping: StackMapping, limit = Infinity): CallSite[] =>
      mappedSites(sites, originOf(error, jobs.runningJob(), sites, sites.length < limit), mapping, limit),
    /** Reports that running code has taken the stack of an object. */
    noteCapture: (object: object): void => noteCapture(object, jobs.runningTarget()),
    /** Reports the error with which the native promise behind an eventual was rejected. */
    noteRejection: (error: unknown, eventual: Eventual): void => rememberNativeRejection(error, eventual),
    /** Frames that await the outcome of an eventual. */
    awaitingSites: (eventual: object, mapping: StackMapping): CallSite[] =>
      awaitingSites(awaitersOf(eventual), mapping),
  };
}

/** Description of a value as in Node's ERR_INVALID_ARG_TYPE. */
function describeReceived(value: unknown): string {
  if (value === undefined || value === null) return `${value}`;
  if (typeof value === 'object') {
    const name = value.constructor?.name;
    return name === undefined ? '[Object: null prototype] {}' : `an instance of ${name}`;
  }
  const text = typeof value === 'string' ? `'${value}'` : `${String(value)}${typeof value === 'bigint' ? 'n' : ''}`;
  return `type ${typeof value} (${text.length > 28 ? `${text.slice(0, 25)}...` : text})`;
}
