// Message about threads that hang in native code, where their recorded process was killed.
import type { HungThread } from './replay-outcome.ts';
import { workerName } from '../trace/event-line.ts';

export function hungThreadsText(hungThreads: readonly HungThread[]): string {
  const workers = hungThreads.map(({ worker }) => workerName(worker)).join(', ');
  return `${workers} hung in native code, such as a regular expression; the recording ends at the task in which it hung`;
}
