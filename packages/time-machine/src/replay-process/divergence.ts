// Checks of the states of threads after a run.
import { ReplayError } from './replay-error.ts';
import type { RunLimit, ThreadStatus } from './protocol.ts';

/** The error for a run in which a thread has diverged. @param placeText words that say where, for users */
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

/** Whether a thread could not undo to its limit. */
export function hasFailedToUndo(
  { worker, epoch, state, startedTasks }: ThreadStatus,
  limits: readonly RunLimit[],
): boolean {
  if (state === 'undo-failed') return true;
  const limit = limits.find((each) => each.worker === worker && each.epoch === epoch)?.tasks ?? 0;
  return startedTasks > limit;
}
