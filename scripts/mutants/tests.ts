// Runs tests of a mutated copy of the tree, and notices tests that hang.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROGRESS_VARIABLE, type ProgressLine } from './reporter.ts';

/** Tests of other packages and whole programs that use a package, most likely to notice a mutant first. */
export const RELATED_TESTS: Readonly<Record<string, readonly string[]>> = {
  boundary: [
    'test/outside/features',
    'test/replay/replay.test',
    'test/devices',
    'test/outside/failures',
    'test/outside/kept-data',
    'test/outside/lending',
  ],
  core: [
    'test/programs/programs',
    'test/conformance',
    'test/engine/wrote',
    'packages/runtime/test/eventuals',
    'test/capture',
  ],
  dap: ['test/dap'],
  devtools: ['test/devtools'],
  fastify: ['test/outside/fastify'],
  heap: [
    'test/capture',
    'test/snapshots/oracle',
    'packages/program-state/test',
    'test/recordings/recordings.test',
    'test/recordings/queries',
  ],
  loader: ['test/programs', 'test/bundlers', 'test/libraries', 'test/replay/packages'],
  'program-state': ['test/capture', 'test/devices', 'test/recordings/recordings.test', 'test/recordings/revival'],
  recording: ['test/recordings', 'test/live', 'packages/turntable/test'],
  replayer: [
    'test/engine/engine.test',
    'test/engine/promises',
    'test/engine/permissions',
    'test/replay/replay.test',
    'test/engine/wrote',
    'test/engine/states',
    'test/recordings/recordings.test',
  ],
  runtime: [
    'test/actors',
    'test/snapshots',
    'test/recordings/recordings.test',
    'test/outside/features',
    'test/replay/replay.test',
  ],
  'time-machine': [
    'test/engine/debug.test',
    'test/engine/asking',
    'test/debug',
    'test/engine/kinds',
    'test/engine/requests',
    'test/engine/promises',
  ],
  transform: [
    'test/programs/programs',
    'test/conformance',
    'test/debug/statements',
    'test/capture/restoring-form',
    'test/engine/wrote',
  ],
  turntable: [
    'test/engine/debug.test',
    'test/recordings/queries',
    'test/recordings/recordings.test',
    'test/replay/exit-codes',
    'test/live',
    'test/engine/files',
    'test/engine/refused',
  ],
};

export interface TestResult {
  readonly outcome: 'passed' | 'failed' | 'hang';
  /** The first test that failed, or the tests that were running when no test ended any more. */
  readonly tests: readonly string[];
  /** Files that failed, or that were running when no test ended any more. */
  readonly files: readonly string[];
}

const POLL_MS = 500;

/** @param silenceMs time without a test that starts or ends, after which the running tests hang */
export async function runTests(tree: string, patterns: readonly string[], silenceMs: number): Promise<TestResult> {
  const progress = join(tree, 'node_modules/.cache/mutant-progress.jsonl');
  mkdirSync(dirname(progress), { recursive: true });
  writeFileSync(progress, '');
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...patterns,
    '--bail=1',
    '--maxWorkers=1',
    '--passWithNoTests',
  ];
  const child = spawn(process.execPath, ['-C', 'turntable-source', ...vitest], {
    cwd: tree,
    stdio: 'ignore',
    // The leader of a process group, so that its test workers and their children end with it.
    detached: true,
    env: { ...process.env, CI: '1', [PROGRESS_VARIABLE]: progress },
  });
  const killGroup = (): void => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // The group has ended.
    }
  };
  let isSilent = false;
  const startedAt = Date.now();
  const timer = setInterval(() => {
    if (Date.now() - Math.max(startedAt, statSync(progress).mtimeMs) < silenceMs) return;
    isSilent = true;
    killGroup();
  }, POLL_MS);
  // First, because the directory is deleted at the exit, too.
  process.prependListener('exit', killGroup);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  clearInterval(timer);
  process.off('exit', killGroup);
  killGroup();
  return resultOf(readProgress(progress), code, isSilent);
}

function readProgress(path: string): ProgressLine[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ProgressLine);
}

function resultOf(lines: readonly ProgressLine[], code: number | null, isSilent: boolean): TestResult {
  const failed = lines.filter(({ event }) => event === 'failed');
  const files = [...new Set(failed.map(({ file }) => file))];
  if (failed.length > 0) {
    const first = failed.find(({ test }) => test !== undefined) ?? failed[0];
    return { outcome: 'failed', tests: [nameOf(first as ProgressLine)], files };
  }
  if (isSilent) {
    const running = runningTests(lines);
    const tests = running.length > 0 ? running.map(nameOf) : ['no test had started'];
    return { outcome: 'hang', tests, files: [...new Set(running.map(({ file }) => file))] };
  }
  if (code === 0) return { outcome: 'passed', tests: [], files };
  return { outcome: 'failed', tests: [lines.length === 0 ? 'no test started' : 'an error outside of tests'], files };
}

/** Tests that have started and not ended; if there are none, such files. */
function runningTests(lines: readonly ProgressLine[]): ProgressLine[] {
  const running = new Map<string, ProgressLine>();
  for (const line of lines) {
    if (line.event === 'start') running.set(nameOf(line), line);
    else running.delete(nameOf(line));
  }
  const started = [...running.values()];
  const tests = started.filter(({ test }) => test !== undefined);
  return tests.length > 0 ? tests : started;
}

function nameOf({ file, test }: ProgressLine): string {
  return test === undefined ? file : `${file} > ${test}`;
}
