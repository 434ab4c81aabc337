// Runs tests of a mutated copy of the tree, and notices tests that hang.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROGRESS_VARIABLE, type ProgressLine, type TimedLine } from './reporter.ts';

export interface TestResult {
  readonly outcome: 'passed' | 'failed' | 'hang';
  /** Durations of all files that have ended, in milliseconds. */
  readonly durations: ReadonlyMap<string, number>;
  /** The first test that failed, or the tests that were running when no test ended any more. */
  readonly tests: readonly string[];
  /** Files that failed, or that were running when no test ended any more. */
  readonly files: readonly string[];
}

const POLL_MS = 500;

export interface TestOptions {
  /** Time without a test that starts or ends, after which the running tests hang. */
  readonly silenceMs: number;
  /** Whether all tests run, several files at a time, whatever fails. Otherwise the first failure ends the run. */
  readonly isThorough?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

export async function runTests(
  tree: string,
  patterns: readonly string[],
  { silenceMs, isThorough = false, env = {} }: TestOptions,
): Promise<TestResult> {
  const progress = join(tree, 'node_modules/.cache/mutant-progress.jsonl');
  mkdirSync(dirname(progress), { recursive: true });
  writeFileSync(progress, '');
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...patterns, '--passWithNoTests'];
  if (!isThorough) vitest.push('--bail=1', '--maxWorkers=1');
  const child = spawn(process.execPath, ['-C', 'turntable-source', ...vitest], {
    cwd: tree,
    stdio: 'ignore',
    // The leader of a process group, so that its test workers and their children end with it.
    detached: true,
    env: { ...process.env, ...env, CI: '1', [PROGRESS_VARIABLE]: progress },
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
  const lines = readProgress(progress);
  return { ...outcomeOf(lines, code, isSilent), durations: durationsOf(lines) };
}

function readProgress(path: string): TimedLine[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as TimedLine);
}

function durationsOf(lines: readonly TimedLine[]): Map<string, number> {
  const startedAt = new Map<string, number>();
  const durations = new Map<string, number>();
  for (const { event, file, test, time } of lines) {
    if (test !== undefined) continue;
    if (event === 'start') startedAt.set(file, time);
    else durations.set(file, time - (startedAt.get(file) ?? time));
  }
  return durations;
}

function outcomeOf(
  lines: readonly ProgressLine[],
  code: number | null,
  isSilent: boolean,
): Omit<TestResult, 'durations'> {
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
