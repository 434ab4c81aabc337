// Loads program-location.ts on demand: programs that are not restored do not need it.
import type { RelocationPlan } from './relocation.ts';
import type { ProgramLocation } from './program-location.ts';

/**
 * Locates a program for a restore from the states of its threads. Loads nothing of the program. Throws one error that
 * lists all differences.
 */
export async function prepareRelocation(
  states: readonly Uint8Array[],
  location: ProgramLocation,
): Promise<RelocationPlan> {
  const { locateProgram } = await import('./program-location.ts');
  return locateProgram(states, location);
}
