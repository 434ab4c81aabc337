// Actors on two workers that ask each other and answer the main thread, with a snapshot in the middle.
import { spawn, start } from 'turntable';
import { Clerk, Till } from './clerks.ts';

const app = start({ workers: 2 });
const till = spawn(Till);
const clerks = ['one', 'two', 'three'].map((name) => spawn(Clerk, name));
for (let round = 0; round < 2; round++) {
  const answers = await Promise.all(clerks.map((clerk) => clerk.serve(till as never, 4)));
  console.log(answers.join(', '));
  if (round === 0) await app.snapshot();
}
console.log(await till.add(0));
await app.close();
