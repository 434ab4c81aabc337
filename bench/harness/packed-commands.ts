// Packages in which benches run commands of the packages that `npm run pack` makes.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sample } from './sample.ts';
import { BenchError } from './session.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKED = join(ROOT, '.cache/pack/node_modules');
const CLI = join(PACKED, 'turntable/dist/cli.js');

export interface Workplace {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cache: string;
  remove(): void;
}

/** A package with a program, its dependencies and a recording. */
export function prepare(program: URL): Workplace {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-bench-commands-'));
  const modules = join(directory, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && name !== 'turntable' && name !== '@turntable')
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of ['turntable', '@turntable']) symlinkSync(join(PACKED, name), join(modules, name));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  cpSync(fileURLToPath(program), join(directory, 'program.mjs'));
  const cache = join(directory, 'caches');
  const env = { ...process.env, XDG_CACHE_HOME: cache, NO_COLOR: '1' };
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'record', 'program.mjs'], {
    cwd: directory,
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new BenchError('TT_BENCH_COMMAND', `record ended with code ${status}: ${stderr}`);
  return { directory, env, cache, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Runs a command from its start to its end. */
export function run({ directory, env }: Workplace, args: readonly string[]): Promise<Sample> {
  const started = performance.now();
  const child = spawn(process.execPath, [CLI, ...args], { cwd: directory, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const wall = performance.now() - started;
      if (code === 0) return resolve({ cpu: wall, wall });
      reject(new BenchError('TT_BENCH_COMMAND', `turntable ${args.join(' ')} ended with code ${code}: ${stderr}`));
    });
  });
}

/** Makes the packages. */
export function pack(): void {
  for (const step of [['node_modules/typescript/bin/tsc', '--build', 'packages/turntable'], ['scripts/pack.ts']]) {
    const { status, stdout } = spawnSync(process.execPath, step, { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0)
      throw new BenchError('TT_BENCH_COMMAND', `${step.join(' ')} ended with code ${status}: ${stdout}`);
  }
}
