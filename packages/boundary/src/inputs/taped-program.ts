// The door to what a program needs that is recorded or runs again: nothing of it is loaded for one that is not.
import type { Tape } from '@turntable/core';
import type { TapedProgram } from './inputs.ts';

/** For `createLoaderRealm`. `startsFromSnapshot`: a run again that begins with a snapshot; the tape has not how the program began. */
export async function openTapedProgram(
  tape: Tape,
  {
    startsFromSnapshot = false,
    awaitsState = false,
  }: { readonly startsFromSnapshot?: boolean; readonly awaitsState?: boolean } = {},
): Promise<TapedProgram> {
  const { createTapedProgram: tapedBy } = await import('./inputs.ts');
  return tapedBy(tape, startsFromSnapshot, awaitsState);
}
