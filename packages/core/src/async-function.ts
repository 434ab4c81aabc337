// The driver of async functions: it runs a step, and settles the function's eventual unless the step suspended. Hot
// path: guarded by the async rows of bench/prototype.

import { FINISHED, NORMAL, type Frame } from './frame.ts';
import { observedStep } from './frame-observer.ts';
import { rememberParents } from './async-parents.ts';
import { journal } from './undo/journal.ts';
import type { Eventual } from './eventual.ts';
import type { Eventuals } from './eventuals.ts';
import type { Jobs, CurrentExecution } from './jobs.ts';

export function createAsyncFunctions(eventuals: Eventuals, jobs: Jobs, current: CurrentExecution) {
  const { create, resolve, reject } = eventuals;

  /** Runs the first step now, and returns the eventual of the result. */
  function async(frame: Frame): Eventual {
    const { step } = frame;
    const { frameObserver } = journal;
    let completion: unknown;
    try {
      completion =
        frameObserver === undefined
          ? step(frame, undefined, NORMAL)
          : observedStep(frameObserver, frame, undefined, NORMAL);
    } catch (error) {
      frame.pc = FINISHED;
      rememberParents(error, jobs.runningTarget());
      const result = create();
      reject(result, error);
      return result;
    }
    // The eventual is made only now, because nothing reads the result of a frame before its first step has ended.
    const result = create();
    if (frame.pc > 0) {
      frame.result = result;
      return result;
    }
    frame.pc = FINISHED;
    resolve(result, completion);
    return result;
  }

  /** Resumes a suspended frame with the outcome of an await. Only the job queue may call it. */
  function resume(frame: Frame, value: unknown, how: number): void {
    if (current.context !== frame.context) current.context = frame.context;
    if (journal.log !== undefined) journal.log.noteFrame(frame);
    const { step } = frame;
    const { frameObserver } = journal;
    let completion: unknown;
    try {
      completion =
        frameObserver === undefined ? step(frame, value, how) : observedStep(frameObserver, frame, value, how);
    } catch (error) {
      frame.pc = FINISHED;
      rememberParents(error, jobs.runningTarget(), value);
      reject(frame.result as Eventual, error);
      return;
    }
    if (frame.pc > 0) return;
    frame.pc = FINISHED;
    resolve(frame.result as Eventual, completion);
  }

  /** Eventual of an async function that never suspends, and therefore has no frame. */
  function fulfilled(value: unknown): Eventual {
    const result = create();
    resolve(result, value);
    return result;
  }

  function rejected(error: unknown): Eventual {
    rememberParents(error, jobs.runningTarget());
    const result = create();
    reject(result, error);
    return result;
  }

  return { async, resume, fulfilled, rejected };
}
