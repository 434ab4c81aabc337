// A recording run again in a process of its own, which performs nothing: what came of it, with the states that it had compared with those of the recording.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Duplex } from 'node:stream';
import type { Manifest, Recording } from '@turntable/recording';
import { CHANNEL_DESCRIPTOR } from '@turntable/time-machine/replay-process';
import { isStartedByCluster, settingsIn } from '../recorder/recording-notes.ts';
import { theFacade } from '../facade.ts';
import { Progress } from '../output/progress.ts';
import { counted } from '../output/wording.ts';
import { variablesOf } from '../restore/continuation.ts';
import { resumeEntry } from '../restore/image.ts';
import { ComparedStates } from './compared-states.ts';
import { flagsAgain } from './flags-again.ts';
import { FrameReader } from './frames.ts';
import type { ReplayOutcome, ReplayProgress, RunOutcome, Saying, StateSaying } from './outcome.ts';
import { Patience } from './patience.ts';
import { canForbid, harmlessFlags, harmlessVariables, permissionFlags, type Permissions } from './permissions.ts';
import type { SurveyStates } from './survey-states.ts';
import { isDebugged, OUTCOME_DESCRIPTOR, variablesFor, type ReplayOrder } from './replay-order.ts';

export interface Ran {
  /** Nothing if the process did not come to say. */
  readonly outcome: ReplayOutcome | undefined;
  /** Why it did not even begin. */
  readonly unbegun: string | undefined;
  readonly how: string;
  /** What it printed, where nobody has seen that. */
  readonly stdout: string;
  readonly stderr: string;
}

/** What becomes of what the program prints. */
export const CONSOLES = ['show', 'mute', 'capture'] as const;

export interface RunAgainOptions {
  readonly console: (typeof CONSOLES)[number];
  readonly json: boolean;
  /** Of an engine: is given its channel, and what ends its process at once. */
  readonly onChannel?: (channel: Duplex, kill: () => void) => void;
  /** What it may do; whatever a process may, if that is left out, or where this Node cannot forbid anything. */
  readonly permissions?: Permissions | undefined;
  /** Takes the states that it writes, if it is to write some. */
  readonly states?: SurveyStates | undefined;
}

/** What a program prints does not belong into JSON. */
export function runAgain(
  recording: Recording,
  wanted: ReplayOrder,
  { console: shown, json, onChannel, permissions, states: kept }: RunAgainOptions,
): Promise<Ran> {
  const { manifest } = recording;
  // What a thread was at when it was killed may never come to an end: code with probes can be stopped. Engines have these anyway, and begin often.
  const isFit = isDebugged(wanted) || recording.traces().every((trace) => recording.hasEnd(trace));
  const order = isFit ? wanted : { ...wanted, debug: true };
  const output = { show: json ? 2 : 'inherit', mute: 'ignore', capture: 'pipe' } as const;
  const hooks = ['--import', theFacade().register.href];
  const limits = canForbid() ? permissions : undefined;
  const recorded = limits === undefined ? manifest : withoutHarm(manifest);
  const flags = flagsAgain(recorded.execArgv, process.execArgv, hooks);
  if (limits !== undefined) flags.unshift(...permissionFlags(limits));
  const child = spawn(process.execPath, [...flags, ...entryOf(manifest, order)], {
    stdio: ['ignore', output[shown], shown === 'show' ? 'inherit' : 'pipe', 'pipe', onChannel ? 'pipe' : 'ignore'],
    cwd: manifest.cwd,
    // What a terminal sends is for who holds an engine, which ends with its channel.
    detached: onChannel !== undefined,
    env: {
      ...process.env,
      ...recorded.env,
      ...environmentOf(manifest, order),
      // On each thread: what a worker printed by way of the main thread would be told of twice, there as well.
      ...(shown === 'mute' && { TURNTABLE_CONSOLE: 'mute' }),
      ...cacheOf(limits),
    },
  });
  onChannel?.(child.stdio[CHANNEL_DESCRIPTOR] as unknown as Duplex, () => void child.kill('SIGKILL'));
  const { until, from } = order;
  const states = new ComparedStates(recording, from, until?.what === 'phase' ? until.phase : undefined);
  // An engine stands still for as long as somebody wants.
  const patience = order.engine === undefined ? new Patience(() => void child.kill('SIGKILL')) : undefined;
  const said = outcomeIn(child.stdio[OUTCOME_DESCRIPTOR] as NodeJS.ReadableStream, states, kept, patience);
  const printed = Promise.all([child.stdout, child.stderr].map((stream) => (stream === null ? '' : textOf(stream))));
  const forward = (signal: NodeJS.Signals): boolean => child.kill(signal);
  const forwarded = onChannel === undefined ? FORWARDED : [];
  for (const signal of forwarded) process.on(signal, forward);
  return new Promise((settle, reject) => {
    child.on('error', reject);
    // Nobody takes what it says then, and it would wait for somebody who does.
    said.catch(() => child.kill('SIGKILL'));
    child.on('close', (code, signal) => {
      for (const signal of forwarded) process.off(signal, forward);
      const how = signal === null ? `exit code ${code}` : `${signal}, ${128 + constants.signals[signal]}`;
      Promise.all([said, printed]).then(
        ([{ outcome, unbegun }, [stdout = '', stderr = '']]) => settle({ outcome, unbegun, how, stdout, stderr }),
        reject,
      );
    });
  });
}

function withoutHarm({ execArgv, env }: Manifest): Pick<Manifest, 'execArgv' | 'env'> {
  return { execArgv: harmlessFlags(execArgv), env: harmlessVariables(env) };
}

/** Transformed code of somebody's program is no other program's: it is kept where nobody else reads it, and so is what V8 has made of ours. */
function cacheOf(permissions: Permissions | undefined): Record<string, string> {
  const { cache } = permissions ?? {};
  return cache === undefined ? {} : { TURNTABLE_CACHE: cache, NODE_COMPILE_CACHE: join(cache, 'compiled') };
}

const FORWARDED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Shows how far it has come, and compares its states, until it says what came of it, or is given up; nothing, if it does not come to say. */
async function outcomeIn(
  stream: NodeJS.ReadableStream,
  states: ComparedStates,
  kept: SurveyStates | undefined,
  patience: Patience | undefined,
): Promise<Pick<Ran, 'outcome' | 'unbegun'>> {
  const bar = new Progress();
  let outcome: RunOutcome | undefined;
  let unbegun: string | undefined;
  const frames = new FrameReader();
  try {
    for await (const chunk of stream) {
      patience?.ends();
      for (const { said, bytes } of frames.add(chunk as Buffer)) {
        const saying = said as Saying;
        if ('progress' in saying) bar.show(() => progressText(saying.progress, states.cuts.length));
        else if ('outcome' in saying) ({ outcome } = saying);
        else if ('unbegun' in saying) ({ unbegun } = saying);
        else if ('behind' in saying) patience?.isBehind(saying.behind);
        else if ('part' in saying) await states.compare(saying.part, bytes ?? Buffer.alloc(0));
        else if (kept !== undefined) keepStates(kept, saying, bytes);
      }
      patience?.begins();
    }
  } finally {
    patience?.ends();
  }
  bar.done();
  outcome ??= patience?.outcome;
  return { outcome: outcome && states.of(outcome), unbegun };
}

function keepStates(kept: SurveyStates, saying: StateSaying, bytes: Uint8Array = Buffer.alloc(0)): void {
  if ('state' in saying) kept.part(saying.state, bytes);
  else if ('whole' in saying) kept.whole(saying.whole);
  else kept.drop(saying.dropped);
}

function progressText({ events, of }: ReplayProgress, compared: number): string {
  return `replaying: ${counted(events, 'event')}${of === 0 ? '' : `, ${compared} of ${counted(of, 'state')} compared`}`;
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const part of stream.setEncoding('utf8')) text += String(part);
  return text;
}

function entryOf({ argv, entry }: Manifest, { from }: ReplayOrder): string[] {
  if (from !== undefined) return [resumeEntry()];
  return [entry?.startsWith('file:') === true ? fileURLToPath(entry) : (argv[1] ?? ''), ...argv.slice(2)];
}

/** With the settings that say what is transformed, and none that say what else is to be done. */
function environmentOf({ notes }: Manifest, order: ReplayOrder): Record<string, string> {
  const { include, exclude } = settingsIn(notes);
  const { recording: place, from, code } = order;
  return {
    TURNTABLE_INCLUDE: include.join(','),
    TURNTABLE_EXCLUDE: exclude.join(','),
    TURNTABLE_RECORDINGS: 'off',
    TURNTABLE_TRACE: '0',
    // Of a process that node:cluster has forked: by this Node knows it, and takes it out of the environment.
    ...(isStartedByCluster(notes) && { NODE_UNIQUE_ID: '1' }),
    ...variablesFor(order),
    ...(from === undefined
      ? {}
      : variablesOf({ place, phase: from, code: code === 'recorded' ? 'recorded' : 'files' })),
  };
}
