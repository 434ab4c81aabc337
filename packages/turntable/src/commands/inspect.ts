// `turntable inspect STATE|DIR`: shows the contents of a state or recording, without running any of its code. Long
// output is streamed.
import { describeState, type StateDescription } from '@turntable/program-state/inert';
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { INSPECT } from '../command-line/inspect-commands.ts';
import { parseSubjectArguments, phaseProblem } from './arguments.ts';
import { hasColours } from '../colours.ts';
import { printError, printTo } from '../printing.ts';
import {
  resolveRecording,
  resolveTracedRecording,
  type TraceQuery,
  recordingPathProblem,
  withRecording,
} from '@turntable/replayer/replay';
import { redactManifest } from '@turntable/recording/redaction';
import { formatCount, sanitizeColouredLines, sanitizeLines } from '@turntable/replayer/entry';
import { displayRedaction, textRedactor } from '../redaction.ts';
import { reportUsageError } from './failure.ts';

interface InspectOptions {
  readonly json: boolean;
  readonly phase: number | undefined;
  readonly eval: string | undefined;
  readonly trace: Omit<TraceQuery, 'phase' | 'json'> | undefined;
}

export async function inspect(args: readonly string[]): Promise<number> {
  const parsed = parseInspectArguments(args);
  if (typeof parsed === 'string') return reportUsageError('inspect', parsed);
  const { file, flags: options } = parsed;
  try {
    if (isRecording(file))
      await withRecording(resolve(file), async (path, name) =>
        // Only values that a query returns have colours.
        printTo(
          process.stdout,
          await inspectRecording(path, name, options),
          options.eval !== undefined && hasColours(process.stdout) ? sanitizeColouredLines : sanitizeLines,
        ),
      );
    else await printTo(process.stdout, await inspectState(file, options));
    return 0;
  } catch (error) {
    return reportInspectFailure(file, error, options.eval !== undefined);
  }
}

function parseInspectArguments(
  args: readonly string[],
): { readonly file: string; readonly flags: InspectOptions } | string {
  const parsed = parseSubjectArguments(args, INSPECT, { subjectName: 'state or recording' });
  if (typeof parsed === 'string') return parsed;
  const { values, subject: file } = parsed;
  const { json, phase, eval: querySource } = values;
  const problem = phaseProblem(phase);
  if (problem !== undefined) return problem;
  if (!existsSync(file)) return `there is no state or recording ${file}`;
  if (!isRecording(file) && (values.trace || (phase ?? querySource) !== undefined))
    return `--phase, --eval and --trace are for recordings, but ${file} is neither a directory nor a packed recording`;
  const trace = parseTraceFlags(values);
  if (typeof trace === 'string') return trace;
  return { file, flags: { json, phase: parseNumber(phase), eval: querySource, trace } };
}

type TraceFlags = Readonly<Record<'worker' | 'from' | 'count', string | undefined>> & {
  readonly trace: boolean;
};

/** Parses the trace options: undefined without --trace, or a usage problem. */
function parseTraceFlags({ trace, worker, from, count }: TraceFlags): InspectOptions['trace'] | string {
  if (!trace)
    return (worker ?? from ?? count) === undefined ? undefined : '--worker, --from and --count are for --trace';
  const [, number, epoch] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(worker ?? '') ?? [];
  if (worker !== undefined && number === undefined)
    return `--worker must be the number of a worker, or worker and epoch as in 1.2, not "${worker}"`;
  for (const [flag, value] of Object.entries({ from, count }))
    if (value !== undefined && !/^[1-9]\d{0,14}$/.test(value))
      return `--${flag} must be a number of events, not "${value}"`;
  return { worker: parseNumber(number), epoch: parseNumber(epoch), from: parseNumber(from), count: parseNumber(count) };
}

function parseNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function isRecording(path: string): boolean {
  return recordingPathProblem(path) === undefined;
}

async function inspectRecording(
  path: string,
  name: string | undefined,
  { json, phase, eval: querySource, trace }: InspectOptions,
): Promise<Iterable<string>> {
  const redaction = displayRedaction();
  const redact = textRedactor(redaction);
  if (trace !== undefined) {
    const { inspectTrace } = await import('@turntable/replayer/replay');
    return inspectTrace(resolveTracedRecording(path), { ...trace, phase, json, redaction });
  }
  const directory = resolveRecording(path);
  if (querySource !== undefined) {
    const [{ evaluateQuery: evaluate }, { viewRecording }] = await Promise.all([
      import('../query/evaluate-query.ts'),
      import('../query/view-recording.ts'),
    ]);
    return [redact(await evaluate(querySource, viewRecording(directory, phase), json))];
  }
  const { describeRecording, recordingText } = await import('./inspect-recording.ts');
  const description = describeRecording(directory, phase);
  const manifest = redaction ? redactManifest(description.manifest, redaction) : description.manifest;
  const recording = { ...description, manifest, directory: name ?? description.directory };
  return [json ? `${JSON.stringify(recording, null, 2)}\n` : recordingText(recording)];
}

async function inspectState(file: string, { json }: InspectOptions): Promise<Iterable<string>> {
  const description = await describeState(readFileSync(file));
  return [json ? `${JSON.stringify(description, null, 2)}\n` : stateText(description)];
}

function reportInspectFailure(file: string, error: unknown, isQuery: boolean): number {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  if (code !== undefined) printError(`turntable inspect: ${file}: ${message}\n`);
  else if (!isQuery) throw error;
  // The stack is that of the error within the query.
  else printError(`turntable inspect: ${file}: the query failed: ${queryStack(error)}\n`);
  return 1;
}

function queryStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? error.message).split('\n');
  const last = lines.findLastIndex((line) => /\bquery:\d+/.test(line));
  return lines.slice(0, last === -1 ? 1 : last + 1).join('\n');
}

function stateText({ main, node, bytes, waiting, modules, builtins, devices, handles }: StateDescription): string {
  const counts = new Map(handles.map((name) => [name, handles.filter((each) => each === name).length]));
  const classes = [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
  const lines = [
    `${main === null ? 'a program' : relative(process.cwd(), main)}, captured on Node ${node}: ${bytes} bytes`,
    `waiting: ${formatCount(waiting.jobs, 'job')}, ${formatCount(waiting.ticks, 'tick')}, ${formatCount(waiting.timers, 'timer')}`,
    ...modules.map(
      ({ path, status, functions, classes }) =>
        `${relative(process.cwd(), path) || path}: ${status}, ` +
        `${formatCount(functions, 'function')} and ${formatCount(classes, 'class')} in use`,
    ),
    ...(builtins.length === 0 ? [] : [`imports ${builtins.join(', ')}`]),
    ...(devices.length === 0 ? [] : [`created again by restore: ${devices.join(', ')}`]),
    ...(classes.length === 0 ? [] : [`left behind: ${classes.join(', ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}
