// `main.ts PROGRAM WORKERS TIMES [SNAPSHOT-AFTER] [random]`: runs a program of this directory so often and says what came out of each run, in lines of JSON. What comes out
// depends on who was faster, on timers and on draws: nobody knows before. With `random`, it is drawn as well where actors live (spawn.ts).

import { start } from 'turntable';

interface Racy {
  run(round: number): Promise<unknown>;
}

const [name = '', workers = '1', times = '1', after = 'never'] = process.argv.slice(2);
const app = start({ workers: Number(workers) });
const { run } = (await import(`./${name}.ts`)) as Racy;
for (let round = 1; round <= Number(times); round++) {
  console.log(JSON.stringify({ round, came: await run(round) }));
  if (after === String(round)) await app.snapshot();
}
await app.close();
console.log('closed');
