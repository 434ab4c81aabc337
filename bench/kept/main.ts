// npm run bench:kept: the cost of keeping variables, so that a debugger shows them after an await. Runs programs in
// debug mode with and without the code that keeps them.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROGRAMS } from '../awfy/catalog.ts';
import { runBench, type Bench } from '../harness/bench.ts';
import type { Comparison, RowResult } from '../harness/comparison.ts';
import type { BenchOptions } from '../harness/options.ts';
import { atMost, type Bar, type Table } from '../harness/report.ts';
import { processVariant, type Variant } from '../harness/session.ts';

const TIME_LIMIT = 1.1;
const SUSPENDED = 200_000;
/** Rows of bench:awfy with suspensions. */
const SHARED_ROWS = ['async call + await', 'async tree recursion', 'generator iteration'];

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const HOOKS = {
  unkept: new URL('./install-unkept.ts', import.meta.url).href,
  kept: new URL('../probes/install-debug.ts', import.meta.url).href,
};
type Form = keyof typeof HOOKS;
const flagsOf = (form: Form): string[] => ['-C', 'turntable-source', '--import', HOOKS[form]];

function comparison(name: string, file: string, args: readonly string[]): Comparison {
  const variant = (form: Form): Variant => processVariant({ name: form, file, args, execArgv: flagsOf(form) });
  return { name, variants: [variant('unkept'), variant('kept')] };
}

function rows({ quick }: BenchOptions): Comparison[] {
  const shared = PROGRAMS.filter(({ name }) => SHARED_ROWS.includes(name)).map((program) => {
    const { inner, repeat } = quick ? program.quick : program.full;
    return comparison(program.name, here('../awfy/program.ts'), [program.module, String(inner), String(repeat)]);
  });
  return [comparison('a million awaits', here('million-awaits.ts'), [String(quick ? 200_000 : 1_000_000)]), ...shared];
}

async function* tables(_: BenchOptions, progress: (line: string) => void): AsyncGenerator<Table> {
  const run = promisify(execFile);
  const rows: string[][] = [];
  for (const form of ['unkept', 'kept'] as const) {
    progress(`memory of suspended functions, ${form}`);
    const args = ['--expose-gc', ...flagsOf(form), here('suspended-frames.ts'), String(SUSPENDED)];
    const { stdout } = await run(process.execPath, args);
    rows.push([form, Number(stdout).toFixed(0)]);
  }
  yield {
    title: `memory of ${SUSPENDED.toLocaleString('en-US')} suspended functions with four variables that only a debugger needs`,
    header: ['', 'bytes each'],
    rows,
  };
}

function judge(measured: readonly RowResult[]): { summaries: []; bars: Bar[] } {
  const bars = measured.map(({ name, ratios }) => atMost(name, ratios['kept']?.median ?? Number.NaN, TIME_LIMIT));
  return { summaries: [], bars };
}

const bench: Bench = {
  name: 'kept',
  description: 'debug mode with the variables that it keeps at suspensions, against debug mode without them',
  effort: {
    full: { rounds: 3, samples: 7, warmup: 5 },
    quick: { rounds: 1, samples: 3, warmup: 2 },
    clock: 'cpu',
  },
  rows,
  judge,
  tables,
};

await runBench(bench, process.argv.slice(2));
