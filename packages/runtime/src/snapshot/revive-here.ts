// A worker that has the place of a lost one reads what that one was in a snapshot, while all others go on. It is held meanwhile: what is sent to
// it waits.

import type { StateRoom } from '@turntable/heap';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { runtimeObjects } from './objects.ts';
import { Revived } from './revived.ts';

/** Answers when the worker has been let go. */
export async function reviveHere(scheduler: Scheduler, room: StateRoom, bytes: Uint8Array): Promise<void> {
  const { classes, main, neighbours } = scheduler;
  const revived = new Revived(classes, main, neighbours.life, scheduler.settled());
  const { roots, goOn, rejoin } = await room.restorePieces(bytes, [runtimeObjects(revived)]);
  revived.take(roots);
  await goOn({ timers: [], waiting: [], held: [] }, () => {
    scheduler.revive(revived, rejoin);
    neighbours.claimNoMore();
    scheduler.letGo();
  });
}
