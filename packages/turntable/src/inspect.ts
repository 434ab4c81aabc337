// `turntable inspect STATE|DIR`: what a state or a recording holds, without running anything of it.
import { describeState, type StateDescription } from '@turntable/loader/inert';
import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isDirectory, recordingIn } from './recording-in.ts';
import { counted } from './wording.ts';

const USAGE = 'Usage: turntable inspect STATE|DIR [--phase N] [--eval FUNCTION] [--json]';

interface Flags {
  readonly json: boolean;
  readonly phase: number | undefined;
  readonly eval: string | undefined;
}

export async function inspect(args: readonly string[]): Promise<number> {
  const asked = question(args);
  if (typeof asked === 'string') {
    process.stderr.write(`turntable inspect: ${asked}\n`);
    return 2;
  }
  const { file, flags } = asked;
  try {
    process.stdout.write(
      isDirectory(file) ? await ofRecording(recordingIn(resolve(file)), flags) : await ofState(file, flags),
    );
    return 0;
  } catch (error) {
    return failed(file, error, flags.eval !== undefined);
  }
}

/** What is wrong with the arguments, if anything is. */
function question(args: readonly string[]): { readonly file: string; readonly flags: Flags } | string {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean' }, phase: { type: 'string' }, eval: { type: 'string' } },
    });
  } catch (error) {
    return `${(error as Error).message}. ${USAGE}`;
  }
  const { values, positionals } = parsed;
  const [file, ...others] = positionals;
  if (file === undefined) return `which state? ${USAGE}`;
  if (others.length > 0) return `one state or recording at a time, not ${others.join(' ')} too. ${USAGE}`;
  const { json = false, phase, eval: text } = values;
  if (phase !== undefined && !/^\d{1,15}$/.test(phase)) return `--phase takes the number of a snapshot, not "${phase}"`;
  if (!isDirectory(file) && (phase ?? text) !== undefined)
    return `--phase and --eval are for snapshots of recordings, and ${file} is no directory`;
  return { file, flags: { json, phase: phase === undefined ? undefined : Number(phase), eval: text } };
}

async function ofRecording(directory: string, { json, phase, eval: text }: Flags): Promise<string> {
  if (text !== undefined) {
    const [{ evaluate }, { viewRecording }] = await Promise.all([
      import('./query/evaluate.ts'),
      import('./query/view-recording.ts'),
    ]);
    return evaluate(text, viewRecording(directory, phase), json);
  }
  const { describeRecording, recordingText } = await import('./inspect-recording.ts');
  const recording = describeRecording(directory, phase);
  return json ? `${JSON.stringify(recording, null, 2)}\n` : recordingText(recording);
}

async function ofState(file: string, { json }: Flags): Promise<string> {
  const description = await describeState(readFileSync(file));
  return json ? `${JSON.stringify(description, null, 2)}\n` : textOf(description);
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
