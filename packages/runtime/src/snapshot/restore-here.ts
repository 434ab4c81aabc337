// Reads a worker's part of a snapshot into its scheduler: when all workers are restored, and when one worker replaces a lost one.

import { hostClock } from '@turntable/core';
import type { Actor } from '../actors/actor.ts';
import type { QueueState } from '../messaging/queue-state.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { readMessages, type MessagesPiece } from './messages.ts';
import { runtimeObjects } from './objects.ts';
import { damaged, Restored, type OtherPiece } from './restored.ts';
import { Revived } from './revived.ts';
import type { StateRoom } from '@turntable/heap';
import { readTables } from './tables.ts';
import { PIECE, type UnderWay } from './worker-snapshot.ts';

/** The scheduler is held. Answers how to go on, which answers at the end of the entry point; `begun` is told when it does. */
export async function restoreHere(
  scheduler: Scheduler,
  room: StateRoom,
  bytes: Uint8Array,
  begun?: () => void,
): Promise<() => Promise<void>> {
  try {
    const goOn = await restorePart(scheduler, room, bytes);
    return () =>
      goOn(() => {
        scheduler.letGo();
        begun?.();
      });
  } catch (error) {
    // What the pieces say is taken for what they must say: if it is not, that shows somewhere.
    throw (error as { code?: unknown }).code === undefined ? damaged(String(error), error) : error;
  }
}

async function restorePart(
  scheduler: Scheduler,
  room: StateRoom,
  bytes: Uint8Array,
): Promise<(begun: () => void) => Promise<void>> {
  const { classes, main, neighbours } = scheduler;
  const restored = new Restored(classes, main, neighbours, (number) => scheduler.signalListener(number));
  const { roots, goOn } = await room.restorePieces(bytes, [runtimeObjects(restored)]);
  const others = restored.take(roots);
  const only = (piece: number): OtherPiece => {
    const found = others.filter((each) => each.piece === piece);
    if (found.length !== 1) throw damaged(`it has ${found.length} of what there is one of`);
    return found[0] as OtherPiece;
  };
  const written = only(PIECE.tables) as unknown as Parameters<typeof readTables>[0];
  const { isFollowing } = scheduler.ingests;
  // What was sent before is there as what was under way. A run again takes that when it came.
  const tables = readTables(written, restored, hostClock.date(), ({ phase }) => (isFollowing ? phase : written.phase));
  const messages = others.filter(({ piece }) => piece === PIECE.messages) as unknown as MessagesPiece[];
  const queue = readMessages(messages, restored);
  countWaiting(queue);
  const underWay = others.filter(({ piece }) => piece === PIECE.underWay) as unknown as UnderWay[];
  scheduler.restore({ ...tables, queue }, restored, underWay);
  return (begun) => goOn(restored, begun);
}

function countWaiting({ all, apart }: QueueState<Actor>): void {
  for (const entry of [...all, ...apart.flatMap(({ mailbox = [], aside = [] }) => [...mailbox, ...aside])])
    if (entry.what === 'told' || entry.what === 'sent') entry.recipient.waiting++;
}

/** Reads what a lost worker was, while all others keep running. This one is held: messages to it wait. Answers when it has been let go. */
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
