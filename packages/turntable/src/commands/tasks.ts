// `turntable tasks DIR`: lists the tasks of a recording in the linear order of all workers.
import type { Redaction } from '@turntable/recording/redaction';
import { taskTitle } from '@turntable/time-machine';
import { TASKS } from '../command-line/replay-commands.ts';
import { runOnRecording, parseRecordingArguments } from './recording-command.ts';
import { type IndexedRun, buildRunIndex } from '@turntable/replayer/indexed-replay';
import {
  createNameMatcher,
  exitCodeOf,
  replaySandbox,
  type TrustOptions,
  taskLines,
  hungThreadsText,
  workerName,
} from '@turntable/replayer/replay';
import { print, printStyled, printTo } from '../printing.ts';
import { displayRedaction, textRedactor } from '../redaction.ts';
import { formatCount } from '@turntable/replayer/entry';

interface TasksOptions extends TrustOptions {
  readonly path: string;
  /** Names of the actors whose tasks are listed; undefined for all. */
  readonly actors: readonly string[] | undefined;
  readonly worker: number | undefined;
  readonly from: number;
  readonly to: number;
  readonly phase: number | undefined;
  readonly isForced: boolean;
  readonly isFresh: boolean;
  readonly json: boolean;
}

export function tasksCommand(args: readonly string[]): Promise<number> {
  return runOnRecording('tasks', parseTasksArguments(args), (directory, _, options) => printTasks(directory, options));
}

function parseTasksArguments(args: readonly string[]): TasksOptions | string {
  const parsed = parseRecordingArguments(args, TASKS);
  if (typeof parsed === 'string') return parsed;
  const { values, subject: path } = parsed;
  const {
    actor,
    force,
    rebuild,
    json,
    worker,
    from,
    to,
    phase,
    trusted,
    'require-isolation': requiresIsolation,
  } = values;
  const numbers = { worker, from, to, phase };
  for (const name of ['worker', 'from', 'to', 'phase'] as const)
    if (numbers[name] !== undefined && !/^\d{1,15}$/.test(numbers[name]))
      return `--${name} must be ${VALUE_MEANINGS[name]}, not "${numbers[name]}"`;
  const actors = actor?.split(',').map((name) => name.trim());
  if (actors?.includes('') === true)
    return `--actor must be actor names separated by commas (* matches anything), not "${actor}"`;
  const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  return {
    path,
    actors,
    worker: numberOf(worker),
    from: Number(from ?? 1),
    to: Number(to ?? Infinity),
    phase: numberOf(phase),
    isForced: force,
    isFresh: rebuild,
    json,
    isTrusted: trusted,
    requiresIsolation,
  };
}

const VALUE_MEANINGS = {
  worker: 'the number of a worker',
  from: 'the number of a task',
  to: 'the number of a task',
  phase: 'the number of a snapshot',
} as const;

async function printTasks(directory: string, options: TasksOptions): Promise<number> {
  const sandbox = replaySandbox(directory, options);
  const redaction = displayRedaction();
  const indexed = await buildRunIndex(directory, { ...options, sandbox, redaction });
  // The summary comes first for people, and last in JSON, where each line before it is a task.
  if (!options.json) printSummary(indexed);
  await printTo(process.stdout, linesOf(indexed, options, redaction));
  return exitCodeOf(indexed.verdict);
}

function* linesOf(
  { runIndex, verdict, hungThreads: hung, divergence }: IndexedRun,
  options: TasksOptions,
  redaction: Redaction | undefined,
): Generator<string, void, undefined> {
  const { actors, worker, from, to, json } = options;
  const redact = textRedactor(redaction);
  const isActorSelected = actors === undefined ? undefined : createNameMatcher(actors);
  const startTime = runIndex.count === 0 ? 0 : runIndex.task(1).time;
  for (let order = Math.max(1, from); order <= Math.min(to, runIndex.count); order++) {
    if (isActorSelected?.(runIndex.actorName(order)) === false) continue;
    const task = runIndex.task(order);
    if (worker !== undefined && task.worker !== worker) continue;
    const events = runIndex
      .eventsAt(order)
      .map(({ kind, value }) => ({ kind, value: typeof value === 'string' ? redact(value) : value }));
    if (json) yield `${JSON.stringify({ ...task, events })}\n`;
    else yield* taskLines({ ...task, title: redact(taskTitle(task)), events }, startTime);
  }
  const { threads, count } = runIndex;
  if (json)
    yield `${JSON.stringify({ tasks: count, threads, verdict, hungThreads: hung, divergence: divergence ?? null })}\n`;
}

function printSummary({ runIndex: { count, threads }, verdict, divergence, hungThreads }: IndexedRun): void {
  print(`${formatCount(count, 'task')} on ${formatCount(threads.length, 'thread')}`);
  if (verdict === 'truncated') print('; the recording ends there');
  else if (verdict === 'incomplete') print('; the recording is incomplete, see turntable replay');
  else if (verdict !== 'same') {
    const location =
      divergence === undefined ? '' : ` at event ${divergence.ordinal} of ${workerName(divergence.worker)}`;
    print(', ');
    printStyled('red', `up to the divergence${location}`, process.stdout);
    print('; turntable replay describes it');
  }
  print(hungThreads.length === 0 ? '\n' : `\n${hungThreadsText(hungThreads)}\n`);
}
