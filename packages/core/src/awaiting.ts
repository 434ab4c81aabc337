// Who awaits whom: the frames that wait, directly or through eventuals, for the outcome of a frame. Errors remember the chain
// at the moment they leave their first step function, because afterwards nobody waits any more (`stack.ts` prints it).

import { AsyncGeneratorState } from './async-generator.ts';
import { Eventual } from './eventual.ts';
import { Frame, Reaction } from './frame.ts';
import { NativeWeakMap, apply, isArray } from './intrinsics.ts';
import type { Capability, StepFunction, Waiting } from './frame.ts';

export interface AwaitingFrame {
  step: StepFunction;
  pc: number;
}

const LONGEST = 10;
const NOBODY: AwaitingFrame[] = [];
const { get, set, has } = NativeWeakMap.prototype;
const chains = new NativeWeakMap<object, AwaitingFrame[]>();

/** The frames awaiting `frame`, nearest first, as far as each has one first waiter. */
export function awaitingFrames(frame: Frame): AwaitingFrame[] {
  const chain: AwaitingFrame[] = [];
  let waiting = firstWaiting(frame.result);
  for (let hops = 0; waiting !== undefined && chain.length < LONGEST && hops < 64; hops++) {
    if (waiting instanceof Frame) {
      chain[chain.length] = { step: waiting.step, pc: waiting.pc };
      waiting = firstWaiting(waiting.result);
    } else {
      waiting = firstWaiting(waiting instanceof Reaction ? (Eventual.has(waiting.derived) ? waiting.derived : (waiting.derived as Capability).promise) : waiting.target);
    }
  }
  return chain;
}

function firstWaiting(result: unknown): Waiting | undefined {
  const eventual = result instanceof AsyncGeneratorState ? result.queue[0]?.eventual : result;
  if (!Eventual.has(eventual)) return undefined;
  const { waiting } = Eventual.read(eventual);
  return isArray(waiting) ? waiting[0] : waiting;
}

/** Called when an exception leaves a step: `bottom` is the frame the job queue had resumed, if any. */
export function rememberParents(error: unknown, bottom: Frame | undefined): void {
  if (typeof error !== 'object' || error === null || apply(has, chains, [error])) return;
  apply(set, chains, [error, bottom === undefined ? NOBODY : awaitingFrames(bottom)]);
}

/** The async parents of an error: remembered, or those of what runs now. */
export function parentsOf(error: object, bottom: Frame | undefined): AwaitingFrame[] {
  const chain = apply(get, chains, [error]) as AwaitingFrame[] | undefined;
  if (chain !== undefined) return chain;
  return bottom === undefined ? [] : awaitingFrames(bottom);
}

