// `main.ts PROGRAM[+PROGRAM…] WORKERS TIMES [SNAPSHOT-AFTER] [random]`: runs programs of this directory several times, all
// at the same time, and prints each result as a line of JSON. The results depend on scheduling, timers and draws. With
// `random`, the placement of actors is drawn as well (spawn.ts).

import { start } from 'turntable';

interface Racy {
  run(round: number): Promise<unknown>;
}

const [name = '', workers = '1', times = '1', after = 'never'] = process.argv.slice(2);
const app = start({ workers: Number(workers) });
const programs = await Promise.all(name.split('+').map(async (each) => (await import(`./${each}.ts`)) as Racy));
for (let round = 1; round <= Number(times); round++) {
  const print = async ({ run }: Racy): Promise<void> => console.log(JSON.stringify({ round, came: await run(round) }));
  await Promise.all(programs.map(print));
  if (after === String(round)) await app.snapshot();
}
await app.close();
console.log('closed');
