// Of threads that do not come back from what they were at when their process was killed.
import type { Stuck } from './outcome.ts';
import { workerName } from '../trace/event-line.ts';

export function stuckText(stuck: readonly Stuck[]): string {
  const who = stuck.map(({ worker }) => workerName(worker)).join(', ');
  return `${who} does not come back from native code there, a regular expression perhaps: it is known as far as the turn or call in which that is`;
}
