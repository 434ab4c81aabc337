// Who awaits whom: the frames that wait, directly or through eventuals, for the outcome of a frame. Errors remember the chain
// at the moment they leave their first step function, because afterwards nobody waits any more (`stack.ts` prints it).

import { AsyncGeneratorState } from './async-generator.ts';
import { Eventual } from './eventual.ts';
import { Frame, Reaction } from './frame.ts';
import { NativeWeakMap, apply, isArray } from './intrinsics.ts';
import { CORE, identify } from './probe.ts';
import type { Element } from './core-closures.ts';
import type { Capability, StepFunction, Waiting } from './frame.ts';
import type { CallSite } from './stack.ts';

export interface AwaitingFrame {
  step: StepFunction;
  pc: number;
}

export interface AwaitingCombinator {
  combinator: string;
  index: number;
}

export type AsyncParent = AwaitingFrame | AwaitingCombinator;

const LONGEST = 10;
/** Core closures that are element functions, by ordinal. */
const COMBINATORS: Record<number, string> = { 7: 'all', 8: 'allSettled', 9: 'allSettled' };
const NOBODY: AsyncParent[] = [];
const { get, set, has } = NativeWeakMap.prototype;
const chains = new NativeWeakMap<object, AsyncParent[]>();

/** What awaits `frame`, nearest first, as far as each has one first waiter. */
export function asyncParents(frame: Frame): AsyncParent[] {
  const chain: AsyncParent[] = [];
  let waiting = firstWaiting(frame.result);
  for (let hops = 0; waiting !== undefined && chain.length < LONGEST && hops < 64; hops++) {
    if (waiting instanceof Frame) {
      chain[chain.length] = { step: waiting.step, pc: waiting.pc };
      waiting = firstWaiting(waiting.result);
    } else if (waiting instanceof Reaction) {
      const element = elementOf(waiting.onFulfilled) ?? elementOf(waiting.onRejected);
      if (element !== undefined) chain[chain.length] = element.parent;
      waiting = firstWaiting(element?.promise ?? outcomeOf(waiting));
    } else {
      waiting = firstWaiting(waiting.target);
    }
  }
  return chain;
}

function outcomeOf({ derived }: Reaction): unknown {
  return Eventual.has(derived) ? derived : (derived as Capability).promise;
}

/** The element of `Promise.all` and its like whose function `handler` is. */
function elementOf(handler: unknown): { parent: AwaitingCombinator; promise: unknown } | undefined {
  if (typeof handler !== 'function' || handler.name !== '') return undefined;
  const identity = identify(handler as () => unknown);
  const combinator = identity?.module === CORE ? COMBINATORS[identity.ordinal] : undefined;
  if (identity === undefined || combinator === undefined) return undefined;
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

/** Called when an exception leaves a step: `bottom` is what the job queue is running. */
export function rememberParents(error: unknown, bottom: unknown): void {
  if (typeof error !== 'object' || error === null || apply(has, chains, [error])) return;
  apply(set, chains, [error, bottom instanceof Frame ? asyncParents(bottom) : NOBODY]);
}

/**
 * The async parents of an error: those remembered, else those of what runs now, if the error's own frames show that it was
 * made there (a trace is formatted when it is first read, which may be much later).
 */
export function parentsOf(error: unknown, bottom: unknown, sites: readonly CallSite[]): AsyncParent[] {
  if (typeof error !== 'object' || error === null) return NOBODY;
  const chain = apply(get, chains, [error]) as AsyncParent[] | undefined;
  if (chain !== undefined) return chain;
  if (!(bottom instanceof Frame) || bottom.step.name === '') return NOBODY;
  for (let i = sites.length - 1; i >= 0; i--)
    if (sites[i]?.getFunctionName() === bottom.step.name) return asyncParents(bottom);
  return NOBODY;
}
