// The programs of the capture tests (test/programs, test/libraries, test/capture), each recorded in its own process
// with snapshots at any point, replayed, and replayed from snapshots. The recorded run must equal a run on plain Node;
// a replay must have the same output and states.
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording } from '@turntable/recording';
import { KNOWN_DIFFERENCES as ofTransform } from '../programs/differences.ts';
import { errorLine, readHeaders, runProgram, type ProgramRun } from '../programs/run-program.ts';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested-form.ts';

const TESTS_FOLDER = fileURLToPath(new URL('../', import.meta.url));
const PROGRAM_PATTERNS = {
  'programs/fixtures': '*/{*,*/main}.{js,mjs,cjs,ts,mts,cts}',
  'programs/typescript/fixtures': '*/*.ts',
  'libraries/fixtures': '*.{mjs,cjs,ts}',
  'capture/interruption/fixtures': '{*,*/main,host-changes/*}.{mjs,cjs}',
};

/** Paths of all programs, relative to test/. */
export function programs(): string[] {
  return Object.entries(PROGRAM_PATTERNS)
    .flatMap(([folder, pattern]) => globSync(join(folder, pattern), { cwd: TESTS_FOLDER }))
    .filter((file) => !file.includes('node_modules'))
    .toSorted();
}

/** Milliseconds. A process that runs longer is considered hung. */
const TIMEOUT_MS = 120_000;
const HOOKS = [...FLAGS, '--import', REGISTER];

export interface SuiteReport {
  /** Empty if all is well. */
  readonly problems: readonly string[];
  readonly events: number;
  readonly snapshots: number;
  /** Number of states compared, in all replays. */
  readonly states: number;
  /** Directory of the recording, if it has problems. */
  readonly keptRecording: string | undefined;
}

export interface SuiteOptions {
  /** When to take snapshots. */
  readonly snapshots: string;
  /** Chooses the snapshots to replay from as well. */
  choosePhases(phases: readonly number[]): readonly number[];
}

export async function recordAndReplay(file: string, { snapshots, choosePhases }: SuiteOptions): Promise<SuiteReport> {
  const path = join(TESTS_FOLDER, file);
  const recordings = mkdtempSync(join(tmpdir(), 'turntable-suite-'));
  const problems: string[] = [];
  const recorded = await runProcess(path, HOOKS, [basename(path)], {
    TURNTABLE_TRACE: '1',
    TURNTABLE_RECORDINGS: recordings,
    TURNTABLE_SNAPSHOTS: snapshots,
  });
  const expected = await expectedRun(file, path);
  if (expected !== undefined)
    problems.push(...describeDifferences(expected, recorded).map((each) => `recorded, it ${each}`));
  // Recordings of child processes are in the same directory and start later.
  const [recordingName] = readdirSync(recordings).toSorted();
  if (recordingName === undefined) {
    // The program ended before any of its code ran.
    if (recorded.code === 0) problems.push('there is no recording of it');
    rmSync(recordings, { recursive: true });
    return { problems, events: 0, snapshots: 0, states: 0, keptRecording: undefined };
  }
  const recording = openRecording(join(recordings, recordingName));
  const phases = recording.snapshots().map(({ phase }) => phase);
  let [events, states] = [0, 0];
  for (const from of [undefined, ...choosePhases(phases)]) {
    const args = [
      'replay',
      join(recordings, recordingName),
      '--force',
      ...(from === undefined ? [] : ['--from', String(from)]),
    ];
    const replay = await runProcess(path, [...FLAGS, CLI], args, {});
    const prefix = from === undefined ? '' : `from ${from}: `;
    const [, verdict = replay.stderr.slice(-1000), amounts = ''] =
      /^(same|truncated|diverged): (.*(?:\n(?:first| {2}).*)*)/m.exec(replay.stderr) ?? [];
    if (verdict !== 'same' || / different: /.test(amounts)) problems.push(`${prefix}${verdict}: ${amounts}`);
    if (!hasSameOutput(recorded, replay, from !== undefined))
      problems.push(`${prefix}it printed ${firstDifference(recorded.stdout, replay.stdout)}`);
    if (from === undefined) events = Number(/([\d,]+) events?/.exec(amounts)?.[1] ?? 0);
    states += Number(/(\d+) states? compared/.exec(amounts)?.[1] ?? 0);
  }
  if (problems.length === 0) rmSync(recordings, { recursive: true });
  return {
    problems,
    events,
    snapshots: phases.length,
    states,
    keptRecording: problems.length === 0 ? undefined : recordings,
  };
}

function hasSameOutput(recorded: ProgramRun, { stdout }: RunWithStderr, isLater: boolean): boolean {
  return isLater ? recorded.stdout.endsWith(stdout) : recorded.stdout === stdout;
}

interface RunWithStderr extends ProgramRun {
  readonly stderr: string;
}

function runProcess(
  path: string,
  flags: readonly string[],
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<RunWithStderr> {
  const ownHeaders = readHeaders(path);
  const isProgram = flags === HOOKS;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...(isProgram ? ownHeaders.flags : []), ...flags, ...args],
      {
        cwd: dirname(path),
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: 2 ** 24,
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          NO_COLOR: '1',
          ...(isProgram ? ownHeaders.environment : {}),
          ...env,
        },
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : (error.code ?? error.signal ?? 'unknown');
        resolve({ stdout, code, died: code === 0 ? '' : errorLine(stderr), stderr });
      },
    );
  });
}

/** The result on plain Node, if Node can run the program and no difference is known. */
async function expectedRun(file: string, path: string): Promise<ProgramRun | undefined> {
  const [, programPath = ''] = /^programs\/fixtures\/(.*)/.exec(file) ?? [];
  if (programPath in ofTransform || file in RECORDING_DIFFERENCES) return undefined;
  if (!/\.[cm]?ts$/.test(path)) return runProgram(path, 'native');
  if (file.startsWith('programs/typescript/')) return runProgram(path, 'transformed');
  const expectedFile = basename(path).startsWith('main.')
    ? join(dirname(path), 'expected.txt')
    : path.replace(/\.[cm]?ts$/, '.expected.txt');
  return { stdout: readFileSync(expectedFile, 'utf8'), code: 0, died: '' };
}

/**
 * Programs that behave differently when recorded, and why; docs/internals/replay.md and docs/internals/membrane.md describe this for users.
 */
export const RECORDING_DIFFERENCES: Readonly<Record<string, string>> = {
  'programs/fixtures/errors/call-sites.cjs': "the stack of an error ends before Node's loop",
  'programs/fixtures/errors/stack-receivers.js': "the stack of an error ends before Node's loop",
  'programs/fixtures/host-changes/standard-output.js':
    'the writing function of standard output is an own property, which the program deletes',
  'programs/fixtures/loading/excluded/main.mjs': 'host code does not see a promise of the program as a promise',
};

/** Programs that do not replay exactly, and why. A program that does must be removed from this list. */
export const REPLAY_DIFFERENCES: Readonly<Record<string, string>> = {
  'capture/interruption/fixtures/host-changes/with-device.mjs':
    'host code adds a property to `process`, which both sides share',
  'programs/fixtures/workers/worker-data/main.mjs':
    'threads share memory: without --force the replay is refused because of SharedArrayBuffer',
};

/** Areas of programs/fixtures whose programs can run one after another in one process (medley). */
export const MEDLEY_AREAS: readonly string[] = [
  'async',
  'async-generators',
  'bindings',
  'classes',
  'closures',
  'disposal',
  'functions',
  'generators',
  'inside',
  'interactions',
  'promises',
  'proxies',
  'sloppy',
  'tdz',
  'templates',
  'weak',
];

/** Areas whose programs need their own processes, and why. */
export const SEPARATE_AREAS: Readonly<Record<string, string>> = {
  cjs: 'Node itself loads some of their files',
  counterexamples: 'Node itself loads some of their files',
  errors: 'some end their process',
  esm: 'one has a top-level await that never settles',
  exits: 'they end their process',
  'host-changes': 'they change the host for later programs',
  loading: 'they have their own settings',
  packages: 'some have their own settings',
  node: 'they start processes, and some end theirs',
  timers: 'they replace timers',
  typescript: 'they are TypeScript',
  workers: 'they start threads, and some end their process',
};

function describeDifferences(expected: ProgramRun, recorded: ProgramRun): string[] {
  const found: string[] = [];
  if (expected.stdout !== recorded.stdout) found.push(`printed ${firstDifference(expected.stdout, recorded.stdout)}`);
  if (expected.code !== recorded.code) found.push(`ended with ${recorded.code} and not ${expected.code}`);
  if (expected.died !== recorded.died) found.push(`died of "${recorded.died}" and not of "${expected.died}"`);
  return found;
}

function firstDifference(expectedText: string, actualText: string): string {
  const [lines, others] = [expectedText.split('\n'), actualText.split('\n')];
  const difference = lines.findIndex((line, i) => line !== others[i]);
  const lineIndex = difference === -1 ? lines.length : difference;
  return `${JSON.stringify(others[lineIndex]?.slice(0, 300))} where ${JSON.stringify(lines[lineIndex]?.slice(0, 300))} was, in line ${lineIndex + 1}`;
}
