// With `--import`: has a snapshot taken when so many turns have been had, on all threads together, as the environment says in MOMENTS. The thread that has
// the turn waits until the snapshot has begun on the main thread; its own cut is the end of the round it is in.

import { subscribe } from 'node:diagnostics_channel';
import { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/** Turns that were begun, and snapshots. */
const TURNS = 0;
const BEGUN = 1;
/** Milliseconds: the main thread may be ending. */
const PATIENCE = 2000;

const moments = new Set((process.env['MOMENTS'] ?? '').split(',').map(Number));
if (isMainThread) setEnvironmentData('moments', new Int32Array(new SharedArrayBuffer(8)));
const counts = getEnvironmentData('moments') as Int32Array;
const channel = new BroadcastChannel('moments');
channel.unref();

async function begin(): Promise<void> {
  const { snapshot } = await import('turntable/data-source');
  void snapshot();
  Atomics.add(counts, BEGUN, 1);
  Atomics.notify(counts, BEGUN);
}

if (isMainThread) channel.addEventListener('message', begin);
subscribe('turntable.turn', (message) => {
  if ((message as { at: string }).at !== 'start' || !moments.has(Atomics.add(counts, TURNS, 1) + 1)) return;
  if (isMainThread) return void begin();
  const begun = Atomics.load(counts, BEGUN);
  channel.postMessage(undefined);
  Atomics.wait(counts, BEGUN, begun, PATIENCE);
});
