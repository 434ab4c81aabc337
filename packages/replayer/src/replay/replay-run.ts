// Replays a recording in a child process, which makes no host calls. Collects its outcome and compares its states with
// the recorded ones.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Duplex, Readable, Writable } from 'node:stream';
import { KEY_VARIABLE, keyFile, type Manifest, type Recording } from '@turntable/recording';
import type { Redaction } from '@turntable/recording/redaction';
import { CHANNEL_DESCRIPTOR } from '@turntable/time-machine/replay-process';
import { isClusterWorker, readTransformSettings } from '../recorder/recording-notes.ts';
import { requireFacade } from '../facade.ts';
import { ProgressLine } from '../output/progress.ts';
import { copyRedacted } from '../output/redacted-output.ts';
import { formatCount } from '../output/wording.ts';
import { restoreVariables } from '../restore/restore-request.ts';
import { resumeFile } from '../restore/process-image.ts';
import { StateComparison } from './state-comparison.ts';
import { harmlessFlags, replayFlags } from './replay-flags.ts';
import { MessageFrameReader } from './message-frames.ts';
import type { ReplayOutcome, ReplayProgress, RunOutcome, ParentMessage, CheckpointMessage } from './replay-outcome.ts';
import { HangDetector } from './hang-detector.ts';
import type { CheckpointStore } from './checkpoint-store.ts';
import { processKiller } from '../sandbox/process-killer.ts';
import type { ReplaySandbox } from '../sandbox/replay-sandbox.ts';
import { reachedLimitText } from '../sandbox/process-limits.ts';
import { confine, type Launch, type NodeLaunch } from '../sandbox/sandbox.ts';
import { TRANSFORM_DESCRIPTOR, TRANSFORM_VARIABLE } from '../transform-service/protocol.ts';
import { transformServiceLaunch } from '../transform-service/launch.ts';
import { isDebugReplay, OUTCOME_DESCRIPTOR, replayVariables, type ReplayRequest } from './replay-request.ts';

export interface ReplayRun {
  /** Undefined if the process did not report an outcome. */
  readonly outcome: ReplayOutcome | undefined;
  /** The reason why the replay could not start; undefined if it has started. */
  readonly startFailure: string | undefined;
  readonly exitDescription: string;
  /** Output of the program, if it was captured. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Destinations of the program's output. */
export const CONSOLE_MODES = ['show', 'mute', 'capture'] as const;

export interface ReplayRunOptions {
  readonly console: (typeof CONSOLE_MODES)[number];
  readonly json: boolean;
  /** Set by a driver: receives the channel to the process and a function that kills the process. */
  readonly onChannel?: (channel: Duplex, kill: () => void) => void;
  /** The sandbox of the process; undefined if the user trusts the recording. */
  readonly sandbox: ReplaySandbox | undefined;
  readonly checkpointStore?: CheckpointStore | undefined;
  /** Redacts the secrets in the output that is shown; undefined to show it as it is. */
  readonly redaction?: Redaction | undefined;
}

/** Runs a replay. With `json`, the program's output goes to standard error, so that it does not mix with JSON. */
export function runReplay(
  recording: Recording,
  requested: ReplayRequest,
  { console: consoleMode, json, onChannel, sandbox, checkpointStore, redaction }: ReplayRunOptions,
): Promise<ReplayRun> {
  const { manifest } = recording;
  // A process with an incomplete trace may have been killed in an endless loop, which only code with probes can leave.
  // Driven processes have probes anyway and start often, so they skip the check.
  const canRunAsRequested =
    isDebugReplay(requested) || recording.traces().every((trace) => recording.isTraceComplete(trace));
  const request = canRunAsRequested ? requested : { ...requested, debug: true };
  const isRedacted = consoleMode === 'show' && redaction !== undefined;
  const shown = isRedacted ? 'pipe' : json ? 2 : 'inherit';
  const outputByMode = { show: shown, mute: 'ignore', capture: 'pipe' } as const;
  const hooks = ['--import', requireFacade().register.href];
  const flags = (recorded: readonly string[]): string[] => replayFlags(recorded, process.execArgv, hooks);
  const args = entryArguments(manifest, request);
  const env = {
    ...replayEnvironment(manifest, request),
    // Mutes each thread, because a worker writes its output through the main thread.
    ...(consoleMode === 'mute' && { TURNTABLE_CONSOLE: 'mute' }),
  };
  const launch =
    sandbox === undefined
      ? launchTrusted({ flags: flags(manifest.execArgv), args, cwd: manifest.cwd, env: { ...manifest.env, ...env } })
      : confineReplay(
          { flags: flags(harmlessFlags(manifest.execArgv)), args, cwd: manifest.cwd, env },
          recording,
          request,
          sandbox,
        );
  const child = spawn(launch.file, launch.args, {
    stdio: [
      'ignore',
      outputByMode[consoleMode],
      consoleMode === 'show' && !isRedacted ? 'inherit' : 'pipe',
      'pipe',
      onChannel ? 'pipe' : 'ignore',
      launch.limits !== undefined ? 'pipe' : 'ignore',
      sandbox === undefined ? 'ignore' : 'pipe',
    ],
    cwd: launch.cwd,
    // A detached process does not get the terminal's signals. It ends when its channel closes.
    detached: onChannel !== undefined,
    env: launch.env,
  });
  const kill = processKiller(child);
  onChannel?.(child.stdio[CHANNEL_DESCRIPTOR] as unknown as Duplex, kill);
  const descriptors = child.stdio as readonly unknown[];
  sandbox?.transforms.serve(descriptors[TRANSFORM_DESCRIPTOR] as Duplex, () =>
    transformServiceLaunch(
      { recording: resolve(request.recording), manifest, readsProgram: request.code === 'current' },
      sandbox.codeCache,
    ),
  );
  const { until, from } = request;
  const comparison = new StateComparison(recording, from, until?.kind === 'phase' ? until.phase : undefined);
  // A driven process may be paused for any length of time, so it has no hang detector.
  const hangDetector = request.driver === undefined ? new HangDetector(kill) : undefined;
  const readingOutcome = readOutcome(
    child.stdio[OUTCOME_DESCRIPTOR] as NodeJS.ReadableStream,
    comparison,
    checkpointStore,
    hangDetector,
  );
  const readOutput = (stream: Readable | null, output: Writable): Promise<string> | string => {
    if (stream === null) return '';
    return isRedacted ? copyRedacted(stream, output, redaction).then(() => '') : readText(stream);
  };
  const printedOutput = Promise.all([
    readOutput(child.stdout, json ? process.stderr : process.stdout),
    readOutput(child.stderr, process.stderr),
  ]);
  let endingSignal: NodeJS.Signals | undefined;
  const forward = (signal: NodeJS.Signals): void => {
    endingSignal = signal;
    // The programs that make namespaces do not pass signals on.
    if (launch.limits !== undefined) kill();
    else child.kill(signal);
  };
  const forwardedSignals = onChannel === undefined ? FORWARDED_SIGNALS : [];
  for (const signal of forwardedSignals) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // Without a reader of its messages, the process would block forever.
    readingOutcome.catch(kill);
    child.on('close', (code, signal) => {
      for (const signal of forwardedSignals) process.off(signal, forward);
      const endedBy = signal === null ? null : (endingSignal ?? signal);
      const exitDescription =
        endedBy === null
          ? `exit code ${code}${reachedLimitText(code, launch.limits)}`
          : `${endedBy}, ${128 + constants.signals[endedBy]}`;
      Promise.all([readingOutcome, printedOutput]).then(
        ([{ outcome, startFailure }, [stdout = '', stderr = '']]) =>
          resolve({ outcome, startFailure, exitDescription, stdout, stderr }),
        reject,
      );
    });
  });
}

function launchTrusted({ flags, args, cwd, env }: NodeLaunch): Launch {
  return { file: process.execPath, args: [...flags, ...args], cwd, env: { ...process.env, ...env } };
}

function confineReplay(
  launch: NodeLaunch,
  { manifest }: Recording,
  { recording, code, taskLog, turnNotes, checkpoint }: ReplayRequest,
  { codeCache, checkpoints }: ReplaySandbox,
): Launch {
  // Of the modules of Turntable: processes that are not in the sandbox write it.
  const { NODE_COMPILE_CACHE: nodeCache, TURNTABLE_CACHE: cacheSetting } = process.env;
  const compileCache = nodeCache ? resolve(nodeCache) : undefined;
  const readable = [checkpoint?.directory, checkpoints, keyFile(), codeCache, compileCache].filter(
    (path) => path !== undefined,
  );
  const writable = [taskLog?.directory, turnNotes?.directory].filter((path) => path !== undefined);
  const env = {
    ...launch.env,
    // Without a cache for its recording, a replay has that of the program.
    TURNTABLE_CACHE: codeCache ?? (cacheSetting === 'off' ? 'off' : undefined),
    NODE_COMPILE_CACHE: compileCache,
    [TRANSFORM_VARIABLE]: '1',
    [KEY_VARIABLE]: keyFile(),
  };
  return confine(
    { ...launch, env },
    { recording: resolve(recording), manifest, readsProgram: code === 'current', readable, writable },
  );
}

const FORWARDED_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Shows progress and compares states until the process reports its outcome; undefined if it never does. */
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

/** Settings that select the transformed files as recorded, and turn off recording. */
function replayEnvironment({ notes }: Manifest, request: ReplayRequest): Record<string, string> {
  const { include, exclude } = readTransformSettings(notes);
  const { recording: path, from, code } = request;
  return {
    TURNTABLE_INCLUDE: include.join(','),
    TURNTABLE_EXCLUDE: exclude.join(','),
    TURNTABLE_RECORDINGS: 'off',
    TURNTABLE_TRACE: '0',
    // Node recognizes a process forked by node:cluster by this variable and removes it.
    ...(isClusterWorker(notes) && { NODE_UNIQUE_ID: '1' }),
    ...replayVariables(request),
    ...(from === undefined
      ? {}
      : restoreVariables({ path, phase: from, code: code === 'recorded' ? 'recorded' : 'files' })),
  };
}
