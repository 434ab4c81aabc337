// Command line of bench:savina.

import { parseArgs } from 'node:util';
import { positive } from '../harness/options.ts';

/** Number of workers that run the actors of a program; 0: the main thread alone. */
export const WORKER_COUNTS = { main: 0, one: 1, two: 2 } as const;
export type WorkerSetup = keyof typeof WORKER_COUNTS;
export const WORKER_SETUPS = Object.keys(WORKER_COUNTS) as readonly WorkerSetup[];

export interface SavinaOptions {
  readonly quick: boolean;
  readonly json: boolean;
  readonly help: boolean;
  /** Substrings of program names; empty selects all. */
  readonly only: readonly string[];
  readonly on: readonly WorkerSetup[];
  /** Timed runs of each row. */
  readonly samples: number;
  /** Untimed runs before the timed ones. */
  readonly warmup: number;
}

export const HELP = `the eighteen programs of the Savina suite that the papers on SOMns use, at their
sizes; every run is verified

npm run bench:savina -- [options]
  --quick              less than a minute: smaller problems, fewer runs
  --json               print one JSON object instead of the table
  --only NAME          only programs whose name contains NAME (repeatable)
  --on main|one|two    only on the main thread alone, on one worker, on two (repeatable)
  --samples N          timed runs of each row
  --warmup N           untimed runs before the timed ones
  --help

Each row runs in its own process. A wrong result, or a program that does not end, fails the command.`;

export function savinaOptions(args: readonly string[]): SavinaOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      on: { type: 'string', multiple: true, default: [...WORKER_SETUPS] },
      samples: { type: 'string' },
      warmup: { type: 'string' },
    },
  });
  const { quick, json, help, only } = values;
  return {
    quick,
    json,
    help,
    only,
    on: values.on.map(parseWorkerSetup),
    samples: positive('samples', values.samples, quick ? 3 : 10, 1),
    warmup: positive('warmup', values.warmup, quick ? 1 : 3, 0),
  };
}

function parseWorkerSetup(text: string): WorkerSetup {
  const workerSetup = WORKER_SETUPS.find((each) => each === text);
  if (workerSetup === undefined) throw new TypeError(`--on takes ${WORKER_SETUPS.join(', ')}, not "${text}"`);
  return workerSetup;
}
