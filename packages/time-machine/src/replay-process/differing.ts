// Of threads that have come to where they were told to, or to something else.
import { EngineError } from './engine-error.ts';
import type { Limit, ThreadStatus } from './protocol.ts';

/** @param where in words, behind "than was recorded" */
export function differenceIn(
  threads: readonly ThreadStatus[],
  where: (thread: ThreadStatus) => string,
): EngineError | undefined {
  const failed = threads.find(({ why }) => why === 'diverged');
  if (failed === undefined) return undefined;
  const what = failed.differs === undefined ? 'turntable replay says what' : failed.differs;
  return new EngineError(
    'TT_DIVERGED',
    `worker ${failed.worker} does something else than was recorded, ${where(failed)}: ${what}`,
  );
}

/** It is not where it is to be: it cannot go back to there. */
export function isUnable({ worker, life, state, begun }: ThreadStatus, limits: readonly Limit[]): boolean {
  if (state === 'unable') return true;
  const limit = limits.find((each) => each.worker === worker && each.life === life)?.stretches ?? 0;
  return begun > limit;
}
