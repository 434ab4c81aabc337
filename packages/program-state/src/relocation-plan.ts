// Describes a program before it is restored. Loads other files on demand: programs that are not restored do not need
// them.
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

/** Path or URL of the main file of a state's program, as captured; null if it has none. */
export async function programOf(state: Uint8Array): Promise<string | null> {
  const { decodeState } = await import('./state-container.ts');
  return decodeState(state).head.main;
}
