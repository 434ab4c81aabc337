// Checks of thread states after a run: divergences, and threads that could not undo.
import { ReplayError } from './replay-error.ts';
import type { RunLimit, ThreadStatus } from './protocol.ts';

/** Error for a thread that has diverged; undefined if none has. @param placeText where or why, for users */
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

/** Whether a thread has started more tasks than its limit, because it could not undo them. */
export function hasFailedToUndo(
  { worker, epoch, state, startedTasks }: ThreadStatus,
  limits: readonly RunLimit[],
): boolean {
  if (state === 'undo-failed') return true;
  const limit = limits.find((each) => each.worker === worker && each.epoch === epoch)?.tasks ?? 0;
  return startedTasks > limit;
}
