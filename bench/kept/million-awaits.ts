// Child process of a variant: a million awaits in a loop whose function has variables that only a debugger needs.

import { serveSamples } from '../harness/sample-server.ts';

const count = Number(process.argv[2]);

async function add(first: number, second: number): Promise<number> {
  const before = first;
  const rest = second;
  await Promise.resolve();
  return before + (rest - second) + second;
}

async function sumTo(end: number, label: string): Promise<number> {
  const started = label.length;
  const names = [label];
  let sum = 0;
  for (let i = 0; i < end; i++) {
    const doubled = i * 2;
    const half = doubled / 2;
    sum = await add(sum, half);
  }
  return sum - started + names.length;
}

await serveSamples(async () => async () => {
  // Each round of the loop has two awaits.
  const end = count / 2;
  if ((await sumTo(end, 's')) !== (end * (end - 1)) / 2) throw new Error('wrong sum');
});
