// Builds the run index of a recording from the task logs of one replay, which discards the program's output and
// compares no states. Run indexes are cached, except for sealed recordings.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { REPLAYER_ERRORS } from '../error-table.ts';
import { openRecording, type Recording } from '@turntable/recording';
import type { Redaction } from '@turntable/recording/redaction';
import { RunIndex, RunIndexCache, runIndexKey } from '@turntable/time-machine';
import { turntableCachePath } from '../paths/cache-path.ts';
import { TemporaryDirectory } from '../paths/recording-directory.ts';
import { version } from '../version.ts';
import { threadKeyOf, startFailureText, type Divergence, type HungThread } from './replay-outcome.ts';
import { judgeOutcome, readRecordingCondition, type Verdict } from './verdict.ts';
import type { Override } from '@turntable/time-machine/protocol';
import {
  defaultStartPhase,
  findReplayObstacles,
  applicableObstacles,
  type ReplayObstacles,
} from './replay-obstacles.ts';
import { learnSecrets } from './learn-secrets.ts';
import { runReplay } from './replay-run.ts';
import type { ReplaySandbox } from '../sandbox/replay-sandbox.ts';
import { CheckpointStore } from './checkpoint-store.ts';

export interface IndexedRun {
  readonly runIndex: RunIndex;
  /** Checkpoints at cuts without a recorded snapshot, as a recording. They may be deleted at any time. */
  readonly checkpoints: Recording | undefined;
  /** Whether the replay reached the end of the recording. */
  readonly verdict: Verdict;
  /** Threads that hang. The run index ends before the tasks that hang. */
  readonly hungThreads: readonly HungThread[];
  /** The divergence at which the run index ends, if any. */
  readonly divergence: (Divergence & { readonly worker: number }) | undefined;
}

export class RunIndexError extends Error {
  readonly code = 'TT_NO_RUN_INDEX' satisfies keyof typeof REPLAYER_ERRORS;
  /** Overrides with which another attempt may succeed. */
  readonly overrides: readonly Override[];

  constructor(message: string, overrides: readonly Override[] = []) {
    super(message);
    this.overrides = overrides;
  }
}

/** The recording from which a run index is built. */
export interface RunIndexSource {
  readonly recording: Recording;
  readonly directory: string;
  /** Snapshot at which the replay starts; undefined for the start. */
  readonly from: number | undefined;
  /** The sandbox of replay processes; undefined if the user trusts the recording. */
  readonly sandbox?: ReplaySandbox | undefined;
}

export interface RunIndexOptions {
  /** The requested snapshot; undefined for the earliest possible start. */
  readonly phase: number | undefined;
  /** Whether to replay even if the result may differ. */
  readonly isForced: boolean;
  /** Whether to ignore a cached run index. */
  readonly isFresh: boolean;
  /** Whether the replay runs in debug mode, which counts statement lists but takes longer. */
  readonly debug?: boolean;
  /**
   * Minimum processor time between two checkpoints, in milliseconds; 0 makes one at each cut. Only debug mode makes
   * checkpoints.
   */
  readonly spacing?: number | undefined;
  /** The sandbox of replay processes; undefined if the user trusts the recording. */
  readonly sandbox?: ReplaySandbox | undefined;
  /** Learns the secrets of the recording. */
  readonly redaction?: Redaction | undefined;
}

export async function buildRunIndex(directory: string, options: RunIndexOptions): Promise<IndexedRun & RunIndexSource> {
  const recording = openRecording(directory);
  const from = options.phase ?? defaultStartPhase(recording);
  const obstacles = findReplayObstacles(recording, { code: 'recorded', from });
  const problems = applicableObstacles(obstacles, options.isForced);
  if (problems.length > 0)
    throw new RunIndexError(`it cannot be replayed here:\n  ${problems.join('\n  ')}`, overridesFor(obstacles));
  const source = { recording, directory, from, sandbox: options.sandbox };
  return { ...source, ...(await loadOrBuild(source, options)) };
}

function overridesFor({ blocking, needsKey }: ReplayObstacles): Override[] {
  if (needsKey === true) return ['key'];
  return blocking.length === 0 ? ['force'] : [];
}

async function loadOrBuild(
  source: RunIndexSource,
  { isFresh, debug = false, spacing = DEFAULT_SPACING_MS, redaction }: RunIndexOptions,
): Promise<IndexedRun> {
  const { directory, from } = source;
  const cachePath = turntableCachePath('run-indexes', process.env);
  const cache = cachePath === undefined ? undefined : new RunIndexCache(cachePath);
  const formKey = `${version}${debug ? ' debug' : ''}`;
  const key =
    cache && runIndexKey(directory, inputFilesOf(directory, from), formKey, process.versions.node, from ?? null);
  const learnTraces = async (): Promise<void> => redaction && learnSecrets(redaction, source.recording);
  if (cache === undefined || key === undefined) {
    const [indexedRun] = await Promise.all([build(source, debug), learnTraces()]);
    secretsLearned(redaction, indexedRun.runIndex);
    return { ...indexedRun, checkpoints: undefined };
  }
  const loadCheckpoints = (): Recording | undefined =>
    debug ? openCheckpoints(cache.checkpointDirectory(key)) : undefined;
  const cached = isFresh ? undefined : cache.get(key);
  if (cached !== undefined) {
    const { runIndex } = cached;
    const metadata = cached.metadata as CachedMetadata;
    const { verdict, hungThreads } = metadata;
    const known = metadata.secrets;
    if (known?.rules === redaction?.names.join()) redaction?.learnKnown(known?.values ?? []);
    else if (redaction !== undefined) {
      await learnTraces();
      cache.put(key, runIndex, { verdict, hungThreads, secrets: secretsLearned(redaction, runIndex) });
    }
    return {
      runIndex,
      hungThreads,
      verdict: currentVerdict(metadata, source),
      divergence: undefined,
      checkpoints: loadCheckpoints(),
    };
  }
  const checkpointRoom = debug ? cache.createCheckpointRoom(key) : undefined;
  const checkpointStore =
    checkpointRoom === undefined ? undefined : new CheckpointStore(checkpointRoom, source.recording.manifest.workers);
  let indexedRun: Omit<IndexedRun, 'checkpoints'> | undefined;
  try {
    const checkpointTarget = checkpointStore && { store: checkpointStore, spacingMs: spacing };
    [indexedRun] = await Promise.all([build(source, debug, checkpointTarget), learnTraces()]);
    const { runIndex, verdict, hungThreads } = indexedRun;
    const secrets = secretsLearned(redaction, runIndex);
    if (verdict !== 'diverged') cache.put(key, runIndex, { verdict, hungThreads, secrets } satisfies CachedMetadata);
  } finally {
    const directory = await checkpointStore?.close();
    cache.putCheckpoints(key, indexedRun?.verdict === 'diverged' ? undefined : directory);
  }
  return { ...indexedRun, checkpoints: loadCheckpoints() };
}

/** A cached verdict, unless parts of the recording that the run index does not need have been removed. */
function currentVerdict({ verdict }: CachedMetadata, { recording }: RunIndexSource): Verdict {
  return recording.missingParts().length > 0 ? 'incomplete' : verdict;
}

interface LearnedSecrets {
  /** Names and patterns of the redaction that found them. */
  readonly rules: string;
  readonly values: readonly string[];
}

/** Learns the secrets in output and errors of the program, which no trace contains. Returns all that were learned. */
function secretsLearned(redaction: Redaction | undefined, { tables }: RunIndex): LearnedSecrets | undefined {
  if (redaction === undefined) return undefined;
  for (const text of tables.texts) redaction.learn(text);
  return { rules: redaction.names.join(), values: redaction.knownValues() };
}

interface CachedMetadata extends Pick<IndexedRun, 'verdict' | 'hungThreads'> {
  readonly secrets?: LearnedSecrets | undefined;
}

/** Default of `RunIndexOptions.spacing`. A replay with cold code caches takes longer and makes more checkpoints. */
const DEFAULT_SPACING_MS = 50;

function openCheckpoints(directory: string): Recording | undefined {
  try {
    return openRecording(directory);
  } catch {
    return undefined;
  }
}

interface CheckpointTarget {
  readonly store: CheckpointStore;
  readonly spacingMs: number;
}

async function build(
  source: RunIndexSource,
  debug: boolean,
  checkpointTarget?: CheckpointTarget,
  hungThreads: readonly HungThread[] = [],
): Promise<Omit<IndexedRun, 'checkpoints'>> {
  const { recording, directory, from, sandbox } = source;
  using temporaryDirectory = new TemporaryDirectory();
  const taskLog = {
    directory: temporaryDirectory.path,
    checkpoints: checkpointTarget && { spacingMs: checkpointTarget.spacingMs },
  };
  const request = {
    recording: directory,
    code: 'recorded',
    from,
    taskLog,
    debug,
    hungThreads,
    reportsProgress: process.stderr.isTTY,
  } as const;
  const options = { console: 'mute', json: true, sandbox, checkpointStore: checkpointTarget?.store } as const;
  const { outcome, startFailure, stderr, exitDescription } = await runReplay(recording, request, options);
  if (startFailure !== undefined) throw new RunIndexError(startFailureText(from, startFailure));
  if (outcome === undefined)
    throw new RunIndexError(`the replay process ended (${exitDescription}) without a result\n${stderr}`.trimEnd());
  const newlyHung =
    outcome.hungThreads?.filter(
      (each) => !hungThreads.some((hungThread) => threadKeyOf(hungThread) === threadKeyOf(each)),
    ) ?? [];
  // A hung thread loses tasks that it has not logged yet, so the replay is repeated with a stop before the hang. It
  // makes no checkpoints, because the first replay has written them.
  if (newlyHung.length > 0) return build(source, debug, undefined, [...hungThreads, ...newlyHung]);
  const divergingWorker = outcome.workers.find(({ divergence }) => divergence !== undefined);
  return {
    runIndex: RunIndex.read(temporaryDirectory.path),
    verdict: judgeOutcome(outcome, readRecordingCondition(recording, from)),
    hungThreads,
    divergence: divergingWorker?.divergence && { ...divergingWorker.divergence, worker: divergingWorker.worker },
  };
}

function inputFilesOf(directory: string, from: number | undefined): string[] {
  const traces = join(directory, 'traces');
  const traceFiles = existsSync(traces) ? readdirSync(traces).map((name) => join('traces', name)) : [];
  const snapshots = from === undefined ? [] : readdirSync(join(directory, 'snapshots'));
  const startSnapshots = snapshots
    .filter((name) => Number.parseInt(name, 10) === from)
    .map((name) => join('snapshots', name));
  return ['manifest.json', ...traceFiles, ...startSnapshots];
}
