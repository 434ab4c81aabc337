// npm run bench:probes: the cost of being able to pause at every statement. Runs the programs of bench:awfy as they are
// recorded, and in debug mode without any pause.

import { fileURLToPath } from 'node:url';
import { PROGRAMS, type AwfyProgram } from '../awfy/catalog.ts';
import { runBench, type Bench } from '../harness/bench.ts';
import { CONTROL, type RowResult } from '../harness/comparison.ts';
import type { BenchOptions } from '../harness/options.ts';
import { atMost, type Bar, type Summary } from '../harness/report.ts';
import { processVariant, type Variant } from '../harness/session.ts';
import { geomeanInterval } from '../harness/statistics.ts';

const GEOMEAN_LIMIT = 1.6;

const HOOKS = { recorded: 'turntable/register', debug: new URL('./install-debug.ts', import.meta.url).href };

function variant(name: keyof typeof HOOKS, program: AwfyProgram, options: BenchOptions): Variant {
  const load = options.quick ? program.quick : program.full;
  return processVariant({
    name,
    file: fileURLToPath(new URL('../awfy/program.ts', import.meta.url)),
    args: [program.module, String(load.inner), String(load.repeat)],
    execArgv: ['-C', 'turntable-source', '--import', HOOKS[name]],
  });
}

function judge(rows: readonly RowResult[]): { summaries: Summary[]; bars: Bar[] } {
  const suite = PROGRAMS.filter((program) => program.suite === 'awfy').map(({ name }) => name);
  const measured = rows.filter(({ name }) => suite.includes(name));
  if (measured.length < suite.length) return { summaries: [], bars: [] };
  const debug = geomeanInterval(measured.map((row) => row.paired['debug']!));
  const control = geomeanInterval(measured.map((row) => row.paired[CONTROL]!));
  const name = 'geomean of the fourteen';
  return {
    summaries: [{ name, ratios: { debug, [CONTROL]: control } }],
    bars: [atMost(name, debug.median, GEOMEAN_LIMIT)],
  };
}

const bench: Bench = {
  name: 'probes',
  description:
    'Are-We-Fast-Yet and small programs of closures, generators and async functions: debug mode against recorded form',
  effort: {
    full: { rounds: 3, samples: 5, warmup: 8 },
    quick: { rounds: 1, samples: 3, warmup: 4 },
    clock: 'cpu',
  },
  rows: (options) =>
    PROGRAMS.map((program) => ({
      name: program.name,
      variants: [variant('recorded', program, options), variant('debug', program, options)],
    })),
  judge,
};

await runBench(bench, process.argv.slice(2));
