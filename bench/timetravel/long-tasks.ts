// The first move into a long task, which lists all of its statements.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordLong } from './recordings.ts';
import type { MoveTimes } from './move-times.ts';
import { TimeMachineProcess } from './time-machine-process.ts';

/** Forms of `long-program.ts`. */
export const LONG_FORMS = { loop: 'loop of a file', async: 'async function', calls: '0.3 calls a statement' } as const;

/** Time that a user reads at the first stop. */
const READING_MS = 2000;

export interface LongTask {
  /** Times of the first step in the task, each in a new debugger that has been open for a moment. */
  readonly first: MoveTimes;
  /** Largest growth of the debugger's own process, in MB. */
  readonly megabytes: number;
}

/** Records the program with a number of statements, and steps into its task. */
export async function longTaskTimes(
  directory: string,
  form: keyof typeof LONG_FORMS,
  statements: number,
  rounds: number,
): Promise<LongTask> {
  const name = `${statements / 1_000_000} million statements, ${LONG_FORMS[form]}`;
  const recording = await recordLong(join(directory, `${form} ${statements}`), form, statements);
  const times: number[] = [];
  let megabytes = 0;
  for (let round = 0; round <= rounds; round++) {
    const machine = await TimeMachineProcess.open(recording, join(directory, 'cache'));
    try {
      // As a client does at the first stop, before its user steps.
      await machine.request('variables', {});
      await sleep(READING_MS);
      const before = machine.megabytes;
      const ms = await machine.timeMove({ move: 'step', direction: 'forward' });
      // The first round makes the index.
      if (round > 0) times.push(ms);
      megabytes = Math.max(megabytes, machine.megabytes - before);
    } finally {
      await machine.close();
    }
  }
  return { first: { name, times: times.toSorted((a, b) => a - b) }, megabytes };
}
