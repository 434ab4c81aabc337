// Of threads that have come to where they were told to, or to something else.
import { ReplayError } from './replay-error.ts';
import type { RunLimit, ThreadStatus } from './protocol.ts';

/** @param placeText in words, behind "than was recorded" */
export function divergenceIn(
  threads: readonly ThreadStatus[],
  placeText: (thread: ThreadStatus) => string,
): ReplayError | undefined {
  const failed = threads.find(({ endReason }) => endReason === 'diverged');
  if (failed === undefined) return undefined;
  const divergence = failed.divergence === undefined ? 'turntable replay says what' : failed.divergence;
  return new ReplayError(
    'TT_DIVERGED',
    `worker ${failed.worker} does something else than was recorded, ${placeText(failed)}: ${divergence}`,
  );
}

/** It is not where it is to be: it cannot go back to there. */
export function hasFailedToUndo(
  { worker, epoch, state, startedTasks }: ThreadStatus,
  limits: readonly RunLimit[],
): boolean {
  if (state === 'undo-failed') return true;
  const limit = limits.find((each) => each.worker === worker && each.epoch === epoch)?.tasks ?? 0;
  return startedTasks > limit;
}
