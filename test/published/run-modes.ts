// Runs a test file in a separate process: on Node alone, transformed, recorded, or as a replay.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ReplayReport } from '../../packages/replayer/src/replay/replay-report.ts';
import { recordingIn } from '../replay/record-and-replay.ts';
import { errorLine } from '../programs/run-program.ts';
import type { TestStyle } from './packages.ts';
import { parseTap, type ParsedTest } from './tap.ts';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested-form.ts';

/**
 * `plain`: Node alone. `transformed`: default settings, where packages that do I/O stay native. `included`: all packages
 * transformed.
 */
export type PublishedRunMode = 'plain' | 'transformed' | 'included' | 'recorded' | 'replayed';

export interface TestRun {
  readonly tests: readonly ParsedTest[];
  /** Signal, or exit code and error. */
  readonly end: string;
  readonly stderr: string;
}

export interface ReplayedTestRun extends TestRun {
  readonly report: ReplayReport | undefined;
}

export interface TestFile {
  /** Working directory. */
  readonly directory: string;
  readonly file: string;
  readonly style: TestStyle;
}

/** Timeout after which a process counts as hung. */
const TIMEOUT_MS = 120_000;
const CLOSE_GRACE_MS = 1000;
const MOCHA = fileURLToPath(new URL('mocha.cjs', import.meta.url));
const HOOKS = [...FLAGS, '--import', REGISTER];

const ENV_BY_MODE: Readonly<Record<Exclude<PublishedRunMode, 'replayed'>, (recordings: string) => NodeJS.ProcessEnv>> =
  {
    plain: () => ({}),
    transformed: () => ({}),
    included: () => ({ TURNTABLE_INCLUDE: '/node_modules/' }),
    recorded: (recordings) => ({
      TURNTABLE_TRACE: '1',
      TURNTABLE_RECORDINGS: recordings,
      TURNTABLE_SNAPSHOTS: 'end',
    }),
  };

/** @param recordings directory for the recording of a recorded run */
export async function runTests(
  mode: Exclude<PublishedRunMode, 'replayed'>,
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

/** Replays the only recording in a directory. */
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
      // Child processes of the test may keep inherited streams open indefinitely.
      setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), CLOSE_GRACE_MS).unref();
    });
    child.on('close', (code, signal) => {
      const end = signal ?? (code === 0 ? '0' : `${code} ${errorLine(stderr)}`.trim());
      resolve({ stdout, stderr, end });
    });
  });
}
