// `in-place-program.ts MEGABYTES RESTORES FILE`: restores a snapshot in place repeatedly and prints how long each
// restore took, to the main program's first line and to the answer of the actor that holds the heap. FILE has its start
// time.

import { readFileSync, writeFileSync } from 'node:fs';
import { spawnWith, start } from 'turntable';
import { DataHolder } from '../pauses/holder.ts';

const [megabytes = 1, epochs = 5] = process.argv.slice(2).map(Number);
const file = process.argv[4] as string;
const app = start({ workers: 1 });
const holder = spawnWith({ on: 1 }, DataHolder, megabytes);
await holder.touch();
await app.snapshot();
const startedAt = Date.now();
await holder.touch();
const answeredAt = Date.now();
const { epoch } = await app.stats();
if (epoch > 0) {
  const requestedAt = Number(readFileSync(file, 'utf8'));
  // CPU time of the process since its start.
  const { user, system } = process.cpuUsage();
  console.log(startedAt - requestedAt, answeredAt - requestedAt, process.memoryUsage.rss(), (user + system) / 1000);
}
if (epoch < epochs) {
  writeFileSync(file, String(Date.now()));
  await app.restore();
}
await app.close();
