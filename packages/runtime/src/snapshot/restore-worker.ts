// Reads a worker's part of a snapshot into its scheduler, to restore all workers or to replace a lost one.

import { hostClock } from '@turntable/core';
import type { ActorCell } from '../actors/actor-cell.ts';
import type { QueueState } from '../messaging/queue-state.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { readMessages, type MessagesPiece } from './message-pieces.ts';
import { runtimeObjects } from './runtime-objects.ts';
import { damagedSnapshotError, RestoredWorker, type OtherPiece } from './restored-worker.ts';
import { RevivedWorker } from './revived-worker.ts';
import type { StateCapturer } from '@turntable/heap';
import { readTables } from './scheduler-tables.ts';
import { PIECE, type InFlightMessage } from './worker-snapshot.ts';

export interface WorkerRestoreHooks {
  /** Connects the links of workers that had all ended for good before the snapshot, so that none has a part. */
  connectEndedWorkers?(): void;
  onResumed?(): void;
}

/** Restores a paused scheduler. Returns a function that resumes it and settles when the entry point ends. */
export async function restoreWorker(
  scheduler: Scheduler,
  capturer: StateCapturer,
  bytes: Uint8Array,
  { connectEndedWorkers, onResumed }: WorkerRestoreHooks = {},
): Promise<() => Promise<void>> {
  try {
    const resume = await restorePart(scheduler, capturer, bytes, connectEndedWorkers);
    return () =>
      resume(() => {
        scheduler.resume();
        onResumed?.();
      });
  } catch (error) {
    // Pieces are not validated one by one, so an error without a code means that a piece is invalid.
    throw (error as { code?: unknown }).code === undefined ? damagedSnapshotError(String(error), error) : error;
  }
}

async function restorePart(
  scheduler: Scheduler,
  capturer: StateCapturer,
  bytes: Uint8Array,
  connectEndedWorkers: (() => void) | undefined,
): Promise<(onResumed: () => void) => Promise<void>> {
  const { classes, main, workerLinks } = scheduler;
  const restored = new RestoredWorker(classes, main, workerLinks, (number) => scheduler.signalListener(number));
  const { roots, resume } = await capturer.restoreState(bytes, [runtimeObjects(restored)]);
  const others = restored.readPieces(roots);
  const onlyPiece = (piece: number): OtherPiece => {
    const found = others.filter((each) => each.piece === piece);
    if (found.length !== 1) throw damagedSnapshotError(`it has ${found.length} pieces of kind ${piece} instead of one`);
    return found[0] as OtherPiece;
  };
  const serialized = onlyPiece(PIECE.tables) as unknown as Parameters<typeof readTables>[0];
  const { links } = serialized.workerLinks;
  if (workerLinks.isAlone && links.length > 0 && links.every(({ isOpen }) => !isOpen)) connectEndedWorkers?.();
  const { isReplaying } = scheduler.ingests;
  // A replay keeps the phases of links: it takes in-flight messages from before the cut when the recorded run did.
  const tables = readTables(serialized, restored, hostClock.epochMs(), ({ phase }) =>
    isReplaying ? phase : serialized.phase,
  );
  const messages = others.filter(({ piece }) => piece === PIECE.messages) as unknown as MessagesPiece[];
  const queue = readMessages(messages, restored);
  countWaiting(queue);
  const inFlight = others.filter(({ piece }) => piece === PIECE.inFlight) as unknown as InFlightMessage[];
  scheduler.restore({ ...tables, queue }, restored, inFlight);
  return (onResumed) => resume(restored, onResumed);
}

function countWaiting({ shared, perRecipient }: QueueState<ActorCell>): void {
  for (const entry of [...shared, ...perRecipient.flatMap(({ mailbox = [], parked = [] }) => [...mailbox, ...parked])])
    if (entry.kind === 'tell' || entry.kind === 'send') entry.recipient.waiting++;
}

/** Restores a paused worker to its predecessor's state while all others run. Settles when the worker runs. */
export async function reviveWorker(scheduler: Scheduler, capturer: StateCapturer, bytes: Uint8Array): Promise<void> {
  const { classes, main, workerLinks } = scheduler;
  const revived = new RevivedWorker(classes, main, workerLinks.epoch, scheduler.settledEventual());
  const { roots, resume, requeue } = await capturer.restoreState(bytes, [runtimeObjects(revived)]);
  revived.readPieces(roots);
  await resume({ timers: [], pendingEventuals: [], hostObjects: [] }, () => {
    scheduler.revive(revived, requeue);
    workerLinks.endClaims();
    scheduler.resume();
  });
}
