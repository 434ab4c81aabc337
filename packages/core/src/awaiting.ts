// Who awaits whom: the frames that wait, directly or through eventuals, for the outcome of a frame or of a handler. Errors remember the
// chain at the moment they leave their first step function or handler, because afterwards nobody waits any more (`stack.ts` prints it).

import { AsyncGeneratorState } from './async-generator-state.ts';
import { Eventual } from './eventual.ts';
import { Frame, Reaction, type Capability, type StepFunction, type Waiting } from './frame.ts';
import { NativeWeakMap, apply, getOwnPropertyDescriptor, isArray } from './intrinsics.ts';
import { CORE, identify } from './probe.ts';
import { brands } from './show.ts';
import type { Element, Resolving } from './core-closures.ts';
import type { CallSite } from './call-site.ts';
import type { Taken } from './jobs.ts';

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

const LONGEST = 10;
/** Core closures that are element functions, by ordinal. */
const COMBINATORS: Record<number, string> = { 7: 'all', 8: 'allSettled', 9: 'allSettled' };
const RESOLVE = 0;
const REJECT = 1;
const NOBODY: AsyncParent[] = [];
const { get, set, has } = NativeWeakMap.prototype;
/** By error: what ran when its stack was taken, or whose step or handler it left first, and what awaited that. */
const chains = new NativeWeakMap<object, StackOrigin>();

export interface StackOrigin {
  readonly bottom: Frame | Reaction | undefined;
  readonly parents: AsyncParent[];
  /** Its stack was taken there; or it came through a native promise, at whose end V8 has found no more. What only came by may have been made elsewhere: its frames tell. */
  readonly how?: 'taken' | 'native';
}
const NOWHERE: StackOrigin = { bottom: undefined, parents: NOBODY };

/** What awaits `frame`, nearest first, as far as each has one first waiter. */
export function asyncParents(frame: Frame): AsyncParent[] {
  return awaiting(frame.result);
}

/** What awaits an outcome, nearest first. */
export function awaiting(result: unknown): AsyncParent[] {
  const chain: AsyncParent[] = [];
  let waiting = firstWaiting(result);
  for (let hops = 0; waiting !== undefined && chain.length < LONGEST && hops < 64; hops++) {
    if (waiting instanceof Frame) {
      chain[chain.length] = { step: waiting.step, pc: waiting.pc, frame: waiting };
      waiting = firstWaiting(waiting.result);
    } else if (waiting instanceof Reaction) {
      const element = elementOf(waiting);
      if (element?.parent !== undefined) chain[chain.length] = element.parent;
      waiting = firstWaiting(element?.promise ?? outcomeOf(waiting));
    } else {
      waiting = firstWaiting(waiting.target);
    }
  }
  return chain;
}

export function outcomeOf({ derived }: Reaction): unknown {
  return Eventual.has(derived) ? derived : (derived as Capability).promise;
}

interface Settling {
  readonly parent: AwaitingCombinator | undefined;
  readonly promise: unknown;
}

/** What core's own handlers settle: those of `Promise.all` and its like, or a promise's resolving functions. */
export function elementOf({ onFulfilled, onRejected }: Reaction): Settling | undefined {
  const one = settledBy(onFulfilled);
  return one?.parent === undefined ? (settledBy(onRejected) ?? one) : one;
}

export function settledBy(handler: unknown): Settling | undefined {
  if (typeof handler !== 'function' || brands.isProxy(handler)) return undefined;
  // Of a function of the program's it may be an accessor.
  const name: unknown = getOwnPropertyDescriptor(handler, 'name')?.value;
  if (name !== undefined && name !== '') return undefined;
  const identity = identify(handler as () => unknown);
  if (identity === undefined || identity.module !== CORE) return undefined;
  if (identity.ordinal === RESOLVE || identity.ordinal === REJECT)
    return { parent: undefined, promise: (identity.captures[0] as Resolving).eventual };
  const combinator = COMBINATORS[identity.ordinal];
  if (combinator === undefined) return undefined;
  const { gathering, index } = identity.captures[0] as Element;
  return {
    parent: { combinator: gathering.failing ? 'any' : combinator, index },
    promise: gathering.capability.promise,
  };
}

function firstWaiting(result: unknown): Waiting | undefined {
  const eventual = result instanceof AsyncGeneratorState ? result.queue[0]?.eventual : result;
  if (!Eventual.has(eventual)) return undefined;
  const { waiting } = Eventual.read(eventual);
  return isArray(waiting) ? waiting[0] : waiting;
}

/** Called when an exception leaves a step or a handler: `running` is what the job queue is running, `given` what came into it from outside. */
export function rememberParents(error: unknown, running: unknown, given?: unknown): void {
  if (typeof error !== 'object' || error === null || apply(has, chains, [error])) return;
  apply(set, chains, [error, error === given ? NOWHERE : originIn(running)]);
}

/** Called when the stack of an object has been taken (`Error.captureStackTrace`), whatever was known of it. */
export function noteCapture(object: object, running: unknown): void {
  apply(set, chains, [object, { ...originIn(running), how: 'taken' }]);
}

/** Called when a native promise has been rejected for which `eventual` stands. */
export function rememberNative(error: unknown, eventual: Eventual): void {
  if (typeof error !== 'object' || error === null || apply(has, chains, [error])) return;
  apply(set, chains, [error, { bottom: undefined, parents: awaiting(eventual), how: 'native' }]);
}

function originIn(running: unknown): StackOrigin {
  if (running instanceof Frame) return { bottom: running, parents: asyncParents(running) };
  // V8 does not look into the capability of a subclass here.
  if (running instanceof Reaction && Eventual.has(running.derived))
    return { bottom: running, parents: awaiting(running.derived) };
  return NOWHERE;
}

/**
 * The frame or handler at the bottom of an error's stack and its async parents: those remembered, else those of what runs now, if the
 * error's own frames show that it was made there (a trace is formatted when it is first read, which may be much later, and an error may
 * have come through a promise from where nobody awaits anything). `given`: what came into what runs. `isWhole`: no frames are missing below.
 */
export function originOf(
  error: unknown,
  { running, given }: Taken,
  sites: readonly CallSite[],
  isWhole: boolean,
): StackOrigin {
  if (typeof error !== 'object' || error === null) return NOWHERE;
  const known = apply(get, chains, [error]) as StackOrigin | undefined;
  if (known === undefined) return error !== given && isAmong(running, sites) ? originIn(running) : NOWHERE;
  if (known.how === 'native') return sites[sites.length - 1]?.isAsync() === true ? known : NOWHERE;
  return known.how === 'taken' || !isWhole || isAmong(known.bottom, sites) ? known : NOWHERE;
}

/** Whether an error's frames have one of a step or handler, as far as its name tells. */
function isAmong(running: unknown, sites: readonly CallSite[]): boolean {
  if (running instanceof Frame) return running.step.name !== '' && hasFrame(running.step.name, sites);
  if (!(running instanceof Reaction)) return false;
  return isHandlerAmong(running.onFulfilled, sites) || isHandlerAmong(running.onRejected, sites);
}

function isHandlerAmong(handler: unknown, sites: readonly CallSite[]): boolean {
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
