// Text about threads that hang in the code in which their process was killed.
import type { HungThread } from './replay-outcome.ts';
import { workerName } from '../trace/event-line.ts';

export function hungThreadsText(hungThreads: readonly HungThread[]): string {
  const workers = hungThreads.map(({ worker }) => workerName(worker)).join(', ');
  return `${workers} does not come back from native code there, a regular expression perhaps: it is known as far as the turn or call in which that is`;
}
