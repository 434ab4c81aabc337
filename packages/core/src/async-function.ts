// The driver of async functions: runs a step, looks whether it suspended, settles the function's eventual when it did not.
// Hot path: guarded by the async rows of bench/prototype.

import { FINISHED, NORMAL } from './frame.ts';
import { rememberParents } from './awaiting.ts';
import type { Eventual, Eventuals } from './eventual.ts';
import type { Frame } from './frame.ts';
import type { Now } from './jobs.ts';

export interface AsyncFunctions {
  /** Runs the first step now; answers the eventual of the result. */
  async(frame: Frame): Eventual;
  /** Sends a settlement into a waiting frame; called by the job queue only. */
  resume(frame: Frame, value: unknown, how: number): void;
}

export function createAsyncFunctions(eventuals: Eventuals, now: Now): AsyncFunctions {
  const { create, resolve, reject } = eventuals;

  function async(frame: Frame): Eventual {
    const result = create();
    frame.result = result;
    run(frame, result, undefined, NORMAL);
    return result;
  }

  function resume(frame: Frame, value: unknown, how: number): void {
    now.context = frame.context;
    now.frame = frame;
    run(frame, frame.result as Eventual, value, how);
  }

  function run(frame: Frame, result: Eventual, value: unknown, how: number): void {
    const { step } = frame;
    let completion: unknown;
    try {
      completion = step(frame, value, how);
    } catch (error) {
      frame.pc = FINISHED;
      rememberParents(error, now.frame);
      reject(result, error);
      return;
    }
    if (frame.pc > 0) return;
    frame.pc = FINISHED;
    resolve(result, completion);
  }

  return { async, resume };
}
