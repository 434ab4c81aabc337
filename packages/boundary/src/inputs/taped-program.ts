// Loads the code that only a program with a tape needs.
import type { Tape } from '@turntable/core';
import type { TapedProgram } from './inputs.ts';

/** Creates the setup for `createLoaderRealm`. `startsFromSnapshot`: whether the tape lacks the program's start. */
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
