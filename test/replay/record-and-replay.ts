// Records a program in one process and replays it in another one, with the output of both and the replay report.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording, type TraceEvent } from '@turntable/recording';
import type { ReplayReport } from '../../packages/replayer/src/replay/replay-report.ts';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

export const PROGRAMS: string = fileURLToPath(new URL('programs/', import.meta.url));
export const FIXTURES: string = fileURLToPath(new URL('fixtures/', import.meta.url));
/** Environment of a process whose threads are delayed at random. */
export const CHAOS: NodeJS.ProcessEnv = { NODE_OPTIONS: `--import=${import.meta.resolve('./chaos.ts')}` };
/** Milliseconds. A process that runs longer is considered hung, unless the caller allows more. */
const TIMEOUT_MS = 240_000;

/** TURNTABLE_TEST_DEBUG=1 runs all replays with a probe before each statement. */
const DEBUG_FLAGS: readonly string[] = process.env['TURNTABLE_TEST_DEBUG'] === '1' ? ['--debug'] : [];
/** TURNTABLE_TEST_ISOLATED=1 fails a replay whose processes are not isolated. */
const SANDBOX_FLAGS: readonly string[] = process.env['TURNTABLE_TEST_ISOLATED'] === '1' ? ['--require-isolation'] : [];

export interface TurntableResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

export interface ReplayResult extends Omit<TurntableResult, 'stdout'> {
  /** Output of the program. */
  readonly output: string;
  readonly report: ReplayReport;
}

interface CommandOptions {
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly cwd?: string | undefined;
  /** Milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Text for standard input. */
  readonly input?: string | undefined;
}

export function runTurntable(
  args: readonly string[],
  { env = {}, cwd = FIXTURES, timeoutMs = TIMEOUT_MS, input }: CommandOptions = {},
): TurntableResult {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
    cwd,
    input,
    encoding: 'utf8',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env },
  });
  return { stdout, stderr, status };
}

/** Records into an empty directory. Throws unless the program exits with 0. */
export function record(
  recordings: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
  cwd?: string,
): TurntableResult {
  const ended = runTurntable(['record', '--recordings', recordings, ...args], { env, cwd });
  if (ended.status !== 0) throw new Error(`${args.join(' ')} exited with ${ended.status}:\n${ended.stderr}`);
  return ended;
}

/** The only recording in a directory of recordings. */
export function recordingIn(directory: string): string {
  const [name, ...others] = readdirSync(directory);
  if (name === undefined || others.length > 0) throw new Error(`${directory} must contain exactly one recording`);
  return join(directory, name);
}

/** The stored events of a worker's first epoch. */
export function traceEvents(directory: string, worker: number): TraceEvent[] {
  const trace = openRecording(directory).trace(worker, 0);
  const events: TraceEvent[] = [];
  for (let { next } = trace; next !== undefined; { next } = trace) {
    events.push(next);
    trace.take();
  }
  trace.close();
  return events;
}

/** Replays with the program's output on standard error, which contains nothing else. Throws if there is no report. */
export function replay(
  directory: string,
  args: readonly string[] = [],
  env?: NodeJS.ProcessEnv,
  timeoutMs?: number,
): ReplayResult {
  // Some tests have another PATH, without bubblewrap.
  const isRestricted = args.includes('--trusted') || env?.['PATH'] !== undefined;
  const flags = [...DEBUG_FLAGS, ...(isRestricted ? [] : SANDBOX_FLAGS)];
  // The output is compared with the recorded one.
  const { stdout, stderr, status } = runTurntable(['replay', directory, '--json', '--no-redact', ...flags, ...args], {
    env,
    timeoutMs,
  });
  if (stdout === '') throw new Error(`the replay of ${directory} exited with ${status} and no report:\n${stderr}`);
  return { output: stderr, stderr, status, report: JSON.parse(stdout) as ReplayReport };
}

/** The problems of a replay that should equal the recorded run; empty if it does. */
export function differences(
  recorded: Pick<TurntableResult, 'stdout'>,
  { output, report, status }: ReplayResult,
): string[] {
  const problems: string[] = [];
  if (report.verdict !== 'same')
    problems.push(`${report.verdict}: ${JSON.stringify(report.divergence ?? report.missingThreads)}`);
  if (report.cuts.different.length > 0) problems.push(`states differ: ${JSON.stringify(report.cuts.different)}`);
  if (output !== recorded.stdout) problems.push(`printed ${firstDifference(recorded.stdout, output)}`);
  if (status !== 0 && problems.length === 0) problems.push(`exited with ${status}`);
  return problems;
}

/** The phases of the snapshots of the only recording in a directory, in order. */
export function snapshotPhases(directory: string): number[] {
  return openRecording(recordingIn(directory))
    .snapshots()
    .map(({ phase }) => phase);
}

/**
 * The problems of a replay from a snapshot: its output must be the end of the recorded output, and all later states
 * must be compared.
 */
export function differencesFrom(
  phase: number,
  directory: string,
  recorded: Pick<TurntableResult, 'stdout'>,
  env?: NodeJS.ProcessEnv,
): string[] {
  const replayResult = replay(directory, ['--from', String(phase)], env);
  const { stdout } = recorded;
  const end = stdout.endsWith(replayResult.output) ? replayResult.output : stdout;
  const problems = differences({ stdout: end }, replayResult);
  const states = openRecording(recordingIn(directory))
    .snapshots()
    .reduce((sum, snapshot) => sum + (snapshot.phase > phase ? snapshot.workers.length : 0), 0);
  const { compared } = replayResult.report.cuts;
  if (compared !== states) problems.push(`${compared} states were compared, not ${states}`);
  return problems.map((each) => `from ${phase}: ${each}`);
}

/** Picks `count` items at equal distances from a list, starting at the index `first`. */
export function sample<T>(all: readonly T[], count: number, first = 0): T[] {
  const sampled = Array.from(
    { length: count },
    (_, i) => all[(first + Math.floor((i * all.length) / count)) % all.length] as T,
  );
  return [...new Set(sampled)];
}

function firstDifference(expected: string, actual: string): string {
  const [lines, others] = [expected.split('\n'), actual.split('\n')];
  const difference = lines.findIndex((line, i) => line !== others[i]);
  const lineIndex = difference === -1 ? lines.length : difference;
  return `${JSON.stringify(others[lineIndex]?.slice(0, 300))} where ${JSON.stringify(lines[lineIndex]?.slice(0, 300))} was printed, in line ${lineIndex + 1}`;
}
