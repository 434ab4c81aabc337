// Used with `--import`: takes snapshots when the number of turns on all threads reaches one of the numbers in the
// environment variable MOMENTS. The thread of that turn waits until the main thread has begun the snapshot, so that it
// cuts at the end of the current round.

import { subscribe } from 'node:diagnostics_channel';
import { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/** Indexes into the shared counts: turns begun, and snapshots begun. */
const TURN_COUNT = 0;
const STARTED_COUNT = 1;
/** Limit in milliseconds, since the main thread may be ending. */
const START_TIMEOUT_MS = 2000;

const snapshotTurns = new Set((process.env['MOMENTS'] ?? '').split(',').map(Number));
if (isMainThread) setEnvironmentData('moments', new Int32Array(new SharedArrayBuffer(8)));
const counts = getEnvironmentData('moments') as Int32Array;
const channel = new BroadcastChannel('moments');
channel.unref();

async function takeSnapshot(): Promise<void> {
  const { snapshot } = await import('turntable/data-source');
  void snapshot();
  Atomics.add(counts, STARTED_COUNT, 1);
  Atomics.notify(counts, STARTED_COUNT);
}

if (isMainThread) channel.addEventListener('message', takeSnapshot);
subscribe('turntable.turn', (message) => {
  if ((message as { at: string }).at !== 'start' || !snapshotTurns.has(Atomics.add(counts, TURN_COUNT, 1) + 1)) return;
  if (isMainThread) return void takeSnapshot();
  const startedCount = Atomics.load(counts, STARTED_COUNT);
  channel.postMessage(undefined);
  Atomics.wait(counts, STARTED_COUNT, startedCount, START_TIMEOUT_MS);
});
