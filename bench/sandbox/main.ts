// npm run bench:sandbox: replays of a small Fastify service in the sandbox, compared with --trusted ones. Each sample is
// a command of the packages that `npm run pack` has made, from its start to its end.

import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runBench, type Bench } from '../harness/bench.ts';
import type { RowResult } from '../harness/comparison.ts';
import { atMost, type Bar } from '../harness/report.ts';
import type { Sample } from '../harness/sample.ts';
import { BenchError, type Variant } from '../harness/session.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKED = join(ROOT, '.cache/pack/node_modules');
const CLI = join(PACKED, 'turntable/dist/cli.js');
const WARM = 'replay';
const FIRST = 'first replay of a recording';
const MOVE = 'first move in the debugger';
/** Replay in the sandbox / trusted replay. */
const REPLAY_LIMIT = 1.1;
/** Seconds that the first move may take longer. */
const MOVE_LIMIT = 0.3;

interface Workplace {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cache: string;
  remove(): void;
}

/** A package with the program, its dependencies and a recording. */
function prepare(): Workplace {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-bench-sandbox-'));
  const modules = join(directory, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && name !== 'turntable' && name !== '@turntable')
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of ['turntable', '@turntable']) symlinkSync(join(PACKED, name), join(modules, name));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  cpSync(fileURLToPath(new URL('program.mjs', import.meta.url)), join(directory, 'program.mjs'));
  const cache = join(directory, 'caches');
  const env = { ...process.env, XDG_CACHE_HOME: cache, NO_COLOR: '1' };
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'record', 'program.mjs'], {
    cwd: directory,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new BenchError('TT_BENCH_SANDBOX', `record ended with code ${status}: ${stderr}`);
  return { directory, env, cache, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

function run({ directory, env }: Workplace, args: readonly string[]): Promise<Sample> {
  const started = performance.now();
  const child = spawn(process.execPath, [CLI, ...args], { cwd: directory, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const wall = performance.now() - started;
      if (code === 0) return resolve({ cpu: wall, wall });
      reject(new BenchError('TT_BENCH_SANDBOX', `turntable ${args.join(' ')} ended with code ${code}: ${stderr}`));
    });
  });
}

function variant(name: 'trusted' | 'sandbox', row: string): Variant {
  const flags = name === 'trusted' ? ['--trusted'] : ['--require-isolation'];
  const args =
    row === MOVE ? ['debug', 'recordings', ...flags, '--commands', 'moves'] : ['replay', 'recordings', ...flags];
  return {
    name,
    async open() {
      const workplace = prepare();
      writeFileSync(join(workplace.directory, 'moves'), 'step\n');
      await run(workplace, args);
      return {
        async sample() {
          if (row === FIRST) rmSync(join(workplace.cache, 'turntable'), { recursive: true, force: true });
          return await run(workplace, args);
        },
        close: async () => workplace.remove(),
      };
    },
  };
}

function judge(rows: readonly RowResult[]): { summaries: []; bars: Bar[] } {
  const bars = rows.flatMap(({ name, medians }) => {
    const [trusted = Number.NaN, sandbox = Number.NaN] = [medians['trusted'], medians['sandbox']];
    if (name === WARM) return [atMost(`${name}, sandbox / trusted`, sandbox / trusted, REPLAY_LIMIT)];
    return name === MOVE ? [atMost(`${name}, s added by the sandbox`, (sandbox - trusted) / 1000, MOVE_LIMIT)] : [];
  });
  return { summaries: [], bars };
}

const bench: Bench = {
  name: 'sandbox',
  description: 'replay and debug a small Fastify service in the sandbox, and with --trusted',
  effort: { full: { rounds: 2, samples: 7, warmup: 1 }, quick: { rounds: 1, samples: 3, warmup: 1 } },
  rows: () =>
    [WARM, FIRST, MOVE].map((name) => ({ name, variants: [variant('trusted', name), variant('sandbox', name)] })),
  judge,
};

for (const step of [['node_modules/typescript/bin/tsc', '--build', 'packages/turntable'], ['scripts/pack.ts']]) {
  const { status, stdout } = spawnSync(process.execPath, step, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new BenchError('TT_BENCH_SANDBOX', `${step.join(' ')} ended with code ${status}: ${stdout}`);
}
await runBench(bench, process.argv.slice(2));
