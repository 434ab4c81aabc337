// A file of tests in a process of its own: as Node runs it, transformed, recorded, and from its recording again.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ReplayReport } from '../../packages/replayer/src/replay/report.ts';
import { recordingIn } from '../replay/again.ts';
import { errorLine } from '../programs/run-program.ts';
import type { Style } from './packages.ts';
import { testsIn, type Told } from './tap.ts';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested.ts';

/** Node alone; with the settings of everybody, where packages that do I/O stay native; all packages transformed; recorded; run again from there. */
export type Way = 'plain' | 'transformed' | 'included' | 'recorded' | 'again';

export interface Ran {
  readonly tests: readonly Told[];
  /** How the process ended. */
  readonly end: string;
  readonly stderr: string;
}

export interface Again extends Ran {
  readonly report: ReplayReport | undefined;
}

export interface TestFile {
  /** In which it is run. */
  readonly directory: string;
  readonly file: string;
  readonly style: Style;
}

/** Milliseconds: what has not ended by then waits for something that will not come. */
const LIMIT = 120_000;
const PATIENCE = 1000;
const MOCHA = fileURLToPath(new URL('mocha.cjs', import.meta.url));
const HOOKS = [...FLAGS, '--import', REGISTER];

const VARIABLES: Readonly<Record<Exclude<Way, 'again'>, (into: string) => NodeJS.ProcessEnv>> = {
  plain: () => ({}),
  transformed: () => ({}),
  included: () => ({ TURNTABLE_INCLUDE: '/node_modules/' }),
  recorded: (into) => ({
    TURNTABLE_TRACE: '1',
    TURNTABLE_RECORDINGS: into,
    TURNTABLE_SNAPSHOTS: 'end',
  }),
};

/** `into`: where its recording goes, if it is recorded. */
export async function run(way: Exclude<Way, 'again'>, { directory, file, style }: TestFile, into = ''): Promise<Ran> {
  const args = [
    ...(way === 'plain' ? [] : HOOKS),
    ...(style === 'node:test' ? ['--test-reporter=tap'] : []),
    ...(style === 'mocha' ? [MOCHA, file] : [file]),
  ];
  const { stdout, stderr, end } = await ended(args, directory, VARIABLES[way](into));
  return { tests: toldBy(style, stdout), end, stderr };
}

/** What is in a directory of recordings, the only one there. */
export async function runAgain(into: string, style: Style): Promise<Again> {
  const args = ['replay', recordingIn(into), '--json', '--console', 'capture', '--force'];
  const { stdout, stderr, end } = await ended([...FLAGS, CLI, ...args], into, {});
  const report = stdout === '' ? undefined : (JSON.parse(stdout) as ReplayReport & { readonly stdout: string });
  return { tests: toldBy(style, report?.stdout ?? ''), end, stderr, report };
}

function toldBy(style: Style, stdout: string): Told[] {
  if (style !== 'script') return testsIn(stdout);
  return stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [{ name: line, outcome: 'passed' }]));
}

function ended(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ stdout: string; stderr: string; end: string }> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT,
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
      setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), PATIENCE).unref();
    });
    child.on('close', (code, signal) => {
      const end = signal ?? (code === 0 ? '0' : `${code} ${errorLine(stderr)}`.trim());
      resolve({ stdout, stderr, end });
    });
  });
}
