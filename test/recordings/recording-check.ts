// Checks a recording whose process may have ended at any moment: it opens, replays with one verdict, can be entered by
// every kind of move, and its snapshots can be restored.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openRecording } from '@turntable/recording';
import { NAVIGATION_KINDS } from '@turntable/time-machine/client';
import type { ReplayReport } from '../../packages/replayer/src/replay/replay-report.ts';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { environment, REPOSITORY, type CliResult } from './processes.ts';

export interface RecordingCheckOptions {
  /** Number of replays, which must have the same verdict (1). */
  readonly replays?: number;
  /** Verdicts that are no problem (`same` and `truncated`). */
  readonly verdicts?: readonly string[];
  /** Whether all moves are made, and the last snapshot is restored (true). */
  readonly isEntered?: boolean;
  /** Variable of the main module. The check moves to its last write before the last output. */
  readonly written?: string;
}

export interface RecordingCheck {
  readonly problems: readonly string[];
  /** Verdict of each replay. */
  readonly verdicts: readonly string[];
  /** Output of the program in the first replay. */
  readonly output: string;
}

/** Milliseconds until a process counts as hung. */
const TIMEOUT_MS = 120_000;
const ENVIRONMENT: NodeJS.ProcessEnv = { ...environment, NODE_NO_WARNINGS: '1', TURNTABLE_SERVICES: 'off' };
const COMMAND = [...FLAGS, CLI];

export async function checkRecording(directory: string, options: RecordingCheckOptions = {}): Promise<RecordingCheck> {
  const { replays = 1, verdicts: expectedVerdicts = ['same', 'truncated'], isEntered = true, written } = options;
  const unreadable = readProblems(directory);
  if (unreadable.length > 0) return { problems: unreadable, verdicts: [], output: '' };
  const [first, ...others] = Array.from({ length: replays }, () => replayVerdict(directory));
  const { verdict: firstVerdict, output } = first as ReplayedVerdict;
  const verdicts = [firstVerdict, ...others.map(({ verdict }) => verdict)];
  const problems = verdicts
    .filter((verdict) => !expectedVerdicts.includes(verdict))
    .map((verdict) => `replay: ${verdict}`);
  if (new Set(verdicts).size > 1) problems.push(`${new Set(verdicts).size} verdicts: ${verdicts.join(', ')}`);
  if (!isEntered) return { problems, verdicts, output };
  problems.push(...moveProblems(directory, output === '' ? undefined : written));
  const recording = openRecording(directory);
  const tracedPhases = recording.traces().find(({ worker }) => worker === 0)?.phases;
  const replayable = recording.phases().findLast((phase) => tracedPhases?.includes(phase));
  if (replayable !== undefined) {
    const { verdict } = replayVerdict(directory, ['--from', String(replayable)]);
    if (!expectedVerdicts.includes(verdict)) problems.push(`replay from ${replayable}: ${verdict}`);
  }
  if (recording.phases().length > 0) problems.push(...(await restoreProblems(directory)));
  return { problems, verdicts, output };
}

/** Opens a recording and reads all of its files. */
export function readProblems(directory: string): string[] {
  try {
    const recording = openRecording(directory);
    for (const { sha256 } of recording.manifest.modules) recording.source(sha256);
    for (const phase of recording.phases()) {
      using snapshot = recording.readSnapshot(phase);
      snapshot.verify();
    }
    for (const { worker, epoch } of recording.traces()) {
      const trace = recording.trace(worker, epoch);
      while (trace.next !== undefined) trace.take();
      trace.close();
    }
    return [];
  } catch (error) {
    return [`cannot be read: ${(error as Error).message}`];
  }
}

function runQuietly(args: readonly string[], input = ''): CliResult {
  return spawnSync(process.execPath, [...COMMAND, ...args], {
    cwd: REPOSITORY,
    input,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
    env: ENVIRONMENT,
  });
}

interface ReplayedVerdict {
  /** The verdict, with its reason unless it is `same` or `truncated`. */
  readonly verdict: string;
  readonly output: string;
}

function replayVerdict(directory: string, args: readonly string[] = []): ReplayedVerdict {
  const { stdout, stderr, status } = runQuietly(['replay', directory, '--json', ...args]);
  if (stdout === '') return { verdict: `exit code ${status}: ${stderr.slice(-2000)}`, output: '' };
  const { verdict, divergence, missingThreads, damage } = JSON.parse(stdout) as ReplayReport;
  return {
    verdict: verdict === 'diverged' ? `${verdict} ${JSON.stringify({ divergence, missingThreads, damage })}` : verdict,
    output: stderr,
  };
}

const kinds = NAVIGATION_KINDS.map(({ kind }) => kind);
const STEPS_BACK = ['reverse-step', 'reverse-next', 'reverse-finish', 'reverse-continue'];
const STEPS = ['step', 'next', 'finish', 'until', 'sender', 'receiver', 'reply', 'resolver', 'spawner', 'birth'];
const MOVES = [
  'goto end',
  ...kinds.map((kind) => `back ${kind}`),
  'goto end',
  ...STEPS_BACK,
  'run',
  ...kinds.map((kind) => `forward ${kind}`),
  'run',
  ...STEPS,
  'goto 50%',
  'step',
  'reverse-step',
  'continue',
];
/** Answers to a move: a task or a statement, a position, or that there is no such target. */
const ANSWER =
  /^(?: +\d+ {2}\+|(?:start|end) of .*, which no function (?:called|awaits)|.* does not (?:end|resume) in this recording|.* was suspended before this recording|the recording ends in | +snapshot \d+, | +\S+:\d+:\d+|\d+\.\d+(?::\S+)?, |there is no |this is the (?:start|end) of the recording|no breakpoint is hit|no recorded (?:turn|task) |nothing runs |the sender is unknown|this task (?:does not|handles no) |.* is written here|.* sent by Turntable itself|.* has the value from |$)/;

/** Makes every kind of move in a debugger session. */
function moveProblems(directory: string, written: string | undefined): string[] {
  const moves = [...MOVES, ...(written === undefined ? [] : ['goto end', 'back output', `last-write ${written}`])];
  const { stdout, stderr, status } = runQuietly(['debug', directory], moves.map((line) => `${line}\n`).join(''));
  const answers = stdout.split(/^\d+\.\S+> /m).slice(1);
  if (stderr !== '' || answers.length < moves.length)
    return [`debug: exit code ${status} after ${answers.length} moves: ${stderr.slice(-2000)}`];
  return answers.flatMap((text) => {
    const [command = '', answer = ''] = text.split('\n');
    return ANSWER.test(answer) ? [] : [`debug: ${command}: ${answer}`];
  });
}

/** Restores the last snapshot, until the program ends or prints `listening`. */
async function restoreProblems(directory: string): Promise<string[]> {
  const child = spawn(process.execPath, [...COMMAND, 'restore', '--trusted', '--recordings', 'off', directory], {
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let isListening = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (!/^listening$/m.test(stdout)) return;
    isListening = true;
    child.kill('SIGKILL');
  });
  const timeout = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  const [status] = (await once(child, 'close')) as [number | null];
  clearTimeout(timeout);
  return status === 0 || isListening ? [] : [`restore: exit code ${status}: ${stderr.slice(-2000)}`];
}
