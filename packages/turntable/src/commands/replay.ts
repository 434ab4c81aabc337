// `turntable replay DIR`: replays a recording in a child process and compares each event with the recorded one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRecording, type Recording, type TraceValue } from '@turntable/recording';
import { REPLAY } from '../command-line/replay-commands.ts';
import { runOnRecording, parseRecordingArguments } from './recording-command.ts';
import {
  replaySandbox,
  type TrustOptions,
  defaultStartPhase,
  learnSecrets,
  findChangedFiles,
  findChangedPackages,
  CONSOLE_MODES,
  findReplayObstacles,
  type ReplayRun,
  describeRecordedEvent,
  type ReplayCode,
  type ReplayRequest,
  type ReplayOutcome,
  createReplayReport,
  formatReplayReport,
  runReplay,
  type TurnNote,
  readTurnNotes,
  type TurnNotesOptions,
  startFailureText,
  exitCodeOf,
  readRecordingCondition,
  UNTIL_USAGE,
  parseReplayLimit,
} from '@turntable/replayer/replay';
import { FORCE_HINT, reportFailure } from './failure.ts';
import { print, printError, printStyled } from '../printing.ts';
import { displayRedaction, textRedactor } from '../redaction.ts';

const CODE_NAMES: readonly string[] = ['recorded', 'current'] satisfies ReplayCode[];

/** Description of the event at which the first diverged worker differs; undefined if none has diverged. */
function divergingEvent(
  recording: Recording,
  { workers }: ReplayOutcome,
  from: number | undefined,
): string | undefined {
  const divergent = workers.find(({ divergence }) => divergence !== undefined);
  if (divergent?.divergence === undefined) return undefined;
  const { worker, epoch, divergence } = divergent;
  return describeRecordedEvent(recording, { worker, epoch, ordinal: divergence.ordinal }, from);
}

/** Replays a divergence again while tracking the messages of each turn, which takes time. Adds them to the outcome. */
async function withMessageDetails(
  outcome: ReplayOutcome,
  rerun: (worker: number) => Promise<ReplayRun>,
): Promise<ReplayOutcome> {
  const divergent = outcome.workers.find(({ divergence }) => divergence !== undefined);
  if (divergent === undefined || (divergent.divergence?.turn ?? 0) === 0) return outcome;
  const { worker, epoch, divergence } = divergent;
  const reran = (await rerun(worker)).outcome?.workers.find((each) => each.worker === worker && each.epoch === epoch);
  if (reran?.divergence?.ordinal !== divergence?.ordinal) return outcome;
  return {
    ...outcome,
    workers: outcome.workers.map((each) => (each === divergent ? { ...each, divergence: reran?.divergence } : each)),
  };
}

/** Runs a replay with a temporary directory for the notes of turns, and reads the notes. */
async function withTurns(
  actors: readonly string[] | undefined,
  run: (turns: TurnNotesOptions | undefined) => Promise<ReplayRun>,
): Promise<{ readonly ran: ReplayRun; readonly turnNotes: readonly TurnNote[] | undefined }> {
  if (actors === undefined) return { ran: await run(undefined), turnNotes: undefined };
  const directory = mkdtempSync(join(tmpdir(), 'turntable-turns-'));
  try {
    return { ran: await run({ actors, directory }), turnNotes: readTurnNotes(directory) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Start time of the recorded run, in milliseconds since 1970. */
function startTimeOf(recording: Recording, from: number | undefined): number {
  const snapshot = recording.snapshots().find(({ phase }) => phase === from);
  return snapshot?.time ?? Date.parse(recording.manifest.created);
}

interface ReplayCommandOptions extends Omit<ReplayRequest, 'recording' | 'until' | 'turns'>, TrustOptions {
  readonly path: string;
  /** Limit of the replay, as given on the command line. */
  readonly until: string | undefined;
  /** Names of the actors whose turns are listed; undefined for no list. */
  readonly turns: readonly string[] | undefined;
  /** Where the program's output goes. */
  readonly console: (typeof CONSOLE_MODES)[number];
  readonly isForced: boolean;
  /** Whether the exit code is an error unless the recording is complete and everything was compared. */
  readonly isStrict: boolean;
  readonly json: boolean;
}

export function replayCommand(args: readonly string[]): Promise<number> {
  return runOnRecording('replay', parseReplayArguments(args), (directory, file, options) =>
    replayOrReport(directory, file ?? directory, options),
  );
}

async function replayOrReport(directory: string, name: string, options: ReplayCommandOptions): Promise<number> {
  try {
    return await replayRecording(directory, name, options);
  } catch (error) {
    return reportFailure('replay', name, error);
  }
}

/** @param name name of the recording in messages */
async function replayRecording(directory: string, name: string, options: ReplayCommandOptions): Promise<number> {
  const recording = openRecording(directory);
  const from = options.from ?? defaultStartPhase(recording);
  const until =
    options.until === undefined ? undefined : parseReplayLimit(options.until, () => startTimeOf(recording, from));
  const { blocking: must, overridable: may } = findReplayObstacles(recording, { code: options.code, from, until });
  const obstacles = [...must, ...(options.isForced ? [] : may)];
  if (obstacles.length > 0) {
    const forceHint = must.length === 0 ? `\n${FORCE_HINT}` : '';
    printError(
      `turntable replay: ${name} cannot be replayed here:\n${obstacles
        .map((each) => `  ${each}\n`)
        .join('')
        .trimEnd()}${forceHint}\n`,
    );
    return 1;
  }
  const sandbox = replaySandbox(directory, options);
  const redaction = displayRedaction();
  const learning = redaction && learnSecrets(redaction, recording);
  const runOptions = { ...options, sandbox, redaction };
  const isWatched = options.console !== 'show' && process.stderr.isTTY;
  const { ran, turnNotes } = await withTurns(options.turns, (turns) =>
    runReplay(
      recording,
      {
        recording: directory,
        code: options.code,
        from,
        until,
        reportsProgress: isWatched,
        turnNotes: turns,
        debug: options.debug,
      },
      runOptions,
    ),
  );
  await learning;
  const redact = textRedactor(redaction);
  if (ran.startFailure !== undefined) {
    const otherHint = from !== undefined && recording.phases().length > 1 ? '; turntable inspect lists others' : '';
    printError(`turntable replay: ${name}: ${redact(startFailureText(from, ran.startFailure))}${otherHint}\n`);
    return 1;
  }
  if (ran.outcome === undefined) {
    printError(
      `${redact(ran.stderr)}turntable replay: ${name}: the process ended (${ran.exitDescription}) before the replay reported a result\n`,
    );
    return 1;
  }
  const outcome = await withMessageDetails(ran.outcome, (follows) =>
    runReplay(
      recording,
      { recording: directory, code: options.code, from, until, followedWorker: follows, debug: options.debug },
      { ...runOptions, console: 'mute' },
    ),
  );
  const changedSources = options.code === 'current' ? findChangedFiles(recording) : [];
  const summary = createReplayReport({
    directory: name,
    from: from ?? null,
    code: options.code,
    outcome,
    recordedEvent: divergingEvent(recording, outcome, from),
    changedFiles: changedSources,
    changedPackages: findChangedPackages(recording.manifest),
    manifest: recording.manifest,
    condition: readRecordingCondition(recording, from),
    until,
    turnNotes,
  });
  const capturedOutput = options.console === 'capture' ? { stdout: ran.stdout, stderr: ran.stderr } : {};
  if (options.json) {
    const result = { ...summary, ...capturedOutput } as unknown as TraceValue;
    print(`${JSON.stringify(redaction?.redactValue(result) ?? result)}\n`);
  } else printReport(redact(formatReplayReport(summary)));
  return exitCodeOf(summary.verdict, options.isStrict, summary.unseenOutput);
}

const VERDICT_STYLES = { same: 'green', diverged: 'red', truncated: 'yellow', incomplete: 'yellow' } as const;
const VERDICT = new RegExp(`^(?:${Object.keys(VERDICT_STYLES).join('|')})\\b`);

/** Prints a report with a coloured verdict, which is its first word. */
function printReport(report: string): void {
  const [verdict = ''] = VERDICT.exec(report) ?? [];
  if (verdict !== '') printStyled(VERDICT_STYLES[verdict as keyof typeof VERDICT_STYLES], verdict, process.stderr);
  printError(report.slice(verdict.length));
}

function parseReplayArguments(args: readonly string[]): ReplayCommandOptions | string {
  const parsed = parseRecordingArguments(args, REPLAY);
  if (typeof parsed === 'string') return parsed;
  const { values, subject: path } = parsed;
  const {
    from,
    until,
    turns,
    code = 'recorded',
    console: consoleValue = 'show',
    force,
    strict,
    json,
    debug,
    trusted,
    'require-isolation': requiresIsolation,
  } = values;
  if (from !== undefined && !/^\d{1,15}$/.test(from)) return `--from must be the number of a snapshot, not "${from}"`;
  if (until !== undefined && parseReplayLimit(until, () => 0) === undefined) return `${UNTIL_USAGE}; not "${until}"`;
  const actors = turns?.split(',').map((name) => name.trim());
  if (actors?.includes('') === true)
    return `--turns must be actor names separated by commas (* matches anything), not "${turns}"`;
  if (!CODE_NAMES.includes(code)) return `--code must be "recorded" or "current", not "${code}"`;
  const consoleMode = CONSOLE_MODES.find((each) => each === consoleValue);
  if (consoleMode === undefined) return `--console must be "show", "mute" or "capture", not "${consoleValue}"`;
  if (consoleMode === 'capture' && !json)
    return '--console capture needs --json, which includes the output of the program';
  return {
    path,
    from: from === undefined ? undefined : Number(from),
    until,
    turns: actors,
    code: code as ReplayCode,
    console: consoleMode,
    isForced: force,
    isStrict: strict,
    debug,
    json,
    isTrusted: trusted,
    requiresIsolation,
  };
}
