// The suspended functions that await what runs now: below the frames that V8 has on the stack, the function that awaits
// the result of the outermost one, the function that awaits that function's result, and so on. All facts come from the
// waiters of eventuals. No code of the program runs.
import { eventualSettledBy, waitersOf, type Eventual, type Frame } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import type { StackFrame } from '@turntable/time-machine/replay-process';
import { lastRunOf, runNumber, taskOfRun } from './frame-runs.ts';

/** Maximum number of awaiting frames in a stack. */
export const MAX_AWAITING_FRAMES = 32;
/** Maximum number of promises that are followed, to count the frames beyond. */
const MAX_PROMISES = 10_000;

export interface AwaitingFrames {
  /** The suspended frames with their descriptions, nearest first. */
  readonly frames: readonly { readonly frame: Frame; readonly description: Omit<StackFrame, 'index'> }[];
  /** Number of awaiting frames beyond these. */
  readonly more: number;
}

/** The frames that await a job. Of several waiters of one promise, the first is followed. */
export function awaitingFramesOf(job: unknown, loader: Loader): AwaitingFrames {
  const frames: AwaitingFrames['frames'][number][] = [];
  const followed = new Set<Eventual>();
  let more = 0;
  let combinator: string | undefined;
  let others = 0;
  for (
    let eventual = eventualSettledBy(job);
    eventual !== undefined && !followed.has(eventual) && followed.size < MAX_PROMISES;
  ) {
    followed.add(eventual);
    const [first, ...otherWaiters] = waitersOf(eventual);
    others += otherWaiters.length;
    combinator ??= first?.combinator;
    eventual = first?.derived;
    if (first?.frame === undefined || !isProgramFrame(first.frame.frame, loader)) continue;
    const { frame } = first.frame;
    if (frames.length < MAX_AWAITING_FRAMES) {
      const location = loader.awaitLocation(first.frame);
      if (location === undefined || location.file.startsWith('node:')) continue;
      const { file, line, column, name = '' } = location;
      const run = lastRunOf(frame);
      const description = {
        function: name,
        location: { file, line, column },
        awaiting: {
          run: run === undefined ? undefined : ([taskOfRun(run), runNumber(run)] as const),
          combinator,
          others,
        },
      };
      frames.push({ frame, description });
    } else more++;
    combinator = undefined;
    others = 0;
  }
  return { frames, more };
}

/** Whether a frame belongs to the program. Core has frames of its own, for modules. */
function isProgramFrame({ step }: Frame, { realm }: Loader): boolean {
  return typeof realm.identify(step as (...args: never[]) => unknown)?.module === 'object';
}
