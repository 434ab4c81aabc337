// Who awaits whom: the frames that wait, directly or through eventuals, for the outcome of a frame or of a handler. Errors remember the
// chain at the moment they leave their first step function or handler, because afterwards nobody waits any more (`stack.ts` prints it).

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
  /** Has what the function was called on, if it is kept in a slot. */
  frame: Frame;
}

export interface AwaitingCombinator {
  combinator: string;
  index: number;
}

export type AsyncParent = AwaitingFrame | AwaitingCombinator;

const MAX_PARENTS = 10;
/** Core closures that are element functions, by ordinal. */
const COMBINATORS: Record<number, string> = { 7: 'all', 8: 'allSettled', 9: 'allSettled' };
const RESOLVE = 0;
const REJECT = 1;
const NO_PARENTS: AsyncParent[] = [];
const { get, set, has } = NativeWeakMap.prototype;
/** By error: what ran when its stack was taken, or whose step or handler it left first, and what awaited that. */
const stackOrigins = new NativeWeakMap<object, StackOrigin>();

export interface StackOrigin {
  readonly bottom: Frame | Reaction | undefined;
  readonly parents: AsyncParent[];
  /** Its stack was taken there; or it came through a native promise, at whose end V8 has found no more. What only came by may have been made elsewhere: its frames tell. */
  readonly how?: 'taken' | 'native';
}
const UNKNOWN_ORIGIN: StackOrigin = { bottom: undefined, parents: NO_PARENTS };

/** What awaits `frame`, nearest first, as far as each has one first waiter. */
export function asyncParents(frame: Frame): AsyncParent[] {
  return awaitersOf(frame.result);
}

/** What awaits an outcome, nearest first. */
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

/** What core's own handlers settle: those of `Promise.all` and its like, or a promise's resolving functions. */
export function targetOfReaction({ onFulfilled, onRejected }: Reaction): SettledTarget | undefined {
  const onFulfilledTarget = targetOfHandler(onFulfilled);
  return onFulfilledTarget?.parent === undefined
    ? (targetOfHandler(onRejected) ?? onFulfilledTarget)
    : onFulfilledTarget;
}

export function targetOfHandler(handler: unknown): SettledTarget | undefined {
  if (typeof handler !== 'function' || brands.isProxy(handler)) return undefined;
  // Of a function of the program's it may be an accessor.
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

/** Called when an exception leaves a step or a handler: `running` is what the job queue is running, `jobValue` what came into it from outside. */
export function rememberParents(error: unknown, running: unknown, jobValue?: unknown): void {
  if (typeof error !== 'object' || error === null || apply(has, stackOrigins, [error])) return;
  apply(set, stackOrigins, [error, error === jobValue ? UNKNOWN_ORIGIN : originOfRunning(running)]);
}

/** Called when the stack of an object has been taken (`Error.captureStackTrace`), whatever was known of it. */
export function noteCapture(object: object, running: unknown): void {
  apply(set, stackOrigins, [object, { ...originOfRunning(running), how: 'taken' }]);
}

/** Called when a native promise has been rejected for which `eventual` stands. */
export function rememberNativeRejection(error: unknown, eventual: Eventual): void {
  if (typeof error !== 'object' || error === null || apply(has, stackOrigins, [error])) return;
  apply(set, stackOrigins, [error, { bottom: undefined, parents: awaitersOf(eventual), how: 'native' }]);
}

function originOfRunning(running: unknown): StackOrigin {
  if (running instanceof Frame) return { bottom: running, parents: asyncParents(running) };
  // V8 does not look into the capability of a subclass here.
  if (running instanceof Reaction && Eventual.is(running.derived))
    return { bottom: running, parents: awaitersOf(running.derived) };
  return UNKNOWN_ORIGIN;
}

/**
 * The frame or handler at the bottom of an error's stack and its async parents: those remembered, else those of what runs now, if the
 * error's own frames show that it was made there (a trace is formatted when it is first read, which may be much later, and an error may
 * have come through a promise from where nobody awaits anything). `jobValue`: what came into what runs. `isWhole`: no frames are missing below.
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

/** Whether an error's frames have one of a step or handler, as far as its name tells. */
function isRunningIn(running: unknown, sites: readonly CallSite[]): boolean {
  if (running instanceof Frame) return running.step.name !== '' && hasFrame(running.step.name, sites);
  if (!(running instanceof Reaction)) return false;
  return isHandlerIn(running.onFulfilled, sites) || isHandlerIn(running.onRejected, sites);
}

function isHandlerIn(handler: unknown, sites: readonly CallSite[]): boolean {
  if (typeof handler !== 'function') return false;
  // What a `finally` was given is called by core's.
  return hasFrame(handler.name, sites) || identify(handler as () => unknown)?.module === CORE;
}

/** Node's own functions without names are nobody's: microtasks that it wraps stand below all that runs in them. */
function hasFrame(name: string, sites: readonly CallSite[]): boolean {
  for (let i = sites.length - 1; i >= 0; i--) {
    const site = sites[i];
    if ((site?.getFunctionName() ?? '') === name && !(site?.getFileName() ?? '').startsWith('node:')) return true;
  }
  return false;
}
