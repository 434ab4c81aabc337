// A file of tests in a process of its own: as Node runs it, transformed, recorded, and from its recording again.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ReplayReport } from '../../packages/replayer/src/replay/replay-report.ts';
import { recordingIn } from '../replay/record-and-replay.ts';
import { errorLine } from '../programs/run-program.ts';
import type { TestStyle } from './packages.ts';
import { parseTap, type ParsedTest } from './tap.ts';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested-form.ts';

/** Node alone; with the settings of everybody, where packages that do I/O stay native; all packages transformed; recorded; run again from there. */
export type PublishedRunMode = 'plain' | 'transformed' | 'included' | 'recorded' | 'again';

export interface TestRun {
  readonly tests: readonly ParsedTest[];
  /** How the process ended. */
  readonly end: string;
  readonly stderr: string;
}

export interface ReplayedTestRun extends TestRun {
  readonly report: ReplayReport | undefined;
}

export interface TestFile {
  /** In which it is run. */
  readonly directory: string;
  readonly file: string;
  readonly style: TestStyle;
}

/** Milliseconds: what has not ended by then waits for something that will not come. */
const TIMEOUT_MS = 120_000;
const CLOSE_GRACE_MS = 1000;
const MOCHA = fileURLToPath(new URL('mocha.cjs', import.meta.url));
const HOOKS = [...FLAGS, '--import', REGISTER];

const ENV_BY_MODE: Readonly<Record<Exclude<PublishedRunMode, 'again'>, (recordings: string) => NodeJS.ProcessEnv>> = {
  plain: () => ({}),
  transformed: () => ({}),
  included: () => ({ TURNTABLE_INCLUDE: '/node_modules/' }),
  recorded: (recordings) => ({
    TURNTABLE_TRACE: '1',
    TURNTABLE_RECORDINGS: recordings,
    TURNTABLE_SNAPSHOTS: 'end',
  }),
};

/** `into`: where its recording goes, if it is recorded. */
export async function runTests(
  mode: Exclude<PublishedRunMode, 'again'>,
  { directory, file, style }: TestFile,
  recordings = '',
): Promise<TestRun> {
  const args = [
    ...(mode === 'plain' ? [] : HOOKS),
    ...(style === 'node:test' ? ['--test-reporter=tap'] : []),
    ...(style === 'mocha' ? [MOCHA, file] : [file]),
  ];
  const { stdout, stderr, end } = await runProcess(args, directory, ENV_BY_MODE[mode](recordings));
  return { tests: parseTests(style, stdout), end, stderr };
}

/** What is in a directory of recordings, the only one there. */
export async function replayTests(recordings: string, style: TestStyle): Promise<ReplayedTestRun> {
  const args = ['replay', recordingIn(recordings), '--json', '--console', 'capture', '--force'];
  const { stdout, stderr, end } = await runProcess([...FLAGS, CLI, ...args], recordings, {});
  const report = stdout === '' ? undefined : (JSON.parse(stdout) as ReplayReport & { readonly stdout: string });
  return { tests: parseTests(style, report?.stdout ?? ''), end, stderr, report };
}

function parseTests(style: TestStyle, stdout: string): ParsedTest[] {
  if (style !== 'script') return parseTap(stdout);
  return stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [{ name: line, outcome: 'passed' }]));
}

function runProcess(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ stdout: string; stderr: string; end: string }> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => {
      // What processes of its own have inherited may stay open for longer than anybody waits.
      setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), CLOSE_GRACE_MS).unref();
    });
    child.on('close', (code, signal) => {
      const end = signal ?? (code === 0 ? '0' : `${code} ${errorLine(stderr)}`.trim());
      resolve({ stdout, stderr, end });
    });
  });
}
