// `verify.ts WORKERS NAME…`: runs programs at their small sizes and prints, as one line of JSON each, the result, the
// declared number of messages and the actual one. The tests run this transformed, in its own process.

import type { WorkerSetup } from './options.ts';
import { Runner } from './runner.ts';

/** A printed line. */
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
  // Minus the calls of `once` and its answer, which are not messages of the program.
  const turns = (await runner.turns()) - before - 3;
  console.log(JSON.stringify({ name, result, messages, turns } satisfies Verified));
}
