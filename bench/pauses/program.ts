// Child process of a row: `program.ts MEGABYTES ACTORS SNAPSHOTS [waiting]`. The actors share a heap of that size and
// take turns all the time. Prints one line of JSON with the pauses of turns. `waiting`: each actor also waits for the
// host.

import { subscribe } from 'node:diagnostics_channel';
import { spawnWith, start } from 'turntable';
import { DataHolder } from './holder.ts';

/** Measurements of a row, in milliseconds. */
export interface PauseMeasurements {
  /** Waiting times of all turns that waited. */
  readonly pauses: readonly number[];
  readonly turns: number;
  readonly cuts: readonly number[];
  readonly bytes: number;
}

/** Turns between two snapshots. */
const TURNS = 5000;

const [megabytes = 5, actors = 1, snapshots = 1] = process.argv.slice(2, 5).map(Number);
const app = start({ workers: 0 });
const holders = Array.from({ length: actors }, () => spawnWith({ on: 'main' }, DataHolder, megabytes / actors));
if (process.argv[5] === 'waiting') await Promise.all(holders.map((holder) => holder.wait()));
const pauses: number[] = [];
const cuts: number[] = [];
let bytes = 0;
let turns = 0;
let isCounting = false;
subscribe('turntable.snapshot', (message) => {
  const { at, pause, bytes: size } = message as { at: string; pause: number; bytes: number };
  if (!isCounting) return;
  bytes = size;
  if (at === 'cut') cuts.push(pause);
  if (at !== 'whole') pauses.push(pause);
});

async function work(): Promise<void> {
  for (let i = 0; i < TURNS; i += actors) {
    await Promise.all(holders.map((holder) => holder.touch()));
    turns += actors;
  }
}

await work();
// The first two rounds only warm up.
for (let i = -2; i < snapshots; i++) {
  isCounting = i >= 0;
  if (i === 0) turns = 0;
  const taken = app.snapshot();
  await work();
  await taken;
}
console.log(JSON.stringify({ pauses, turns, cuts, bytes } satisfies PauseMeasurements));
await app.close();
