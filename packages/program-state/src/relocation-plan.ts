// The door to program-location.ts, which programs that do not go on from anything need not load.
import type { RelocationPlan } from './relocation.ts';
import type { ProgramLocation } from './program-location.ts';

/**
 * Finds what a program consists of that is to go on from states, one of each thread. Loads nothing of it; whatever is not as it was is told in one
 * error.
 */
export async function prepareRelocation(
  states: readonly Uint8Array[],
  location: ProgramLocation,
): Promise<RelocationPlan> {
  const { locateProgram } = await import('./program-location.ts');
  return locateProgram(states, location);
}
