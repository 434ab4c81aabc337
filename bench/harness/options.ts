// Command line of every bench. Full runs give quotable figures; `--quick` answers "did I break it".

import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly quick: boolean;
  readonly json: boolean;
  readonly help: boolean;
  /** Substrings of row names; empty selects all rows. */
  readonly only: readonly string[];
  /** Number of new processes of every variant. */
  readonly rounds: number;
  /** Timed samples of each variant per round. */
  readonly samples: number;
  /** Untimed samples of each variant before the timed ones. */
  readonly warmup: number;
  readonly clock: 'wall' | 'cpu';
}

export interface Effort {
  readonly rounds: number;
  readonly samples: number;
  readonly warmup: number;
}

/** Default effort of a bench. */
export interface Efforts {
  readonly full: Effort;
  readonly quick: Effort;
  /** Elapsed time if absent. */
  readonly clock?: 'wall' | 'cpu';
}

export function helpText(name: string, description: string): string {
  return `${description}

npm run bench:${name} -- [options]
  --quick            less than a minute: smaller problems, rougher figures
  --json             one JSON object on standard output instead of the table
  --only NAME        only rows whose name contains NAME (repeatable)
  --rounds N         new processes of every variant
  --samples N        timed samples of each variant per round
  --warmup N         untimed samples before them
  --clock wall|cpu   measure elapsed time, or CPU time of the process
  --help

Missed bars are printed and do not fail the command; a crash or a wrong result does.`;
}

export function positive(flag: string, text: string | undefined, defaultValue: number, min: number): number {
  if (text === undefined) return defaultValue;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min) return value;
  throw new TypeError(`--${flag} takes a whole number of at least ${min}, not "${text}"`);
}

export function parseOptions(args: readonly string[], effort: Efforts): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      samples: { type: 'string' },
      warmup: { type: 'string' },
      clock: { type: 'string', default: effort.clock ?? 'wall' },
    },
  });
  if (values.clock !== 'wall' && values.clock !== 'cpu') {
    throw new TypeError(`--clock takes wall or cpu, not "${values.clock}"`);
  }
  const defaults = values.quick ? effort.quick : effort.full;
  return {
    quick: values.quick,
    json: values.json,
    help: values.help,
    only: values.only,
    clock: values.clock,
    rounds: positive('rounds', values.rounds, defaults.rounds, 1),
    samples: positive('samples', values.samples, defaults.samples, 1),
    warmup: positive('warmup', values.warmup, defaults.warmup, 0),
  };
}
