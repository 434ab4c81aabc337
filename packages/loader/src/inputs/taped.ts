// The door to what a program needs that is recorded or runs again: nothing of it is loaded for one that is not.
import type { Tape } from '@turntable/core';
import type { Taped } from './inputs.ts';

/** For `createLoaderRealm`. */
export async function taped(tape: Tape): Promise<Taped> {
  const { tapedBy } = await import('./inputs.ts');
  return tapedBy(tape);
}
