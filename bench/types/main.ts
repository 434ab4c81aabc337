// npm run bench:types: what the types of references and messages cost the compiler. A sample is one process of `tsc`
// over a project of actors; the same project with `any` instead of the types is the baseline. `start` is an empty
// project: the compiler's start, its library and @types/node.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runBench, type Bench } from '../harness/bench.ts';
import type { RowResult } from '../harness/comparison.ts';
import { atMost, type Bar } from '../harness/report.ts';
import type { Sample } from '../harness/sample.ts';
import { BenchError, type Variant } from '../harness/session.ts';
import { METHODS, writeProject, type ProjectLane } from './project.ts';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const RUNTIME = fileURLToPath(new URL('../../packages/runtime', import.meta.url));
/** Limit in milliseconds for compiling the largest project. */
const LIMIT = 2000;
const CLASSES = 200;

const SIZES: readonly number[] = [CLASSES, 20];

/** Shell script that prints the CPU time of its children, which Node cannot measure. */
const TIMED = '"$@"; code=$?; times; exit $code';

function compile(config: string): Promise<Sample> {
  const started = performance.now();
  const child = spawn('sh', ['-c', TIMED, 'sh', process.execPath, TSC, '--pretty', 'false', '-p', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const wall = performance.now() - started;
      if (code !== 0)
        return reject(new BenchError('TT_BENCH_TYPES', `tsc ended with code ${code}: ${stdout.slice(0, 2000)}`));
      const times = stdout.trimEnd().split('\n').at(-1) ?? '';
      const used = Array.from(times.matchAll(/(\d+)m([\d.]+)s/g), ([, m, s]) => Number(m) * 60 + Number(s));
      resolve({ wall, cpu: 1000 * used.reduce((sum, each) => sum + each, 0) });
    });
  });
}

function variant(name: ProjectLane, classes: number): Variant {
  return {
    name,
    async open() {
      const directory = mkdtempSync(join(tmpdir(), 'turntable-types-'));
      const config = writeProject(directory, name, classes);
      return {
        sample: () => compile(config),
        close: async () => rmSync(directory, { recursive: true, force: true }),
      };
    },
  };
}

function rowName(classes: number): string {
  return `${classes} classes of ${METHODS} methods`;
}

function judge(rows: readonly RowResult[]): { summaries: []; bars: Bar[] } {
  const row = rows.find(({ name }) => name === rowName(CLASSES));
  if (row === undefined) return { summaries: [], bars: [] };
  const [typed, loose] = [row.medians['typed'] ?? Number.NaN, row.medians['any'] ?? Number.NaN];
  return {
    summaries: [],
    bars: [
      atMost(`${row.name}, compiled, ms`, typed, LIMIT),
      atMost(`${row.name}, added by the types, ms`, typed - loose, LIMIT),
    ],
  };
}

const bench: Bench = {
  name: 'types',
  description: 'compile a project of actors: with any instead of the types, with the types, and an empty project',
  effort: { full: { rounds: 2, samples: 7, warmup: 1 }, quick: { rounds: 1, samples: 3, warmup: 1 } },
  rows: () =>
    SIZES.map((classes) => ({
      name: rowName(classes),
      variants: [variant('any', classes), variant('typed', classes), variant('start', classes)],
    })),
  judge,
};

if (!process.argv.includes('--help')) execFileSync(process.execPath, [TSC, '--build', RUNTIME], { stdio: 'inherit' });
await runBench(bench, process.argv.slice(2));
