// Checks a recording whose process may have ended at any moment: it opens, replays with one verdict, can be entered by
// every kind of move, and its snapshots can be restored.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openRecording } from '@turntable/recording';
import { NAVIGATION_KINDS } from '@turntable/time-machine/client';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import type { ReplayReport } from '../../packages/replayer/src/replay/replay-report.ts';
import { runTurntable } from '../replay/record-and-replay.ts';

export interface RecordingCheckOptions {
  /** Number of replays, which must have the same verdict (1). */
  readonly replays?: number;
  /** Verdicts that are no problem (`same` and `truncated`). */
  readonly verdicts?: readonly string[];
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
const QUIET: NodeJS.ProcessEnv = { NODE_NO_WARNINGS: '1', TURNTABLE_SERVICES: 'off' };

export async function checkRecording(directory: string, options: RecordingCheckOptions = {}): Promise<RecordingCheck> {
  const { replays = 1, verdicts: expectedVerdicts = ['same', 'truncated'], written } = options;
  const phases: number[] = [];
  try {
    const recording = openRecording(directory);
    for (const { phase } of recording.snapshots()) {
      using snapshot = recording.readSnapshot(phase);
      snapshot.verify();
      phases.push(phase);
    }
  } catch (error) {
    return { problems: [`does not open: ${(error as Error).message}`], verdicts: [], output: '' };
  }
  const [first, ...others] = Array.from({ length: replays }, () => replayVerdict(directory));
  const { verdict: firstVerdict, output } = first as ReplayedVerdict;
  const verdicts = [firstVerdict, ...others.map(({ verdict }) => verdict)];
  const problems = verdicts
    .filter((verdict) => !expectedVerdicts.includes(verdict))
    .map((verdict) => `replay: ${verdict}`);
  if (new Set(verdicts).size > 1) problems.push(`${new Set(verdicts).size} verdicts: ${verdicts.join(', ')}`);
  problems.push(...moveProblems(directory, output === '' ? undefined : written));
  const lastPhase = phases.at(-1);
  if (lastPhase !== undefined) {
    const { verdict } = replayVerdict(directory, ['--from', String(lastPhase)]);
    if (!expectedVerdicts.includes(verdict)) problems.push(`replay from ${lastPhase}: ${verdict}`);
    problems.push(...(await restoreProblems(directory)));
  }
  return { problems, verdicts, output };
}

interface ReplayedVerdict {
  /** The verdict, with its reason unless it is `same` or `truncated`. */
  readonly verdict: string;
  readonly output: string;
}

function replayVerdict(directory: string, args: readonly string[] = []): ReplayedVerdict {
  const { stdout, stderr, status } = runTurntable(['replay', directory, '--json', ...args], {
    env: QUIET,
    timeoutMs: TIMEOUT_MS,
  });
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
  /^(?: +\d+ {2}\+| +snapshot \d+, | +\S+:\d+:\d+|\d+\.\d+(?::\S+)?, |there is no |no breakpoint is hit|no recorded (?:turn|task) |nothing runs |the sender is unknown|this task (?:does not|handles no) |.* is written here|.* sent by Turntable itself|.* has the value from |$)/;

/** Makes every kind of move in a debugger session. */
function moveProblems(directory: string, written: string | undefined): string[] {
  const moves = [...MOVES, ...(written === undefined ? [] : ['goto end', 'back output', `last-write ${written}`])];
  const { stdout, stderr, status } = runTurntable(['debug', directory], {
    input: moves.map((line) => `${line}\n`).join(''),
    env: QUIET,
    timeoutMs: TIMEOUT_MS,
  });
  const answers = stdout.split(/^\d+\.\S+> /m).slice(1);
  if (stderr !== '' || answers.length < moves.length)
    return [`debug: exit code ${status} after ${answers.length} moves: ${stderr.slice(-2000)}`];
  return answers.flatMap((text) => {
    const [command = '', answer = ''] = text.split('\n');
    return ANSWER.test(answer) ? [] : [`debug: ${command}: ${answer}`];
  });
}

/** Restores the last snapshot, until the program ends or sends a message to its parent. */
async function restoreProblems(directory: string): Promise<string[]> {
  const child = spawn(process.execPath, [...FLAGS, CLI, 'restore', '--recordings', 'off', directory], {
    env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...QUIET },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const timeout = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  const exited = once(child, 'exit').then(([status]) => status as number | null);
  const isServing = once(child, 'message').then(() => 0);
  const status = await Promise.race([exited, isServing]);
  clearTimeout(timeout);
  child.kill('SIGKILL');
  await exited;
  return status === 0 ? [] : [`restore: exit code ${status}: ${stderr.slice(-2000)}`];
}
