// Stats of a thread.

import type { WorkerStats } from './control-messages.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import type { ThreadHost } from './thread-host.ts';

export function threadStats(scheduler: Scheduler, host: ThreadHost, withActors: boolean): WorkerStats {
  const { index, turns, phase, waiting, busy, workerLinks } = scheduler;
  const { spilled, references } = workerLinks;
  const { exported, held } = references;
  const snapshots = scheduler.snapshots?.stats;
  const all = { worker: index, turns, phase, waiting, busy, delay: host.takeMaxDelayMs(), exported, held, spilled };
  const stats = snapshots === undefined ? all : { ...all, snapshots };
  return withActors ? { ...stats, actors: scheduler.census.stats() } : stats;
}
