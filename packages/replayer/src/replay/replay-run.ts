// A recording run again in a process of its own, which performs nothing: what came of it, with the states that it had compared with those of the recording.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Duplex } from 'node:stream';
import type { Manifest, Recording } from '@turntable/recording';
import { CHANNEL_DESCRIPTOR } from '@turntable/time-machine/replay-process';
import { isClusterWorker, readTransformSettings } from '../recorder/recording-notes.ts';
import { requireFacade } from '../facade.ts';
import { ProgressLine } from '../output/progress.ts';
import { formatCount } from '../output/wording.ts';
import { restoreVariables } from '../restore/restore-request.ts';
import { resumeFile } from '../restore/process-image.ts';
import { StateComparison } from './state-comparison.ts';
import { replayFlags } from './replay-flags.ts';
import { MessageFrameReader } from './message-frames.ts';
import type { ReplayOutcome, ReplayProgress, RunOutcome, ParentMessage, CheckpointMessage } from './replay-outcome.ts';
import { HangDetector } from './hang-detector.ts';
import {
  supportsPermissions,
  harmlessFlags,
  harmlessVariables,
  permissionFlags,
  type Permissions,
} from './permissions.ts';
import type { CheckpointStore } from './checkpoint-store.ts';
import { isDebugReplay, OUTCOME_DESCRIPTOR, replayVariables, type ReplayRequest } from './replay-request.ts';

export interface ReplayRun {
  /** Nothing if the process did not come to say. */
  readonly outcome: ReplayOutcome | undefined;
  /** Why it did not even begin. */
  readonly startFailure: string | undefined;
  readonly exitDescription: string;
  /** What it printed, where nobody has seen that. */
  readonly stdout: string;
  readonly stderr: string;
}

/** What becomes of what the program prints. */
export const CONSOLE_MODES = ['show', 'mute', 'capture'] as const;

export interface ReplayRunOptions {
  readonly console: (typeof CONSOLE_MODES)[number];
  readonly json: boolean;
  /** Of an engine: is given its channel, and what ends its process at once. */
  readonly onChannel?: (channel: Duplex, kill: () => void) => void;
  /** What it may do; whatever a process may, if that is left out, or where this Node cannot forbid anything. */
  readonly permissions?: Permissions | undefined;
  /** Takes the states that it writes, if it is to write some. */
  readonly checkpointStore?: CheckpointStore | undefined;
}

/** What a program prints does not belong into JSON. */
export function runReplay(
  recording: Recording,
  requested: ReplayRequest,
  { console: consoleMode, json, onChannel, permissions, checkpointStore }: ReplayRunOptions,
): Promise<ReplayRun> {
  const { manifest } = recording;
  // What a thread was at when it was killed may never come to an end: code with probes can be stopped. Engines have these anyway, and begin often.
  const canRunAsRequested =
    isDebugReplay(requested) || recording.traces().every((trace) => recording.isTraceComplete(trace));
  const request = canRunAsRequested ? requested : { ...requested, debug: true };
  const outputByMode = { show: json ? 2 : 'inherit', mute: 'ignore', capture: 'pipe' } as const;
  const hooks = ['--import', requireFacade().register.href];
  const grantedPermissions = supportsPermissions() ? permissions : undefined;
  const launch = grantedPermissions === undefined ? manifest : harmlessManifest(manifest);
  const flags = replayFlags(launch.execArgv, process.execArgv, hooks);
  if (grantedPermissions !== undefined) flags.unshift(...permissionFlags(grantedPermissions));
  const child = spawn(process.execPath, [...flags, ...entryArguments(manifest, request)], {
    stdio: [
      'ignore',
      outputByMode[consoleMode],
      consoleMode === 'show' ? 'inherit' : 'pipe',
      'pipe',
      onChannel ? 'pipe' : 'ignore',
    ],
    cwd: manifest.cwd,
    // What a terminal sends is for who holds an engine, which ends with its channel.
    detached: onChannel !== undefined,
    env: {
      ...process.env,
      ...launch.env,
      ...replayEnvironment(manifest, request),
      // On each thread: what a worker printed by way of the main thread would be told of twice, there as well.
      ...(consoleMode === 'mute' && { TURNTABLE_CONSOLE: 'mute' }),
      ...cacheVariables(grantedPermissions),
    },
  });
  onChannel?.(child.stdio[CHANNEL_DESCRIPTOR] as unknown as Duplex, () => void child.kill('SIGKILL'));
  const { until, from } = request;
  const comparison = new StateComparison(recording, from, until?.kind === 'phase' ? until.phase : undefined);
  // An engine stands still for as long as somebody wants.
  const hangDetector = request.driver === undefined ? new HangDetector(() => void child.kill('SIGKILL')) : undefined;
  const readingOutcome = readOutcome(
    child.stdio[OUTCOME_DESCRIPTOR] as NodeJS.ReadableStream,
    comparison,
    checkpointStore,
    hangDetector,
  );
  const printedOutput = Promise.all(
    [child.stdout, child.stderr].map((stream) => (stream === null ? '' : readText(stream))),
  );
  const forward = (signal: NodeJS.Signals): boolean => child.kill(signal);
  const forwardedSignals = onChannel === undefined ? FORWARDED_SIGNALS : [];
  for (const signal of forwardedSignals) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // Nobody takes what it says then, and it would wait for somebody who does.
    readingOutcome.catch(() => child.kill('SIGKILL'));
    child.on('close', (code, signal) => {
      for (const signal of forwardedSignals) process.off(signal, forward);
      const exitDescription = signal === null ? `exit code ${code}` : `${signal}, ${128 + constants.signals[signal]}`;
      Promise.all([readingOutcome, printedOutput]).then(
        ([{ outcome, startFailure }, [stdout = '', stderr = '']]) =>
          resolve({ outcome, startFailure, exitDescription, stdout, stderr }),
        reject,
      );
    });
  });
}

function harmlessManifest({ execArgv, env }: Manifest): Pick<Manifest, 'execArgv' | 'env'> {
  return { execArgv: harmlessFlags(execArgv), env: harmlessVariables(env) };
}

/** Transformed code of somebody's program is no other program's: it is kept where nobody else reads it, and so is what V8 has made of ours. */
function cacheVariables(permissions: Permissions | undefined): Record<string, string> {
  const { codeCache: cache } = permissions ?? {};
  return cache === undefined ? {} : { TURNTABLE_CACHE: cache, NODE_COMPILE_CACHE: join(cache, 'compiled') };
}

const FORWARDED_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Shows how far it has come, and compares its states, until it says what came of it, or is given up; nothing, if it does not come to say. */
async function readOutcome(
  stream: NodeJS.ReadableStream,
  comparison: StateComparison,
  checkpointStore: CheckpointStore | undefined,
  hangDetector: HangDetector | undefined,
): Promise<Pick<ReplayRun, 'outcome' | 'startFailure'>> {
  const progressLine = new ProgressLine();
  let outcome: RunOutcome | undefined;
  let startFailure: string | undefined;
  const frames = new MessageFrameReader();
  try {
    for await (const chunk of stream) {
      hangDetector?.stopTimer();
      for (const { message: frameMessage, bytes } of frames.decode(chunk as Buffer)) {
        const message = frameMessage as ParentMessage;
        if ('progress' in message) progressLine.show(() => progressText(message.progress, comparison.cuts.length));
        else if ('outcome' in message) ({ outcome } = message);
        else if ('startFailure' in message) ({ startFailure } = message);
        else if ('pastEnd' in message) hangDetector?.setPastEnd(message.pastEnd);
        else if ('part' in message) await comparison.compare(message.part, bytes ?? Buffer.alloc(0));
        else if (checkpointStore !== undefined) storeCheckpoint(checkpointStore, message, bytes);
      }
      hangDetector?.startTimer();
    }
  } finally {
    hangDetector?.stopTimer();
  }
  progressLine.clear();
  outcome ??= hangDetector?.outcome;
  return { outcome: outcome && comparison.completeOutcome(outcome), startFailure };
}

function storeCheckpoint(
  checkpointStore: CheckpointStore,
  message: CheckpointMessage,
  bytes: Uint8Array = Buffer.alloc(0),
): void {
  if ('checkpointPart' in message) checkpointStore.addPart(message.checkpointPart, bytes);
  else if ('completeCheckpoint' in message) checkpointStore.complete(message.completeCheckpoint);
  else checkpointStore.drop(message.droppedPhases);
}

function progressText({ events, totalStates }: ReplayProgress, compared: number): string {
  return `replaying: ${formatCount(events, 'event')}${totalStates === 0 ? '' : `, ${compared} of ${formatCount(totalStates, 'state')} compared`}`;
}

async function readText(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const part of stream.setEncoding('utf8')) text += String(part);
  return text;
}

function entryArguments({ argv, entry }: Manifest, { from }: ReplayRequest): string[] {
  if (from !== undefined) return [resumeFile()];
  return [entry?.startsWith('file:') === true ? fileURLToPath(entry) : (argv[1] ?? ''), ...argv.slice(2)];
}

/** With the settings that say what is transformed, and none that say what else is to be done. */
function replayEnvironment({ notes }: Manifest, request: ReplayRequest): Record<string, string> {
  const { include, exclude } = readTransformSettings(notes);
  const { recording: path, from, code } = request;
  return {
    TURNTABLE_INCLUDE: include.join(','),
    TURNTABLE_EXCLUDE: exclude.join(','),
    TURNTABLE_RECORDINGS: 'off',
    TURNTABLE_TRACE: '0',
    // Of a process that node:cluster has forked: by this Node knows it, and takes it out of the environment.
    ...(isClusterWorker(notes) && { NODE_UNIQUE_ID: '1' }),
    ...replayVariables(request),
    ...(from === undefined
      ? {}
      : restoreVariables({ path, phase: from, code: code === 'recorded' ? 'recorded' : 'files' })),
  };
}
