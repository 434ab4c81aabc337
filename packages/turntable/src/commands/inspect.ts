// `turntable inspect STATE|DIR`: what a state or a recording holds, without running anything of it. What there may be much of is printed while it is read.
import { describeState, type StateDescription } from '@turntable/program-state/inert';
import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { argumentsAbout, whyNoPhase } from './arguments.ts';
import { printTo } from '../printing.ts';
import { recordingIn, tracedIn, type TraceWishes, whyNoPlace, withRecording } from '@turntable/replayer/replay';
import { counted } from '@turntable/replayer/entry';
import { usageError } from './told-failure.ts';

const USAGE = 'Usage: turntable inspect STATE|DIR|FILE.ttr [--phase N] [--eval FUNCTION] [--trace …] [--json]';

export const INSPECT_USAGE = `${USAGE}

What a state or a recording holds, the last recording of a directory of them; runs nothing of it.
  --phase N         of another snapshot than the last one
  --eval FUNCTION   what a function answers of the snapshot: snapshot.actors, .classes, .actorsOf('Cart'), .pathTo(object)
  --trace           what came to each of its threads from outside: how much of what
  --worker N[.LIFE] of the trace of one thread, 0 being the main one, in one of its lives, if it has had several
  --from EVENT      the events themselves, from that one on; with --phase N they are counted from that phase on, as by replay --from N
  --count N         so many of them, 100 unless said
  --json            the same as JSON; events one a line
  --key FILE        the key that it is sealed with, if it is; also as TURNTABLE_KEY

  turntable inspect recordings --eval "s => s.actorsOf('Cart').filter((cart) => cart.mailbox.waiting > 100)"
  turntable inspect recordings --trace
  turntable inspect recordings --trace --worker 0 --from 2 --count 50
  turntable inspect recordings --phase 1 --json`;

interface Flags {
  readonly json: boolean;
  readonly phase: number | undefined;
  readonly eval: string | undefined;
  readonly trace: Omit<TraceWishes, 'phase' | 'json'> | undefined;
}

export async function inspect(args: readonly string[]): Promise<number> {
  const asked = question(args);
  if (typeof asked === 'string') return usageError('inspect', asked);
  const { file, flags } = asked;
  try {
    if (isRecording(file))
      await withRecording(resolve(file), async (place, name) =>
        printTo(process.stdout, await ofRecording(place, name, flags)),
      );
    else await printTo(process.stdout, await ofState(file, flags));
    return 0;
  } catch (error) {
    return failed(file, error, flags.eval !== undefined);
  }
}

function question(args: readonly string[]): { readonly file: string; readonly flags: Flags } | string {
  const given = argumentsAbout(
    args,
    {
      json: { type: 'boolean' },
      phase: { type: 'string' },
      eval: { type: 'string' },
      trace: { type: 'boolean' },
      worker: { type: 'string' },
      from: { type: 'string' },
      count: { type: 'string' },
    },
    { usage: USAGE, about: 'state or recording' },
  );
  if (typeof given === 'string') return given;
  const { values, subject: file } = given;
  const { json = false, phase, eval: text } = values;
  const whyNone = whyNoPhase(phase);
  if (whyNone !== undefined) return whyNone;
  if (!existsSync(file)) return `there is no state or recording ${file}`;
  if (!isRecording(file) && (phase ?? text ?? values.trace) !== undefined)
    return `--phase, --eval and --trace are for recordings, and ${file} is no directory and no packed one`;
  const trace = traceIn(values);
  if (typeof trace === 'string') return trace;
  return { file, flags: { json, phase: numberIn(phase), eval: text, trace } };
}

type Values = Readonly<Record<'worker' | 'from' | 'count', string | undefined>> & {
  readonly trace: boolean | undefined;
};

/** What is wished of the traces, if anything is; what is wrong with that. */
function traceIn({ trace = false, worker, from, count }: Partial<Values>): Flags['trace'] | string {
  if (!trace)
    return (worker ?? from ?? count) === undefined ? undefined : '--worker, --from and --count are for --trace';
  const [, number, life] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(worker ?? '') ?? [];
  if (worker !== undefined && number === undefined)
    return `--worker takes the number of a worker, or of one and its life, 1.2, not "${worker}"`;
  for (const [flag, value] of Object.entries({ from, count }))
    if (value !== undefined && !/^[1-9]\d{0,14}$/.test(value))
      return `--${flag} takes a number of events, not "${value}"`;
  return { worker: numberIn(number), life: numberIn(life), from: numberIn(from), count: numberIn(count) };
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function isRecording(place: string): boolean {
  return whyNoPlace(place) === undefined;
}

async function ofRecording(
  place: string,
  name: string | undefined,
  { json, phase, eval: text, trace }: Flags,
): Promise<Iterable<string>> {
  if (trace !== undefined) {
    const { inspectTrace } = await import('@turntable/replayer/replay');
    return inspectTrace(tracedIn(place), { ...trace, phase, json });
  }
  const directory = recordingIn(place);
  if (text !== undefined) {
    const [{ evaluate }, { viewRecording }] = await Promise.all([
      import('../query/evaluate.ts'),
      import('../query/view-recording.ts'),
    ]);
    return [await evaluate(text, viewRecording(directory, phase), json)];
  }
  const { describeRecording, recordingText } = await import('./inspect-recording.ts');
  const described = describeRecording(directory, phase);
  const recording = name === undefined ? described : { ...described, directory: name };
  return [json ? `${JSON.stringify(recording, null, 2)}\n` : recordingText(recording)];
}

async function ofState(file: string, { json }: Flags): Promise<Iterable<string>> {
  const description = await describeState(readFileSync(file));
  return [json ? `${JSON.stringify(description, null, 2)}\n` : textOf(description)];
}

function failed(file: string, error: unknown, isQuery: boolean): number {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  if (code !== undefined) process.stderr.write(`turntable inspect: ${file}: ${message}\n`);
  else if (!isQuery) throw error;
  // The function's own: where it is in it.
  else process.stderr.write(`turntable inspect: ${file}: the query failed: ${queryStack(error)}\n`);
  return 1;
}

function queryStack(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? error.message).split('\n');
  const last = lines.findLastIndex((line) => /\bquery:\d+/.test(line));
  return lines.slice(0, last === -1 ? 1 : last + 1).join('\n');
}

function textOf({ main, node, bytes, waiting, modules, builtins, devices, handles }: StateDescription): string {
  const counts = new Map(handles.map((name) => [name, handles.filter((each) => each === name).length]));
  const classes = [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
  const lines = [
    `${main === null ? 'a program' : relative(process.cwd(), main)}, captured on Node ${node}: ${bytes} bytes`,
    `waiting: ${counted(waiting.jobs, 'job')}, ${counted(waiting.ticks, 'tick')}, ${counted(waiting.timers, 'timer')}`,
    ...modules.map(
      ({ place, status, functions, classes }) =>
        `${relative(process.cwd(), place) || place}: ${status}, ` +
        `${counted(functions, 'function')} and ${counted(classes, 'class')} in use`,
    ),
    ...(builtins.length === 0 ? [] : [`imports ${builtins.join(', ')}`]),
    ...(devices.length === 0 ? [] : [`makes again ${devices.join(', ')}`]),
    ...(classes.length === 0 ? [] : [`left behind: ${classes.join(', ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}
