// `turntable replay DIR`: the run of a recording again, in a process of its own, compared event by event with what was recorded; and what came of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRecording, type Recording } from '@turntable/recording';
import { onTraces, recordingArguments } from './on-traces.ts';
import {
  beginningOf,
  changedFiles,
  changedPackages,
  CONSOLES,
  obstaclesTo,
  type Ran,
  recordedEvent,
  type ReplayCode,
  type ReplayOrder,
  type ReplayOutcome,
  report,
  reportText,
  runAgain,
  type ToldTurn,
  toldTurns,
  type TurnWishes,
  unbegunText,
  UNTIL_EXPECTED,
  untilOf,
} from '@turntable/replayer/replay';
import { FORCE, toldFailure } from './told-failure.ts';

const USAGE =
  'Usage: turntable replay DIR|FILE.ttr [--from PHASE] [--until WHERE] [--turns ACTORS] [--code recorded|current] [--console show|mute|capture] [--force] [--json]';

export const REPLAY_USAGE = `${USAGE}

Runs again what a recording has, the last one in DIR that has traces, or a packed one: performs nothing, takes from the traces what came from outside, and compares.
  --from PHASE      from that snapshot on; otherwise from the start, or from the first snapshot of a recording that has not the start
  --until WHERE     no further than a snapshot (7), a turn (turn=12 or turn=12,worker=2), an event (event=340, with ,worker=2), a turn of an actor
                    (actor=Cart#12, with ,turn=40 not before that one), a time (time=2026-11-22T12:00:03Z, time=+3.5s), or error
  --turns ACTORS    tells of each turn of these: with what, for whom, where in the source; names, with commas between them, * for anything (--turns 'Cart#*')
  --code recorded   with the texts that were loaded then (the default); current: with the files of now, until they do something else
  --console mute    nothing of what the program prints; capture: it stands in what --json says, as stdout and stderr
  --force           also what might come out otherwise: on another version of Node, a program that reached what is not recorded
  --json            what came of it as one line of JSON on standard output
  --key FILE        the key that it is sealed with, if it is; also as TURNTABLE_KEY

Ends with 0 if all was the same, as far as the recording goes; with 3 if something differed, at the first event that did; with 1 if it cannot be replayed.

  turntable record app.ts && turntable replay recordings
  turntable replay recordings --code current --console mute
  turntable replay recordings --until event=2 --json
  turntable replay recordings --until actor=Cart#12 --turns 'Cart#12,Stock*'`;

const CODES: readonly string[] = ['recorded', 'current'] satisfies ReplayCode[];
const DIVERGED = 3;

/** The event with which the first worker that differs does. */
function eventIn(recording: Recording, { workers }: ReplayOutcome, from: number | undefined): string | undefined {
  const differing = workers.find(({ divergence }) => divergence !== undefined);
  if (differing?.divergence === undefined) return undefined;
  const { worker, life, divergence } = differing;
  return recordedEvent(recording, { worker, life, ordinal: divergence.ordinal }, from);
}

/** Which message was handled is not known of a run that does not follow them, since that takes time: it is had once more. */
async function withMessage(outcome: ReplayOutcome, again: (worker: number) => Promise<Ran>): Promise<ReplayOutcome> {
  const differing = outcome.workers.find(({ divergence }) => divergence !== undefined);
  if (differing === undefined || (differing.divergence?.turn ?? 0) === 0) return outcome;
  const { worker, life, divergence } = differing;
  const found = (await again(worker)).outcome?.workers.find((each) => each.worker === worker && each.life === life);
  if (found?.divergence?.ordinal !== divergence?.ordinal) return outcome;
  return {
    ...outcome,
    workers: outcome.workers.map((each) => (each === differing ? { ...each, divergence: found?.divergence } : each)),
  };
}

/** A run of whose turns it is told: they stand in a directory of their own until it is over. */
async function withTurns(
  actors: readonly string[] | undefined,
  run: (turns: TurnWishes | undefined) => Promise<Ran>,
): Promise<{ readonly ran: Ran; readonly told: readonly ToldTurn[] | undefined }> {
  if (actors === undefined) return { ran: await run(undefined), told: undefined };
  const directory = mkdtempSync(join(tmpdir(), 'turntable-turns-'));
  try {
    return { ran: await run({ actors, directory }), told: toldTurns(directory) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** When the run that is had again began, in milliseconds since 1970. */
function beginOf(recording: Recording, from: number | undefined): number {
  const snapshot = recording.snapshots().find(({ phase }) => phase === from);
  return snapshot?.time ?? Date.parse(recording.manifest.created);
}

interface Wishes extends Omit<ReplayOrder, 'recording' | 'until' | 'turns'> {
  readonly place: string;
  /** As it was written. */
  readonly until: string | undefined;
  /** Names of actors. */
  readonly turns: readonly string[] | undefined;
  /** What becomes of what the program prints. */
  readonly console: (typeof CONSOLES)[number];
  readonly isForced: boolean;
  readonly json: boolean;
}

export function replayCommand(args: readonly string[]): Promise<number> {
  return onTraces('replay', wishesOf(args), (directory, file, wishes) =>
    replayed(directory, file ?? directory, wishes),
  );
}

async function replayed(directory: string, name: string, wishes: Wishes): Promise<number> {
  try {
    return await replayIn(directory, name, wishes);
  } catch (error) {
    return toldFailure('replay', name, error);
  }
}

/** `name`: what it is called where it is talked of. */
async function replayIn(directory: string, name: string, wishes: Wishes): Promise<number> {
  const recording = openRecording(directory);
  const from = wishes.from ?? beginningOf(recording);
  const until = wishes.until === undefined ? undefined : untilOf(wishes.until, () => beginOf(recording, from));
  const { must, may } = obstaclesTo(recording, { code: wishes.code, from, until });
  const reasons = [...must, ...(wishes.isForced ? [] : may)];
  if (reasons.length > 0) {
    const force = must.length === 0 ? `\n${FORCE}` : '';
    process.stderr.write(
      `turntable replay: ${name} cannot be replayed here:\n${reasons
        .map((each) => `  ${each}\n`)
        .join('')
        .trimEnd()}${force}\n`,
    );
    return 1;
  }
  const isWatched = wishes.console !== 'show' && process.stderr.isTTY;
  const { ran, told } = await withTurns(wishes.turns, (turns) =>
    runAgain(
      recording,
      { recording: directory, code: wishes.code, from, until, isWatched, turns, debug: wishes.debug },
      wishes,
    ),
  );
  if (ran.unbegun !== undefined) {
    const other = from !== undefined && recording.phases().length > 1 ? '; turntable inspect lists others' : '';
    process.stderr.write(`turntable replay: ${name}: ${unbegunText(from, ran.unbegun)}${other}\n`);
    return 1;
  }
  if (ran.outcome === undefined) {
    process.stderr.write(
      `${ran.stderr}turntable replay: ${name}: the process ended (${ran.how}) before anything could be said\n`,
    );
    return 1;
  }
  const outcome = await withMessage(ran.outcome, (follows) =>
    runAgain(
      recording,
      { recording: directory, code: wishes.code, from, until, follows, debug: wishes.debug },
      { ...wishes, console: 'mute' },
    ),
  );
  const changed = wishes.code === 'current' ? changedFiles(recording) : [];
  const found = report({
    directory: name,
    from: from ?? null,
    code: wishes.code,
    outcome,
    event: eventIn(recording, outcome, from),
    changed,
    packages: changedPackages(recording.manifest),
    manifest: recording.manifest,
    until,
    told,
  });
  const printed = wishes.console === 'capture' ? { stdout: ran.stdout, stderr: ran.stderr } : {};
  if (wishes.json) process.stdout.write(`${JSON.stringify({ ...found, ...printed })}\n`);
  else process.stderr.write(reportText(found));
  return found.verdict === 'diverged' ? DIVERGED : 0;
}

function wishesOf(args: readonly string[]): Wishes | string {
  const given = recordingArguments(
    args,
    {
      from: { type: 'string' },
      until: { type: 'string' },
      turns: { type: 'string' },
      code: { type: 'string', default: 'recorded' },
      console: { type: 'string', default: 'show' },
      force: { type: 'boolean', default: false },
      // For tests: that code with probes does the same.
      debug: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
    USAGE,
  );
  if (typeof given === 'string') return given;
  const { values, subject: place } = given;
  const { from, until, turns, code, console: shown, force, json, debug } = values;
  if (from !== undefined && !/^\d{1,15}$/.test(from)) return `--from takes the number of a snapshot, not "${from}"`;
  if (until !== undefined && untilOf(until, () => 0) === undefined) return `${UNTIL_EXPECTED}; not "${until}"`;
  const actors = turns?.split(',').map((name) => name.trim());
  if (actors?.includes('') === true)
    return `--turns takes names of actors with commas between them, * for all, not "${turns}"`;
  if (!CODES.includes(code)) return `--code takes "recorded" or "current", not "${code}"`;
  const becomes = CONSOLES.find((each) => each === shown);
  if (becomes === undefined) return `--console takes "show", "mute" or "capture", not "${shown}"`;
  if (becomes === 'capture' && !json) return '--console capture is for --json, which says what the program prints, too';
  return {
    place,
    from: from === undefined ? undefined : Number(from),
    until,
    turns: actors,
    code: code as ReplayCode,
    console: becomes,
    isForced: force,
    debug,
    json,
  };
}
