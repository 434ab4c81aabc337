// Loads the code that only a program with a tape needs.
import type { Tape } from '@turntable/core';
import type { TapedProgram } from './inputs.ts';

/**
 * Creates the setup for `createLoaderRealm`.
 * @param options `isRestored`: a restored program, whose start is not on the tape; `isReplayFromSnapshot`: the replay
 * starts from a snapshot
 */
export async function openTapedProgram(
  tape: Tape,
  {
    isRestored = false,
    isReplayFromSnapshot = false,
  }: { readonly isRestored?: boolean; readonly isReplayFromSnapshot?: boolean } = {},
): Promise<TapedProgram> {
  const { createTapedProgram: tapedBy } = await import('./inputs.ts');
  return tapedBy(tape, isRestored, isReplayFromSnapshot);
}
