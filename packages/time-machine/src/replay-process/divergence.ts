// Checks of the states of threads after a run.
import { ReplayError } from './replay-error.ts';
import type { RunLimit, ThreadStatus } from './protocol.ts';

/** The error for a run in which a thread has diverged. @param placeText where or why, for users */
export function divergenceIn(
  threads: readonly ThreadStatus[],
  placeText: (thread: ThreadStatus) => string,
): ReplayError | undefined {
  const failed = threads.find(({ endReason }) => endReason === 'diverged');
  if (failed === undefined) return undefined;
  const divergence = failed.divergence === undefined ? 'run turntable replay for details' : failed.divergence;
  return new ReplayError(
    'TT_DIVERGED',
    `worker ${failed.worker} diverged from the recording, ${placeText(failed)}: ${divergence}`,
  );
}

/** Whether a thread could not undo to its limit. */
export function hasFailedToUndo(
  { worker, epoch, state, startedTasks }: ThreadStatus,
  limits: readonly RunLimit[],
): boolean {
  if (state === 'undo-failed') return true;
  const limit = limits.find((each) => each.worker === worker && each.epoch === epoch)?.tasks ?? 0;
  return startedTasks > limit;
}
