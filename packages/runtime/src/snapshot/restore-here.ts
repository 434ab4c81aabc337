// A worker's part of a snapshot is read and its scheduler is as it was; it goes on when all others are as they were.

import type { Scheduler } from '../scheduler.ts';
import { runtimeObjects } from './objects.ts';
import { damaged, Restored, type OtherPiece } from './restored.ts';
import type { StateRoom } from './room.ts';
import { PIECE } from './worker-snapshot.ts';

/** The scheduler is held. Answers how to go on, which answers at the end of the entry point. */
export async function restoreHere(
  scheduler: Scheduler,
  room: StateRoom,
  bytes: Uint8Array,
): Promise<() => Promise<void>> {
  const restored = new Restored(scheduler.index, scheduler.classes, scheduler.known);
  const { roots, goOn } = await room.restorePieces(bytes, [runtimeObjects(scheduler.index, restored)]);
  const others = restored.take(roots);
  const only = (piece: number): OtherPiece => {
    const found = others.filter((each) => each.piece === piece);
    if (found.length !== 1) throw damaged(`it has ${found.length} of what there is one of`);
    return found[0] as OtherPiece;
  };
  scheduler.restore({
    restored,
    tables: only(PIECE.tables),
    messages: others.filter(({ piece }) => piece === PIECE.messages),
    underWay: others.filter(({ piece }) => piece === PIECE.underWay),
  });
  return () => goOn(restored.timers, () => scheduler.letGo());
}
