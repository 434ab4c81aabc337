// Async parents: the frames that await the outcome of a frame or handler, directly or through other eventuals. The
// parents of an error are recorded when it leaves its first step function or handler, because their waits end then.

import { AsyncGeneratorState } from './async-generator-state.ts';
import { Eventual } from './eventual.ts';
import { Frame, Reaction, type Capability, type StepFunction, type PendingReaction } from './frame.ts';
import { NativeWeakMap, apply, getOwnPropertyDescriptor, isArray } from './intrinsics.ts';
import { CORE, identify } from './probe.ts';
import { brands } from './value-format.ts';
import type { CombinatorElement, ResolvingState } from './core-closures.ts';
import type { CallSite } from './call-site.ts';
import type { RunningJob } from './jobs.ts';

export interface AwaitingFrame {
  step: StepFunction;
  pc: number;
  /** The suspended frame. It holds the receiver of the function, if one of its slots keeps the receiver. */
  frame: Frame;
}

export interface AwaitingCombinator {
  combinator: string;
  index: number;
}

export type AsyncParent = AwaitingFrame | AwaitingCombinator;

const MAX_PARENTS = 10;
/** Name of the combinator, by the ordinal of its element function among core's closures. */
const COMBINATORS: Record<number, string> = { 7: 'all', 8: 'allSettled', 9: 'allSettled' };
const RESOLVE = 0;
const REJECT = 1;
const NO_PARENTS: AsyncParent[] = [];
const { get, set, has } = NativeWeakMap.prototype;
/** Origin of each error, as recorded when its stack was taken or when it first left a step or handler. */
const stackOrigins = new NativeWeakMap<object, StackOrigin>();

export interface StackOrigin {
  readonly bottom: Frame | Reaction | undefined;
  readonly parents: AsyncParent[];
  /** `taken`: the stack was taken there; `native`: it came through a native promise; undefined: it only left there. */
  readonly how?: 'taken' | 'native';
}
const UNKNOWN_ORIGIN: StackOrigin = { bottom: undefined, parents: NO_PARENTS };

/** Async parents of a frame, nearest first. Of several waiters of one eventual, only the first is followed. */
export function asyncParents(frame: Frame): AsyncParent[] {
  return awaitersOf(frame.result);
}

/** Async parents of the owner of a result (`Frame.result`, or an eventual), nearest first. */
export function awaitersOf(result: unknown): AsyncParent[] {
  const chain: AsyncParent[] = [];
  let reaction = firstReaction(result);
  for (let hops = 0; reaction !== undefined && chain.length < MAX_PARENTS && hops < 64; hops++) {
    if (reaction instanceof Frame) {
      chain[chain.length] = { step: reaction.step, pc: reaction.pc, frame: reaction };
      reaction = firstReaction(reaction.result);
    } else if (reaction instanceof Reaction) {
      const target = targetOfReaction(reaction);
      if (target?.parent !== undefined) chain[chain.length] = target.parent;
      reaction = firstReaction(target?.promise ?? derivedOf(reaction));
    } else {
      reaction = firstReaction(reaction.target);
    }
  }
  return chain;
}

export function derivedOf({ derived }: Reaction): unknown {
  return Eventual.is(derived) ? derived : (derived as Capability).promise;
}

interface SettledTarget {
  readonly parent: AwaitingCombinator | undefined;
  readonly promise: unknown;
}

/** Target that core's own handlers settle: a combinator (element functions) or a promise (resolving functions). */
export function targetOfReaction({ onFulfilled, onRejected }: Reaction): SettledTarget | undefined {
  const onFulfilledTarget = targetOfHandler(onFulfilled);
  return onFulfilledTarget?.parent === undefined
    ? (targetOfHandler(onRejected) ?? onFulfilledTarget)
    : onFulfilledTarget;
}

export function targetOfHandler(handler: unknown): SettledTarget | undefined {
  if (typeof handler !== 'function' || brands.isProxy(handler)) return undefined;
  // The `name` of a program's function may be an accessor.
  const name: unknown = getOwnPropertyDescriptor(handler, 'name')?.value;
  if (name !== undefined && name !== '') return undefined;
  const identity = identify(handler as () => unknown);
  if (identity === undefined || identity.module !== CORE) return undefined;
  if (identity.ordinal === RESOLVE || identity.ordinal === REJECT)
    return { parent: undefined, promise: (identity.captures[0] as ResolvingState).eventual };
  const combinator = COMBINATORS[identity.ordinal];
  if (combinator === undefined) return undefined;
  const { state: combinatorState, index } = identity.captures[0] as CombinatorElement;
  return {
    parent: { combinator: combinatorState.isAny ? 'any' : combinator, index },
    promise: combinatorState.capability.promise,
  };
}

function firstReaction(result: unknown): PendingReaction | undefined {
  const eventual = result instanceof AsyncGeneratorState ? result.queue[0]?.eventual : result;
  if (!Eventual.is(eventual)) return undefined;
  const { waiting: reactions } = Eventual.read(eventual);
  return isArray(reactions) ? reactions[0] : reactions;
}

/** Records the async parents of an exception that leaves a step or handler. @param jobValue value of the running job */
export function rememberParents(error: unknown, running: unknown, jobValue?: unknown): void {
  if (typeof error !== 'object' || error === null || apply(has, stackOrigins, [error])) return;
  apply(set, stackOrigins, [error, error === jobValue ? UNKNOWN_ORIGIN : originOfRunning(running)]);
}

/** Records the origin of an object whose stack has been taken (`Error.captureStackTrace`), replacing an earlier one. */
export function noteCapture(object: object, running: unknown): void {
  apply(set, stackOrigins, [object, { ...originOfRunning(running), how: 'taken' }]);
}

/** Records the async parents of an error that rejected the native promise of `eventual`. */
export function rememberNativeRejection(error: unknown, eventual: Eventual): void {
  if (typeof error !== 'object' || error === null || apply(has, stackOrigins, [error])) return;
  apply(set, stackOrigins, [error, { bottom: undefined, parents: awaitersOf(eventual), how: 'native' }]);
}

function originOfRunning(running: unknown): StackOrigin {
  if (running instanceof Frame) return { bottom: running, parents: asyncParents(running) };
  // For the promise of a subclass there are no parents, as in V8.
  if (running instanceof Reaction && Eventual.is(running.derived))
    return { bottom: running, parents: awaitersOf(running.derived) };
  return UNKNOWN_ORIGIN;
}

/**
 * Frame or handler at the bottom of an error's stack, and its async parents. Without a recorded origin, this is the
 * running job, but only if the error's own frames show that the error was made there: a stack may be formatted much
 * later than it was taken, and an error may come from a promise without waiters.
 * @param isWhole whether the stack has all frames
 */
export function originOf(
  error: unknown,
  { target: running, value: jobValue }: RunningJob,
  sites: readonly CallSite[],
  isWhole: boolean,
): StackOrigin {
  if (typeof error !== 'object' || error === null) return UNKNOWN_ORIGIN;
  const remembered = apply(get, stackOrigins, [error]) as StackOrigin | undefined;
  if (remembered === undefined)
    return error !== jobValue && isRunningIn(running, sites) ? originOfRunning(running) : UNKNOWN_ORIGIN;
  if (remembered.how === 'native') return sites[sites.length - 1]?.isAsync() === true ? remembered : UNKNOWN_ORIGIN;
  return remembered.how === 'taken' || !isWhole || isRunningIn(remembered.bottom, sites) ? remembered : UNKNOWN_ORIGIN;
}

/** Whether the error's frames include the step or handler, told by name. */
function isRunningIn(running: unknown, sites: readonly CallSite[]): boolean {
  if (running instanceof Frame) return running.step.name !== '' && hasFrame(running.step.name, sites);
  if (!(running instanceof Reaction)) return false;
  return isHandlerIn(running.onFulfilled, sites) || isHandlerIn(running.onRejected, sites);
}

function isHandlerIn(handler: unknown, sites: readonly CallSite[]): boolean {
  if (typeof handler !== 'function') return false;
  // Core itself calls the handlers of `finally`, so the handler's own frame may be missing.
  return hasFrame(handler.name, sites) || identify(handler as () => unknown)?.module === CORE;
}

/**
 * Whether a frame has this name. Node's frames are skipped, because its nameless microtask wrappers are below all
 * others.
 */
function hasFrame(name: string, sites: readonly CallSite[]): boolean {
  for (let i = sites.length - 1; i >= 0; i--) {
    const site = sites[i];
    if ((site?.getFunctionName() ?? '') === name && !(site?.getFileName() ?? '').startsWith('node:')) return true;
  }
  return false;
}
