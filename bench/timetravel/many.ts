// Program of the large recordings: `many.ts ACTORS TURNS`. The actors live on two threads and share the turns; a
// snapshot is taken after each tenth of them.

import { spawnWith, start } from 'turntable';
import { Counter } from './counter.ts';

const BATCH_SIZE = 1000;
const [actors = 1, turns = 1] = process.argv.slice(2).map(Number);
const app = start({ workers: 1 });
const counters = Array.from({ length: actors }, (_, i) => spawnWith({ on: i % 2 === 0 ? 'main' : 1 }, Counter));
let sum = 0;
for (let done = 0, tenths = 1; done < turns; done += BATCH_SIZE) {
  const answers = Array.from({ length: BATCH_SIZE }, (_, i) => counters[(done + i) % actors]?.add(i));
  for (const each of await Promise.all(answers)) sum += each ?? 0;
  if (done >= (turns * tenths) / 10) {
    await app.snapshot();
    tenths++;
  }
}
console.log(sum);
await app.close();
