// The child process of a row: `program.ts MEGABYTES ACTORS SNAPSHOTS [waiting]`. So many actors hold a heap of so many megabytes between them and have turns
// all the time, each in its turn; says how long snapshots have kept these waiting, as one line of JSON. `waiting`: each of them waits for the outside as well.

import { subscribe } from 'node:diagnostics_channel';
import { spawnWith, start } from 'turntable';
import { DataHolder } from './holder.ts';

/** What a child says of its row; milliseconds. */
export interface PauseMeasurements {
  /** All that turns have waited, of those that have. */
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
// The first ones teach the compiler.
for (let i = -2; i < snapshots; i++) {
  isCounting = i >= 0;
  if (i === 0) turns = 0;
  const taken = app.snapshot();
  await work();
  await taken;
}
console.log(JSON.stringify({ pauses, turns, cuts, bytes } satisfies PauseMeasurements));
await app.close();
