// npm run bench:load: loading a program transformed, without a cache and with one, compared with loading it natively.
// Each sample is a process. Only loading is timed, from the first import to the end of evaluation, not the start of
// Node; the row of the empty program times the whole process instead. The bench runs what users get: packages packed by
// `npm run pack`.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runBench, type Bench } from '../harness/bench.ts';
import type { RowResult } from '../harness/comparison.ts';
import { atMost, type Bar } from '../harness/report.ts';
import type { Sample } from '../harness/sample.ts';
import { BenchError, type Variant } from '../harness/session.ts';
import { median } from '../harness/statistics.ts';

const PROGRAM = fileURLToPath(new URL('./program.mjs', import.meta.url));
const ROOT = new URL('../../', import.meta.url);
const REGISTER = new URL('.cache/pack/node_modules/turntable/dist/register.js', ROOT).href;
const COLD_LIMIT = 10;
const CACHED_LIMIT = 1;
/** Milliseconds that an empty program may take longer to start from the cache than natively. */
const START_LIMIT = 60;

interface Load {
  readonly name: string;
  readonly specifiers: readonly string[];
  readonly quick: boolean;
}

const EMPTY = 'empty program';

const LOADS: readonly Load[] = [
  { name: EMPTY, specifiers: [], quick: true },
  { name: 'graphql', specifiers: ['graphql'], quick: true },
  { name: 'zod', specifiers: ['zod'], quick: false },
  { name: 'lodash', specifiers: ['lodash'], quick: true },
  { name: 'ajv', specifiers: ['ajv'], quick: false },
  { name: 'date-fns', specifiers: ['date-fns'], quick: false },
  { name: 'handlebars', specifiers: ['handlebars'], quick: false },
  { name: 'several', specifiers: ['immutable', 'xstate', 'immer', 'decimal.js', 'bottleneck'], quick: false },
];

interface Outcome extends Sample {
  /** Thousands of transformed lines; 0 natively. */
  readonly kloc: number;
}

function run(specifiers: readonly string[], cache: string | undefined): Promise<Outcome> {
  const flags = cache === undefined ? [] : ['--import', REGISTER];
  const env = {
    ...process.env,
    TURNTABLE_CACHE: cache ?? 'off',
    TURNTABLE_EXPLAIN_CLASSIFICATION: cache === undefined ? '0' : '1',
  };
  const started = performance.now();
  const child = spawn(process.execPath, [...flags, PROGRAM, ...specifiers], { stdio: ['ignore', 'pipe', 'pipe'], env });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0)
        return reject(
          new BenchError('TT_BENCH_LOAD', `loading ${specifiers.join(', ')} ended with code ${code}: ${stderr}`),
        );
      const lines = Number(/(\d+) lines; /.exec(stderr)?.[1] ?? 0);
      const { cpu, wall } = JSON.parse(stdout) as Sample;
      const kloc = lines / 1000;
      resolve({ cpu, wall: specifiers.length === 0 ? performance.now() - started : wall, kloc });
    });
  });
}

/** Thousands of lines by program, known once it has been loaded transformed. */
const sizes = new Map<string, number>();

function variant(name: 'native' | 'cold' | 'cached', load: Load): Variant {
  return {
    name,
    async open() {
      if (name === 'native') return { sample: () => run(load.specifiers, undefined), close: async () => {} };
      const directory = mkdtempSync(join(tmpdir(), 'turntable-load-'));
      let ordinal = 0;
      if (name === 'cached') await run(load.specifiers, directory);
      return {
        async sample() {
          const outcome = await run(
            load.specifiers,
            name === 'cached' ? directory : join(directory, String(ordinal++)),
          );
          sizes.set(load.name, outcome.kloc);
          return outcome;
        },
        close: async () => rmSync(directory, { recursive: true, force: true }),
      };
    },
  };
}

/** Median over all programs of the milliseconds per thousand lines. */
function perKloc(rows: readonly RowResult[], lane: 'cold' | 'cached'): number {
  return median(rows.map((row) => (row.medians[lane] ?? Number.NaN) / (sizes.get(row.name) ?? Number.NaN)));
}

/** Median over all programs of the milliseconds per thousand lines beyond native loading. */
function addedPerKloc(rows: readonly RowResult[], lane: 'cold' | 'cached'): number {
  const added = (row: RowResult): number => (row.medians[lane] ?? Number.NaN) - (row.medians['native'] ?? Number.NaN);
  return median(rows.map((row) => added(row) / (sizes.get(row.name) ?? Number.NaN)));
}

function judge(all: readonly RowResult[]): { summaries: []; bars: Bar[] } {
  const rows = all.filter((row) => row.name !== EMPTY);
  const starts = all
    .filter((row) => row.name === EMPTY)
    .map(({ medians }) => (medians['cached'] ?? Number.NaN) - (medians['native'] ?? Number.NaN))
    .map((added) => atMost('starting an empty program from the cache, ms added', added, START_LIMIT));
  if (rows.length === 0) return { summaries: [], bars: starts };
  const each = rows.flatMap((row) => {
    const kloc = sizes.get(row.name) ?? Number.NaN;
    const name = `${row.name} (${kloc.toFixed(1)} KLOC), cold, ms/KLOC`;
    return [atMost(name, (row.medians['cold'] ?? Number.NaN) / kloc, COLD_LIMIT)];
  });
  return {
    summaries: [],
    bars: [
      ...starts,
      ...each,
      atMost('cold, ms/KLOC, all of loading', perKloc(rows, 'cold'), COLD_LIMIT),
      atMost('cached, ms/KLOC, added to native loading', addedPerKloc(rows, 'cached'), CACHED_LIMIT),
    ],
  };
}

const bench: Bench = {
  name: 'load',
  description: 'load well-known libraries natively, transformed without a cache, and transformed from the cache',
  effort: { full: { rounds: 3, samples: 5, warmup: 1 }, quick: { rounds: 1, samples: 3, warmup: 1 } },
  rows: (options) =>
    LOADS.filter((load) => load.quick || !options.quick).map((load) => ({
      name: load.name,
      variants: [variant('native', load), variant('cold', load), variant('cached', load)],
    })),
  judge,
};

for (const step of [['node_modules/typescript/bin/tsc', '--build', 'packages/turntable'], ['scripts/pack.ts']]) {
  const { status, stdout } = spawnSync(process.execPath, step, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new BenchError('TT_BENCH_LOAD', `${step.join(' ')} ended with code ${status}: ${stdout}`);
}
await runBench(bench, process.argv.slice(2));
