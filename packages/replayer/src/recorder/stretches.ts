// Stretches of a program that a recording has, where it does not have all of it: which phases end one, as the recording says it in its notes.
import type { JsonObject } from '@turntable/recording';

/** Phases in which it was ended while its program went on. */
export function stoppedIn({ stopped }: JsonObject): readonly number[] {
  return Array.isArray(stopped) ? stopped.filter((phase) => typeof phase === 'number') : [];
}
