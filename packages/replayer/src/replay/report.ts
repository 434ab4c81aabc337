// What is said of a run again: how much of it there was, whether it was the same, and if not, where it began to differ and why that may be.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MADE_BY_TOOL } from '@turntable/loader';
import type { Manifest, Recording } from '@turntable/recording';
import { workerName } from '../trace/event-line.ts';
import { home, version } from '../version.ts';
import { stuckText } from './stuck-text.ts';
import { counted } from '../output/wording.ts';
import { settingsIn, stoppedIn } from '../recorder/recording-notes.ts';
import {
  verdictOf,
  type Divergence,
  type Reached,
  type ReplayedWorker,
  type ReplayOutcome,
  type Stuck,
  type Verdict,
} from './outcome.ts';
import { changeText, type ChangedPackage } from './changed-packages.ts';
import type { ToldTurn } from './turn-notes.ts';
import { untilText, type Until } from './until.ts';
import type { ReplayCode } from './replay-order.ts';

export interface Reported {
  readonly directory: string;
  readonly from: number | null;
  readonly code: ReplayCode;
  readonly outcome: ReplayOutcome;
  /** Files that are not what they were. */
  readonly changed: readonly string[];
  readonly packages?: readonly ChangedPackage[];
  readonly manifest: Pick<Manifest, 'devices' | 'notes' | 'versions' | 'redacted' | 'why'>;
  /** What stands in the trace where it differs, in words, if there is more to say of it. */
  readonly event?: string | undefined;
  readonly until?: Until | undefined;
  /** If turns are told of. */
  readonly told?: readonly ToldTurn[] | undefined;
}

export interface ReplayReport {
  readonly verdict: Verdict;
  readonly recording: string;
  readonly from: number | null;
  readonly code: ReplayCode;
  readonly events: number;
  readonly turns: number;
  readonly messages: number;
  readonly cuts: {
    readonly compared: number;
    readonly different: readonly (readonly [phase: number, worker: number])[];
  };
  readonly milliseconds: number;
  /** What of the recording could not be read, a sentence each: how far it was had again, or what was not compared. */
  readonly damage: readonly string[];
  readonly workers: readonly ReplayedWorker[];
  readonly missing: readonly string[];
  /** Threads that did not come back from native code. */
  readonly stuck: readonly Stuck[];
  /** How far it was to go, and how far it went; null if it was to go to the end, or did not come there. */
  readonly until: string | null;
  readonly reached: Reached | null;
  /** The program had gone on, and its recording had been ended. */
  readonly isStopped: boolean;
  /** The signal by which the program has ended itself. */
  readonly diedBy: string | null;
  /** The first event that differs, if any does. */
  readonly divergence:
    | (Divergence & {
        readonly worker: number;
        readonly life: number;
        /** Of the program's source, if code of it was running. */
        readonly place: string | null;
        readonly cause: string;
      })
    | null;
  /** Turns of those actors of which it was to be told. */
  readonly told?: readonly ToldTurn[];
}

/** Files of the program that are not what they were when they were recorded. */
export function changedFiles({ manifest }: Recording): string[] {
  const texts = new Map<string, Set<string>>();
  for (const { url, sha256, settings } of manifest.modules) {
    // No file has what a tool had made of it.
    if (!url.startsWith('file:') || settings === MADE_BY_TOOL) continue;
    const those = texts.get(url);
    if (those === undefined) texts.set(url, new Set([sha256]));
    else those.add(sha256);
  }
  return [...texts].flatMap(([url, digests]) => {
    const file = fileURLToPath(url);
    const now = digestOfFile(file);
    return now !== undefined && digests.has(now) ? [] : [file];
  });
}

/** Of its text without byte order mark, as texts are recorded; nothing if it is not there. */
function digestOfFile(file: string): string | undefined {
  try {
    return createHash('sha256')
      .update(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
      .digest('hex');
  } catch {
    return undefined;
  }
}

/** Whether a recording that just stops has all the same: it was ended while its program went on, or that has ended itself by a signal. */
export function isWhole(manifest: Pick<Manifest, 'notes' | 'why'>, from: number | null): boolean {
  return stoppedIn(manifest.notes).some((phase) => phase > (from ?? 0)) || manifest.why?.startsWith('SIG') === true;
}

export function report(reported: Reported): ReplayReport {
  const { directory, from, code, outcome, until, manifest } = reported;
  const { workers, cuts, milliseconds } = outcome;
  const sum = (of: (each: ReplayedWorker) => number): number => workers.reduce((all, each) => all + of(each), 0);
  const isStopped = stoppedIn(manifest.notes).some((phase) => phase > (from ?? 0));
  const diedBy = manifest.why?.startsWith('SIG') === true ? manifest.why : null;
  const differing = workers.find(({ divergence }) => divergence !== undefined);
  return {
    verdict: verdictOf(outcome, isWhole(manifest, from)),
    recording: directory,
    from,
    code,
    events: sum(({ events }) => events),
    turns: sum(({ turns }) => turns),
    messages: sum(({ messages }) => messages),
    cuts: {
      compared: cuts.length,
      different: cuts.flatMap(({ phase, worker, isSame }) => (isSame ? [] : [[phase, worker] as const])),
    },
    milliseconds: Math.round(milliseconds),
    damage: [...outcome.uncompared, ...workers.flatMap(({ damage }) => damage ?? [])],
    workers,
    missing: outcome.missing,
    stuck: outcome.stuck ?? [],
    until: until === undefined ? null : untilText(until),
    reached: outcome.reached ?? null,
    isStopped,
    diedBy,
    divergence:
      differing?.divergence === undefined
        ? null
        : {
            worker: differing.worker,
            life: differing.life,
            ...differing.divergence,
            expected: expectedText(differing.divergence.expected, reported.event),
            place: placeIn(differing.divergence.stack),
            cause: causeOf(reported, differing.divergence),
          },
    ...(reported.told === undefined ? {} : { told: reported.told.map(withPlaceShown) }),
  };
}

/** As the run again says it, and with what the trace says besides. */
function expectedText(expected: string, event: string | undefined): string {
  if (event === undefined) return expected;
  return event.startsWith('asks ') ? `the program ${event}` : `${expected}; ${event}`;
}

const PACKAGES = dirname(home);
/** Where all packages are in the workspace. */
const WORKSPACE = basename(PACKAGES) === 'packages' ? join(PACKAGES, sep) : undefined;

function isOurs(path: string): boolean {
  if (WORKSPACE !== undefined && path.startsWith(WORKSPACE)) return true;
  return /[/\\]node_modules[/\\](?:@turntable|turntable)[/\\]/.test(path);
}

/** The first line of a stack that is not ours or Node's. */
function placeIn(stack: string | undefined): string | null {
  for (const line of stack?.split('\n') ?? []) {
    const [, place] = /^ {4}at (?:.* )?\(?((?:file:\/\/|\/)[^()]*:\d+:\d+)\)?$/.exec(line) ?? [];
    if (place !== undefined && !isOurs(place.replace(/^file:\/\//, ''))) return shown(place);
  }
  return null;
}

function shown(place: string): string {
  const [, file = place, rest = ''] = /^(.*?)((?::\d+)*)$/.exec(place) ?? [];
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  const near = relative(process.cwd(), path);
  return `${near.startsWith('..') ? path : near}${rest}`;
}

function changedText(file: string): string {
  return existsSync(file) ? shown(file) : `${shown(file)}, which is gone`;
}

function withPlaceShown(turn: ToldTurn): ToldTurn {
  return turn.place === undefined ? turn : { ...turn, place: shown(turn.place) };
}

function turnText({ worker, turn, actor, kind, method, from, values, goesOn, place }: ToldTurn): string {
  const whose = from === undefined ? '' : ` for ${from}`;
  const what =
    kind === 'call'
      ? `${actor}.${method}(${values.join(', ')})${whose}`
      : kind === 'fulfil' || kind === 'reject'
        ? `${actor}, ${kind === 'fulfil' ? 'answered' : 'refused'}${from === undefined ? '' : ` by ${from}`}: ${values.join(', ')}`
        : `${actor}, ${kind === 'construct' ? 'made' : 'stopped'}`;
  const where = place === undefined ? '' : `, ${goesOn === undefined ? '' : `${goesOn} goes on at `}${place}`;
  return `  ${workerName(worker)}, turn ${turn}: ${what}${where}`;
}

/** The likeliest first: that which is known to be otherwise. */
function causeOf({ code, changed, packages = [], manifest }: Reported, { actual }: Divergence): string {
  // Said by the engine of the language: what is otherwise need not have anything to do with it.
  if (actual.endsWith('Maximum call stack size exceeded'))
    return 'its stack is too small here, where code that can be stopped takes a fifth more of it: start turntable by node --stack-size=2000';
  const { devices, versions, redacted, notes } = manifest;
  const isOf = (file: string): boolean => packages.some(({ directory }) => file.startsWith(`${directory}/`));
  const changes = [...packages.map(changeText), ...changed.filter((file) => !isOf(file)).map(changedText)];
  if (changes.length > 0) return `the code has changed: ${changes.join(', ')}`;
  if (redacted !== undefined) return 'the recording is redacted: it has not all that the program was answered';
  const { node, turntable } = versions;
  if (node !== process.versions.node) return `it was recorded by Node ${node}, and this is ${process.versions.node}`;
  if (turntable !== version) return `it was recorded by Turntable ${turntable}, and this is ${version}`;
  if (devices.length > 0) return `the program reached ${devices.map(String).join(', ')}, which is not recorded yet`;
  const { exclude } = settingsIn(notes);
  if (exclude.length > 0)
    return `${exclude.join(', ')} is kept outside by the setting exclude, and shares with the program what is not seen; or the program depends on something else that is not recorded`;
  return code === 'current'
    ? 'no file has changed: the program depends on something of outside that is not recorded'
    : 'the program depends on something of outside that is not recorded';
}

export function reportText(found: ReplayReport): string {
  const { verdict, workers, divergence, until, isStopped, diedBy } = found;
  const lines = isReached(found) ? reachedLines(found) : [`${verdict}: ${amountText(found)}; ${statesText(found)}`];
  if (verdict === 'truncated') lines.push(truncation(found));
  if (found.stuck.length > 0) lines.push(stuckText(found.stuck));
  lines.push(...found.damage);
  if (verdict === 'same' && until !== null && !isReached(found)) lines.push(`it was over before ${until}`);
  if (verdict === 'same' && until === null && isStopped)
    lines.push('the recording was ended here, while its program went on');
  if (verdict === 'same' && until === null && !isStopped && diedBy !== null)
    lines.push(`the program ended itself here, by ${diedBy}`);
  for (const { worker, stop, failure } of workers)
    if (stop === 'failed') lines.push(`${workerName(worker)} has ended${failure === undefined ? '' : `: ${failure}`}`);
  if (divergence !== null) lines.push(...divergenceLines(divergence));
  if (found.told !== undefined)
    lines.push(`${counted(found.told.length, 'turn')} of these actors:`, ...found.told.map(turnText));
  return `${lines.join('\n')}\n`;
}

function amountText({ turns, messages, events, milliseconds }: ReplayReport): string {
  return `${counted(turns, 'turn')}, ${counted(messages, 'message')} between workers, ${counted(events, 'event')}, in ${secondsText(milliseconds)}`;
}

function secondsText(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function statesText({ cuts: { compared, different } }: ReplayReport): string {
  if (compared === 0) return 'no snapshot to compare with';
  const which = different.map(([phase, worker]) => `that of ${workerName(worker)} in snapshot ${phase}`);
  return `${counted(compared, 'state')} compared at cuts${which.length === 0 ? ', all equal' : `, different: ${which.join(', ')}`}`;
}

function isReached({ verdict, reached, workers }: ReplayReport): boolean {
  return verdict === 'same' && (reached !== null || workers.some(({ stop }) => stop === 'until'));
}

/** Where it was to end, and did: one worker at what was asked for, or each at a time. */
function reachedLines(found: ReplayReport): string[] {
  const { until, reached, milliseconds, workers } = found;
  const lines = [`same until ${until}, in ${secondsText(milliseconds)}; ${statesText(found)}`];
  const at = (worker: number, events: number, turns: number): string =>
    `  event ${events} of ${workerName(worker)}, turn ${turns}`;
  const stateOf = (worker: number, state: string): string => `  state of ${workerName(worker)}: ${state}`;
  if (reached === null)
    return [
      ...lines,
      ...workers.flatMap(({ worker, events, turns, state }) => [
        at(worker, events, turns),
        ...(state === undefined ? [] : [stateOf(worker, state)]),
      ]),
    ];
  const { worker, events, turns, actor, method, error, states } = reached;
  const whose = actor === undefined ? '' : `, ${actor}${method === undefined ? '' : `.${method}`}`;
  return [
    ...lines,
    `${at(worker, events, turns)}${whose}`,
    ...(error === undefined ? [] : error.split('\n').map((line) => `  ${line}`)),
    ...states.map(([each, state]) => stateOf(each, state)),
  ];
}

function divergenceLines({
  worker,
  ordinal,
  turn,
  actor,
  place,
  ...rest
}: NonNullable<ReplayReport['divergence']>): string[] {
  const where = [
    `first at event ${ordinal} of ${workerName(worker)}`,
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    ...(actor === undefined ? [] : [messageText(actor, rest.message)]),
    ...(place === null ? [] : [place]),
  ];
  return [where.join(', '), `  recorded: ${rest.expected}`, `  now:      ${rest.actual}`, `  likely:   ${rest.cause}`];
}

function messageText(actor: string, message: Divergence['message']): string {
  if (message === undefined) return actor;
  const { method, from } = message;
  if (method === 'fulfil' || method === 'reject')
    return `${actor}, at an answer${from === undefined ? '' : ` of ${from}`}`;
  return `${actor}.${method}${from === undefined ? '' : ` for ${from}`}`;
}

function truncation({ workers, missing }: ReplayReport): string {
  if (workers.some(({ damage }) => damage !== undefined)) return 'the recording can be read no further than this';
  if (workers.some(({ worker, stop }) => worker === 0 && stop === 'cut off'))
    return 'the recording goes no further than this: its process was killed, or could not write on';
  return `nothing more was heard of ${missing.map((each) => workerName(Number.parseInt(each))).join(', ')}: what it waits for is not in the recording`;
}
