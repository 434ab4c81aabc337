// The actors of selling.ts, with a snapshot after each round. A worker ends after the second one, and another one takes its place.
import { spawnWith, start } from 'turntable';
import { Mortal } from '../../replay/fixtures/mortal-actors.ts';
import { Clerk, Till } from './clerks.ts';

const app = start({ workers: 2 });
const mortal = spawnWith({ on: 1, supervise: 'restart' }, Mortal, 'one');
const till = spawnWith({ on: 2 }, Till);
const clerks = ['one', 'two'].map((name) => spawnWith({ on: 2 }, Clerk, name));
for (let round = 0; round < 4; round++) {
  const answers = await Promise.all(clerks.map((clerk) => clerk.serve(till as never, 3)));
  console.log(answers.join(', '));
  if (round === 1) await mortal.exit().catch(() => undefined);
  await app.snapshot();
}
await app.close();
