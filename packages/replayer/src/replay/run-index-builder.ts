// The run index of a recording: it is run again once, as fast as it goes and without a word, each of its threads notes its tasks, and here they are read. What its program prints is not
// seen, and states are not compared: whether it is the same is told by `turntable replay`. A run index that is the same is kept, but of sealed recordings.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openRecording, type Recording } from '@turntable/recording';
import { RunIndex, RunIndexCache, runIndexKey } from '@turntable/time-machine';
import { turntableCachePath } from '../paths/cache-path.ts';
import { TemporaryDirectory } from '../paths/recording-directory.ts';
import { version } from '../version.ts';
import {
  threadKeyOf,
  startFailureText,
  judgeOutcome,
  type Divergence,
  type HungThread,
  type Verdict,
} from './replay-outcome.ts';
import { isCompleteRun } from './replay-report.ts';
import type { Override } from '@turntable/time-machine/protocol';
import {
  defaultStartPhase,
  findReplayObstacles,
  applicableObstacles,
  type ReplayObstacles,
} from './replay-obstacles.ts';
import { runReplay } from './replay-run.ts';
import { CheckpointStore } from './checkpoint-store.ts';

export interface IndexedRun {
  readonly runIndex: RunIndex;
  /** States of cuts of which the recording has no snapshot, if any were kept; they may go away. It is read as a recording. */
  readonly checkpoints: Recording | undefined;
  /** Whether it goes to the end of the recording. */
  readonly verdict: Verdict;
  /** Threads that are known no further than to what they do not come back from. */
  readonly hungThreads: readonly HungThread[];
  /** Where it stops, if something differed there. */
  readonly divergence: (Divergence & { readonly worker: number }) | undefined;
}

/** Why there is none. */
export class RunIndexError extends Error {
  readonly code = 'TT_NO_RUN_INDEX';
  /** What might be tried all the same. */
  readonly overrides: readonly Override[];

  constructor(message: string, overrides: readonly Override[] = []) {
    super(message);
    this.overrides = overrides;
  }
}

/** What a recording is run again as. */
export interface RunIndexSource {
  readonly recording: Recording;
  /** Where it is. */
  readonly directory: string;
  /** The snapshot that it begins with; the start. */
  readonly from: number | undefined;
}

export interface RunIndexOptions {
  /** The snapshot to begin with, unless with the first moment that it has. */
  readonly phase: number | undefined;
  /** Also what might come out otherwise. */
  readonly isForced: boolean;
  /** One that is kept does not do. */
  readonly isFresh: boolean;
  /** Statement lists are counted: it takes longer. */
  readonly debug?: boolean;
  /** So many milliseconds of the processor's lie between two states that are kept, or more (0: there is one at each cut); usual ones, if it is left out. Only of what is in debug mode any are. */
  readonly spacing?: number | undefined;
  /** Where it keeps transformed code, if it may do nothing but what it needs. */
  readonly cache?: string | undefined;
}

export async function buildRunIndex(directory: string, options: RunIndexOptions): Promise<IndexedRun & RunIndexSource> {
  const recording = openRecording(directory);
  const from = options.phase ?? defaultStartPhase(recording);
  const obstacles = findReplayObstacles(recording, { code: 'recorded', from });
  const problems = applicableObstacles(obstacles, options.isForced);
  if (problems.length > 0)
    throw new RunIndexError(`it cannot be run again here:\n  ${problems.join('\n  ')}`, overridesFor(obstacles));
  const source = { recording, directory, from };
  return { ...source, ...(await loadOrBuild(source, options)) };
}

function overridesFor({ blocking, needsKey }: ReplayObstacles): Override[] {
  if (needsKey === true) return ['key'];
  return blocking.length === 0 ? ['force'] : [];
}

async function loadOrBuild(
  source: RunIndexSource,
  { isFresh, debug = false, spacing = DEFAULT_SPACING_MS, cache: codeCache }: RunIndexOptions,
): Promise<IndexedRun> {
  const { directory, from } = source;
  const cachePath = turntableCachePath('run-indexes', process.env);
  const cache = cachePath === undefined ? undefined : new RunIndexCache(cachePath);
  const formKey = `${version}${debug ? ' debug' : ''}`;
  const key =
    cache && runIndexKey(directory, inputFilesOf(directory, from), formKey, process.versions.node, from ?? null);
  if (cache === undefined || key === undefined)
    return { ...(await build(source, debug, codeCache)), checkpoints: undefined };
  const loadCheckpoints = (): Recording | undefined =>
    debug ? openCheckpoints(cache.checkpointDirectory(key)) : undefined;
  const cached = isFresh ? undefined : cache.get(key);
  if (cached !== undefined)
    return {
      runIndex: cached.runIndex,
      ...(cached.metadata as CachedVerdict),
      divergence: undefined,
      checkpoints: loadCheckpoints(),
    };
  const checkpointRoom = debug ? cache.createCheckpointRoom(key) : undefined;
  const checkpointStore =
    checkpointRoom === undefined ? undefined : new CheckpointStore(checkpointRoom, source.recording.manifest.workers);
  let indexedRun: Omit<IndexedRun, 'checkpoints'> | undefined;
  try {
    indexedRun = await build(
      source,
      debug,
      codeCache,
      checkpointStore && { store: checkpointStore, spacingMs: spacing },
    );
    const { runIndex, verdict, hungThreads } = indexedRun;
    if (verdict !== 'diverged') cache.put(key, runIndex, { verdict, hungThreads } satisfies CachedVerdict);
  } finally {
    const directory = await checkpointStore?.close();
    cache.putCheckpoints(key, indexedRun?.verdict === 'diverged' ? undefined : directory);
  }
  return { ...indexedRun, checkpoints: loadCheckpoints() };
}

/** What is kept with a run index. */
type CachedVerdict = Pick<IndexedRun, 'verdict' | 'hungThreads'>;

/** Milliseconds of the processor's, of a run again that is warm: another one takes longer for as much. */
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
  cache: string | undefined,
  checkpointTarget?: CheckpointTarget,
  hungThreads: readonly HungThread[] = [],
): Promise<Omit<IndexedRun, 'checkpoints'>> {
  const { recording, directory, from } = source;
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
  const permissions = cache === undefined ? undefined : { writablePaths: [temporaryDirectory.path], codeCache: cache };
  const options = { console: 'mute', json: true, permissions, checkpointStore: checkpointTarget?.store } as const;
  const { outcome, startFailure, stderr, exitDescription } = await runReplay(recording, request, options);
  if (startFailure !== undefined) throw new RunIndexError(startFailureText(from, startFailure));
  if (outcome === undefined)
    throw new RunIndexError(
      `the process ended (${exitDescription}) before anything could be said\n${stderr}`.trimEnd(),
    );
  const newlyHung =
    outcome.hungThreads?.filter(
      (each) => !hungThreads.some((hungThread) => threadKeyOf(hungThread) === threadKeyOf(each)),
    ) ?? [];
  // What they had not noted yet is lost. States are there up to where they are.
  if (newlyHung.length > 0) return build(source, debug, cache, undefined, [...hungThreads, ...newlyHung]);
  const divergingWorker = outcome.workers.find(({ divergence }) => divergence !== undefined);
  return {
    runIndex: RunIndex.read(temporaryDirectory.path),
    verdict: judgeOutcome(outcome, isCompleteRun(recording.manifest, from ?? null)),
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
