// `verify.ts PLACE NAME…`: runs programs at their small sizes and prints for each what came out, how many messages it says that it takes, and how many
// there were, a line each, as JSON: for the tests, which run this in a process of its own, transformed.

import type { WorkerSetup } from './options.ts';
import { Runner } from './runner.ts';

/** What it says of a program. */
export interface Verified {
  readonly name: string;
  readonly result: unknown;
  readonly messages: number;
  readonly turns: number;
}

const [workerSetup = '', ...names] = process.argv.slice(2);
const runner = new Runner(workerSetup as WorkerSetup);
for (const name of names) {
  const run = runner.spawn(name, 'small');
  const result = await run.result();
  const before = await runner.turns();
  const { messages } = await run.once();
  // The order to run, and its answer, are no messages of the program.
  const turns = (await runner.turns()) - before - 3;
  console.log(JSON.stringify({ name, result, messages, turns } satisfies Verified));
}
