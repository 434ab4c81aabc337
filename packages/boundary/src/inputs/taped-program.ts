// Loads the code that only a program with a tape needs.
import type { Tape } from '@turntable/core';
import type { TapedProgram } from './inputs.ts';

/** For `createLoaderRealm`. `startsFromSnapshot`: the tape does not contain the start of the program. */
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
