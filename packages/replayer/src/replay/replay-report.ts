// Report of a replay: the number of replayed events, the verdict, and the first divergence with its likely cause.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TOOL_OUTPUT } from '@turntable/loader';
import type { Manifest, Recording } from '@turntable/recording';
import { workerName } from '../trace/event-line.ts';
import { packageRoot, version } from '../version.ts';
import { hungThreadsText } from './hung-threads-text.ts';
import { formatCount } from '../output/wording.ts';
import { readTransformSettings } from '../recorder/recording-notes.ts';
import type { Divergence, ReachedEnd, ReplayedWorker, ReplayOutcome, HungThread } from './replay-outcome.ts';
import { judgeOutcome, type RecordingCondition, type Verdict } from './verdict.ts';
import { packageChangeText, type ChangedPackage } from './changed-packages.ts';
import type { TurnNote } from './turn-notes.ts';
import { replayLimitText, type ReplayLimit } from './replay-limit.ts';
import type { ReplayCode } from './replay-request.ts';

export interface ReportInput {
  readonly directory: string;
  readonly from: number | null;
  readonly code: ReplayCode;
  readonly outcome: ReplayOutcome;
  /** Files whose contents differ from the recorded ones. */
  readonly changedFiles: readonly string[];
  readonly changedPackages?: readonly ChangedPackage[];
  readonly manifest: Pick<Manifest, 'devices' | 'notes' | 'versions' | 'redacted'>;
  readonly condition: RecordingCondition;
  /** Description of the recorded event at the divergence, if it has one. */
  readonly recordedEvent?: string | undefined;
  readonly until?: ReplayLimit | undefined;
  /** Present if turn notes were requested. */
  readonly turnNotes?: readonly TurnNote[] | undefined;
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
  /** Descriptions of the parts of the recording that are missing, or could not be read or compared. */
  readonly damage: readonly string[];
  /** Sources of output that is neither recorded nor compared. */
  readonly unseenOutput: readonly string[];
  /** The first event before which changed code printed something else. */
  readonly otherOutput: { readonly worker: number; readonly event: number; readonly isLast: boolean } | null;
  readonly workers: readonly ReplayedWorker[];
  readonly missingThreads: readonly string[];
  /** Threads that hang in native code. */
  readonly hungThreads: readonly HungThread[];
  /** The limit that the replay has reached; null if there was none or it was not reached. */
  readonly until: string | null;
  readonly reached: ReachedEnd | null;
  /** Whether recording was stopped while the program kept running. */
  readonly wasRecordingStopped: boolean;
  /** Signal with which the program killed itself. */
  readonly exitSignal: string | null;
  /** The first divergence; null if there was none. */
  readonly divergence:
    | (Divergence & {
        readonly worker: number;
        readonly epoch: number;
        /** Location in the program, if its code was running. */
        readonly location: string | null;
        readonly cause: string;
      })
    | null;
  /** Notes of the requested actors' turns. */
  readonly turnNotes?: readonly TurnNote[];
}

/** Files of the program that differ from their recorded contents. */
export function findChangedFiles({ manifest }: Recording): string[] {
  const digestsByUrl = new Map<string, Set<string>>();
  for (const { url, sha256, settings } of manifest.modules) {
    // This text is the output of a tool, not the contents of a file.
    if (!url.startsWith('file:') || settings === TOOL_OUTPUT) continue;
    const digests = digestsByUrl.get(url);
    if (digests === undefined) digestsByUrl.set(url, new Set([sha256]));
    else digests.add(sha256);
  }
  return [...digestsByUrl].flatMap(([url, digests]) => {
    const file = fileURLToPath(url);
    const currentDigest = digestOfFile(file);
    return currentDigest !== undefined && digests.has(currentDigest) ? [] : [file];
  });
}

/** Digest of the text without byte order mark, as in recordings; undefined for a missing file. */
function digestOfFile(file: string): string | undefined {
  try {
    return createHash('sha256')
      .update(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
      .digest('hex');
  } catch {
    return undefined;
  }
}

export function createReplayReport(input: ReportInput): ReplayReport {
  const { directory, from, code, outcome, until, condition } = input;
  const { workers, cuts, milliseconds } = outcome;
  const sum = (valueOf: (each: ReplayedWorker) => number): number =>
    workers.reduce((all, each) => all + valueOf(each), 0);
  const divergingWorker = workers.find(({ divergence }) => divergence !== undefined);
  return {
    verdict: judgeOutcome(outcome, condition),
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
    damage: [...condition.missingParts, ...outcome.uncomparedReasons, ...workers.flatMap(({ damage }) => damage ?? [])],
    unseenOutput: condition.unseenOutput,
    otherOutput: otherOutputOf(workers),
    workers,
    missingThreads: outcome.missingThreads,
    hungThreads: outcome.hungThreads ?? [],
    until: until === undefined ? null : replayLimitText(until),
    reached: outcome.reached ?? null,
    wasRecordingStopped: condition.wasStopped,
    exitSignal: condition.exitSignal,
    divergence:
      divergingWorker?.divergence === undefined
        ? null
        : {
            worker: divergingWorker.worker,
            epoch: divergingWorker.epoch,
            ...divergingWorker.divergence,
            expected: expectedText(divergingWorker.divergence, input.recordedEvent),
            location: programLocationIn(divergingWorker.divergence.stack),
            cause: likelyCause(input, divergingWorker.divergence),
          },
    ...(input.turnNotes === undefined ? {} : { turnNotes: input.turnNotes.map(withDisplayLocation) }),
  };
}

function otherOutputOf(workers: readonly ReplayedWorker[]): ReplayReport['otherOutput'] {
  const first = workers.find(({ otherOutputAt }) => otherOutputAt !== undefined);
  if (first?.otherOutputAt === undefined) return null;
  const { worker, otherOutputAt: event, events } = first;
  return { worker, event, isLast: event > events };
}

/** The expected event as the replay reports it, with details from the trace. */
function expectedText({ expected, isInOutput }: Divergence, event: string | undefined): string {
  if (event === undefined || isInOutput === true) return expected;
  return event.startsWith('the program ') ? event : `${expected}; ${event}`;
}

const PACKAGES_DIRECTORY = dirname(packageRoot);
/** Directory of all packages in the workspace. */
const WORKSPACE_PACKAGES = basename(PACKAGES_DIRECTORY) === 'packages' ? join(PACKAGES_DIRECTORY, sep) : undefined;

function isOwnPath(path: string): boolean {
  if (WORKSPACE_PACKAGES !== undefined && path.startsWith(WORKSPACE_PACKAGES)) return true;
  return /[/\\]node_modules[/\\](?:@turntable|turntable)[/\\]/.test(path);
}

/** Location of the first stack frame that is neither Node's nor Turntable's. */
function programLocationIn(stack: string | undefined): string | null {
  for (const line of stack?.split('\n') ?? []) {
    const [, location] = /^ {4}at (?:.* )?\(?((?:file:\/\/|\/)[^()]*:\d+:\d+)\)?$/.exec(line) ?? [];
    if (location !== undefined && !isOwnPath(location.replace(/^file:\/\//, ''))) return displayLocation(location);
  }
  return null;
}

function displayLocation(location: string): string {
  const [, file = location, lineAndColumn = ''] = /^(.*?)((?::\d+)*)$/.exec(location) ?? [];
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  const relativePath = relative(process.cwd(), path);
  return `${relativePath.startsWith('..') ? path : relativePath}${lineAndColumn}`;
}

function changedFileText(file: string): string {
  return existsSync(file) ? displayLocation(file) : `${displayLocation(file)} (deleted)`;
}

function withDisplayLocation(turn: TurnNote): TurnNote {
  return turn.location === undefined ? turn : { ...turn, location: displayLocation(turn.location) };
}

function turnText({ worker, turn, actor, kind, method, from, values, resumedFunction, location }: TurnNote): string {
  const callerText = from === undefined ? '' : ` for ${from}`;
  const action =
    kind === 'call'
      ? `${actor}.${method}(${values.join(', ')})${callerText}`
      : kind === 'fulfil' || kind === 'reject'
        ? `${actor}, ${kind === 'fulfil' ? 'answered' : 'rejected'}${from === undefined ? '' : ` by ${from}`}: ${values.join(', ')}`
        : `${actor}, ${kind === 'construct' ? 'created' : 'stopped'}`;
  const locationText =
    location === undefined
      ? ''
      : `, ${resumedFunction === undefined ? '' : `${resumedFunction} resumes at `}${location}`;
  return `  ${workerName(worker)}, turn ${turn}: ${action}${locationText}`;
}

/** The likeliest cause of the divergence. Known differences take precedence over guesses. */
function likelyCause(
  { code, changedFiles: changed, changedPackages: packages = [], manifest }: ReportInput,
  { actual }: Divergence,
): string {
  // V8 throws this error whatever else differs, so it is checked first.
  if (actual.endsWith('Maximum call stack size exceeded'))
    return 'the stack is too small: code with probes needs a fifth more of it; run turntable with node --stack-size=2000';
  const { devices, versions, redacted, notes } = manifest;
  const isInChangedPackage = (file: string): boolean =>
    packages.some(({ directory }) => file.startsWith(`${directory}/`));
  const changes = [
    ...packages.map(packageChangeText),
    ...changed.filter((file) => !isInChangedPackage(file)).map(changedFileText),
  ];
  if (changes.length > 0) return `the code has changed: ${changes.join(', ')}`;
  if (redacted !== undefined) return 'the recording is redacted and lacks inputs';
  const { node, turntable } = versions;
  if (node !== process.versions.node) return `it was recorded by Node ${node}, and this is ${process.versions.node}`;
  if (turntable !== version) return `it was recorded by Turntable ${turntable}, and this is ${version}`;
  if (devices.length > 0)
    return `the program used ${devices.map(String).join(', ')}, whose inputs are not recorded yet`;
  const { exclude } = readTransformSettings(notes);
  if (exclude.length > 0)
    return `${exclude.join(', ')}, which the setting exclude keeps native, shares objects with the program that are not recorded; or the program has another input that is not recorded`;
  return code === 'current'
    ? 'no file has changed: the program has an input that is not recorded'
    : 'the program has an input that is not recorded';
}

export function formatReplayReport(report: ReplayReport): string {
  const { verdict, workers, divergence, until, wasRecordingStopped, exitSignal, otherOutput, unseenOutput } = report;
  const lines = isReached(report) ? reachedLines(report) : [`${verdict}: ${amountText(report)}; ${statesText(report)}`];
  if (verdict === 'truncated' || verdict === 'incomplete') lines.push(...endLines(report));
  if (report.hungThreads.length > 0) lines.push(hungThreadsText(report.hungThreads));
  lines.push(...report.damage);
  if (otherOutput !== null)
    lines.push(
      `it prints something else than recorded, first ${otherOutput.isLast ? 'after the last event' : `before event ${otherOutput.event}`} of ${workerName(otherOutput.worker)}`,
    );
  if (unseenOutput.length > 0) lines.push(`not compared: output of ${unseenOutput.join(', ')}`);
  if (verdict === 'same' && until !== null && !isReached(report)) lines.push(`the run ended before ${until}`);
  if (verdict === 'same' && until === null && wasRecordingStopped)
    lines.push('recording was stopped here; the program kept running');
  if (verdict === 'same' && until === null && !wasRecordingStopped && exitSignal !== null)
    lines.push(`the program killed itself here with ${exitSignal}`);
  for (const { worker, stopReason, failure } of workers)
    if (stopReason === 'failed')
      lines.push(`${workerName(worker)} has ended${failure === undefined ? '' : `: ${failure}`}`);
  if (divergence !== null) lines.push(...divergenceLines(divergence));
  if (report.turnNotes !== undefined)
    lines.push(`${formatCount(report.turnNotes.length, 'turn')} of these actors:`, ...report.turnNotes.map(turnText));
  return `${lines.join('\n')}\n`;
}

/** A program without actors has no turns and no messages. */
function amountText({ turns, messages, events, milliseconds }: ReplayReport): string {
  const amounts = [
    ...(turns === 0 && messages === 0
      ? []
      : [formatCount(turns, 'turn'), `${formatCount(messages, 'message')} between workers`]),
    formatCount(events, 'event'),
  ];
  return `${amounts.join(', ')}, in ${secondsText(milliseconds)}`;
}

function secondsText(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function statesText({ cuts: { compared, different } }: ReplayReport): string {
  if (compared === 0) return 'no snapshot to compare with';
  const differentStates = different.map(([phase, worker]) => `${workerName(worker)} in snapshot ${phase}`);
  return `${formatCount(compared, 'state')} compared at cuts${differentStates.length === 0 ? ', all equal' : `, different: ${differentStates.join(', ')}`}`;
}

function isReached({ verdict, reached, workers }: ReplayReport): boolean {
  return verdict === 'same' && (reached !== null || workers.some(({ stopReason }) => stopReason === 'until'));
}

/** Lines about the reached limit: the turn that reached it, or the last event of each worker. */
function reachedLines(report: ReplayReport): string[] {
  const { until, reached, milliseconds, workers } = report;
  const lines = [`same until ${until}, in ${secondsText(milliseconds)}; ${statesText(report)}`];
  const eventText = (worker: number, events: number, turns: number): string =>
    `  event ${events} of ${workerName(worker)}, turn ${turns}`;
  const stateOf = (worker: number, state: string): string => `  state of ${workerName(worker)}: ${state}`;
  if (reached === null)
    return [
      ...lines,
      ...workers.flatMap(({ worker, events, turns, stateDigest: state }) => [
        eventText(worker, events, turns),
        ...(state === undefined ? [] : [stateOf(worker, state)]),
      ]),
    ];
  const { worker, events, turns, actor, method, error, stateDigests: states } = reached;
  const callerText = actor === undefined ? '' : `, ${actor}${method === undefined ? '' : `.${method}`}`;
  return [
    ...lines,
    `${eventText(worker, events, turns)}${callerText}`,
    ...(error === undefined ? [] : error.split('\n').map((line) => `  ${line}`)),
    ...states.map(([each, state]) => stateOf(each, state)),
  ];
}

function divergenceLines({
  worker,
  ordinal,
  turn,
  actor,
  location,
  isInOutput,
  ...divergence
}: NonNullable<ReplayReport['divergence']>): string[] {
  const locationText = [
    `first ${isInOutput === true ? 'before' : 'at'} event ${ordinal} of ${workerName(worker)}`,
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    ...(actor === undefined ? [] : [messageText(actor, divergence.message)]),
    ...(location === null ? [] : [location]),
  ];
  return [
    locationText.join(', '),
    `  recorded: ${divergence.expected}`,
    `  now:      ${divergence.actual}`,
    `  likely:   ${divergence.cause}`,
  ];
}

function messageText(actor: string, message: Divergence['message']): string {
  if (message === undefined) return actor;
  const { method, from } = message;
  if (method === 'fulfil' || method === 'reject')
    return `${actor}, at an answer${from === undefined ? '' : ` from ${from}`}`;
  return `${actor}.${method}${from === undefined ? '' : ` for ${from}`}`;
}

/** Lines about the end of a recording that lacks the end of the run. */
function endLines({ verdict, workers, missingThreads }: ReplayReport): string[] {
  if (workers.some(({ worker, stopReason }) => worker === 0 && stopReason === 'cut off'))
    return verdict === 'truncated'
      ? ['the recording ends here, where its process was killed; later output is not compared']
      : ['the recording has a gap or damage here'];
  if (missingThreads.length === 0) return [];
  const threads = missingThreads.map((each) => workerName(Number.parseInt(each)));
  return [`the recording has no more of ${threads.join(', ')}, which waits for an event`];
}
