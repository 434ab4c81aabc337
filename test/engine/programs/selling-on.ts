// The actors of selling.ts, with a snapshot after each round.
import { spawn, start } from 'turntable';
import { Clerk, Till } from './clerks.ts';

const app = start({ workers: 2 });
const till = spawn(Till);
const clerks = ['one', 'two'].map((name) => spawn(Clerk, name));
for (let round = 0; round < 4; round++) {
  const answers = await Promise.all(clerks.map((clerk) => clerk.serve(till as never, 3)));
  console.log(answers.join(', '));
  await app.snapshot();
}
await app.close();
