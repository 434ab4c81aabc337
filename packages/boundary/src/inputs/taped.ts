// The door to what a program needs that is recorded or runs again: nothing of it is loaded for one that is not.
import type { Tape } from '@turntable/core';
import type { Taped } from './inputs.ts';

/** For `createLoaderRealm`. `goesOn`: a run again that begins with a snapshot; the tape has not how the program began. */
export async function taped(
  tape: Tape,
  { goesOn = false, stateComes = false }: { readonly goesOn?: boolean; readonly stateComes?: boolean } = {},
): Promise<Taped> {
  const { tapedBy } = await import('./inputs.ts');
  return tapedBy(tape, goesOn, stateComes);
}
