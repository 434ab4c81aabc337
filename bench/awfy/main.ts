// npm run bench:awfy: the cost of being capturable. Fourteen Are-We-Fast-Yet programs and five of ours, native and
// transformed, each variant in separate processes.

import { fileURLToPath } from 'node:url';
import { runBench, type Bench } from '../harness/bench.ts';
import { CONTROL, type RowResult } from '../harness/comparison.ts';
import type { BenchOptions } from '../harness/options.ts';
import { atMost, type Bar, type Summary } from '../harness/report.ts';
import { processVariant, type Variant } from '../harness/session.ts';
import { geomeanInterval } from '../harness/statistics.ts';
import { PROGRAMS, type AwfyProgram } from './catalog.ts';

const GEOMEAN_LIMIT = 1.02;
const CLEARLY_SLOWER = 1.15;

const HOOKS = { native: [], transformed: ['--import', 'turntable/register'] };

function variant(name: keyof typeof HOOKS, program: AwfyProgram, options: BenchOptions): Variant {
  const load = options.quick ? program.quick : program.full;
  return processVariant({
    name,
    file: fileURLToPath(new URL('./program.ts', import.meta.url)),
    args: [program.module, String(load.inner), String(load.repeat)],
    execArgv: ['-C', 'turntable-source', ...HOOKS[name]],
  });
}

function suiteOf(row: RowResult): AwfyProgram | undefined {
  return PROGRAMS.find((program) => program.name === row.name);
}

function judge(rows: readonly RowResult[]): { summaries: Summary[]; bars: Bar[] } {
  const suite = rows.filter((row) => suiteOf(row)?.suite === 'awfy');
  const micro = rows.filter((row) => suiteOf(row)?.suite === 'micro');
  const bars: Bar[] = micro.map((row) =>
    atMost(row.name, row.ratios['transformed']!.median, suiteOf(row)?.limit ?? Number.NaN),
  );
  const whole = suite.length === PROGRAMS.filter((program) => program.suite === 'awfy').length;
  if (!whole) return { summaries: [], bars };

  const transformed = geomeanInterval(suite.map((row) => row.paired['transformed']!));
  const control = geomeanInterval(suite.map((row) => row.paired[CONTROL]!));
  const slowest = suite.toSorted((a, b) => b.ratios['transformed']!.low - a.ratios['transformed']!.low)[0]!;
  return {
    summaries: [{ name: 'geomean of the fourteen', ratios: { transformed, [CONTROL]: control } }],
    bars: [
      atMost('geomean of the fourteen', transformed.median, GEOMEAN_LIMIT),
      atMost(`lower bound of the slowest (${slowest.name})`, slowest.ratios['transformed']!.low, CLEARLY_SLOWER),
      ...bars,
    ],
  };
}

const bench: Bench = {
  name: 'awfy',
  description:
    'Are-We-Fast-Yet and small programs of closures, generators and async functions: native against transformed.',
  // The programs do no I/O, so CPU time covers all their work, and excludes other work of the machine.
  effort: {
    full: { rounds: 5, samples: 6, warmup: 8 },
    quick: { rounds: 1, samples: 5, warmup: 5 },
    clock: 'cpu',
  },
  rows: (options) =>
    PROGRAMS.map((program) => ({
      name: program.name,
      variants: [variant('native', program, options), variant('transformed', program, options)],
    })),
  judge,
};

await runBench(bench, process.argv.slice(2));
