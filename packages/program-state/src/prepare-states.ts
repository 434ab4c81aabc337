// The door to whereabouts.ts, which programs that do not go on from anything need not load.
import type { Elsewhere } from './elsewhere.ts';
import type { Whereabouts } from './whereabouts.ts';

/**
 * Finds what a program consists of that is to go on from states, one of each thread. Loads nothing of it; whatever is not as it was is told in one
 * error.
 */
export async function prepareStates(states: readonly Uint8Array[], where: Whereabouts): Promise<Elsewhere> {
  const { findProgram } = await import('./whereabouts.ts');
  return findProgram(states, where);
}
