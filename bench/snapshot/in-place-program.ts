// `in-place-program.ts MEGABYTES LIVES FILE`: goes back in place so many times; says how long each has taken, to the main program's first line and to the answer of
// the actor that holds the heap. FILE has when it was asked for.

import { readFileSync, writeFileSync } from 'node:fs';
import { spawnWith, start } from 'turntable';
import { Holder } from '../pauses/holder.ts';

const [megabytes = 1, lives = 5] = process.argv.slice(2).map(Number);
const file = process.argv[4] as string;
const app = start({ workers: 1 });
const holder = spawnWith({ on: 1 }, Holder, megabytes);
await holder.touch();
await app.snapshot();
const first = Date.now();
await holder.touch();
const answered = Date.now();
const { epoch } = await app.stats();
if (epoch > 0) {
  const asked = Number(readFileSync(file, 'utf8'));
  // Of all lives of the process.
  const { user, system } = process.cpuUsage();
  console.log(first - asked, answered - asked, process.memoryUsage.rss(), (user + system) / 1000);
}
if (epoch < lives) {
  writeFileSync(file, String(Date.now()));
  await app.restore();
}
await app.close();
