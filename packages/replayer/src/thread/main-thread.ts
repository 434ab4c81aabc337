// Creates the app of a program and its recorder on the main thread, and the scheduler of any thread.
import os from 'node:os';
import { isMainThread, threadName } from 'node:worker_threads';
import { nativeFunctionOf } from '@turntable/loader';
import { installedLoader } from './loader.ts';
import type { ProgramState } from '@turntable/program-state';
import {
  ActorSystem,
  RuntimeError,
  Scheduler,
  ThreadHost,
  type ActorSystemOptions,
  type Placement,
  type SnapshotLocation,
} from '@turntable/runtime';
import type { JsonObject } from '@turntable/recording';
import { Actor, setInstanceListener } from './actor.ts';
import { createProgramHost } from './program-host.ts';
import { InPlaceRestore, type ProcessEpoch } from '../restore/in-place-restore.ts';
import type { readLastPart } from '../recorder/last-part-reader.ts';
import type { PartFeed } from '../recorder/part-feed.ts';
import type { PauseGate } from '../recorder/pause-gate.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { createStartNotes } from '../recorder/recording-notes.ts';
import { currentReplay, currentTracedRecording } from './current-tape.ts';
import { version } from '../version.ts';
import { programFileUrl } from '../program-file.ts';

/** Options of `start`. */
export interface StartOptions {
  /** Number of threads in addition to the main one. Default: the number of cores minus one, at least one. */
  readonly workers?: number;
  /** Placement of actors that are spawned without a worker. */
  readonly placement?: ActorSystemOptions['placement'];
  /** Resource limits of workers, as in `worker_threads`. A worker above its heap limit ends and its actors are lost. */
  readonly resourceLimits?: ActorSystemOptions['resourceLimits'];
}

/** Node's own function, because the program's version may return a recorded value. */
const availableParallelism = (nativeFunctionOf(os.availableParallelism) ?? os.availableParallelism) as () => number;

export interface ThreadRuntime {
  readonly scheduler: Scheduler;
  /** Present on the main thread. */
  readonly app: ActorSystem | undefined;
  readonly recorder?: Recorder | undefined;
  readonly processEpoch?: ProcessEpoch;
  readonly inPlaceRestore?: InPlaceRestore;
  chooseWorker(placement: Placement | undefined): number;
}

/** Modules of the recorder, which only threads of a recorded program load. */
interface RecorderDeps {
  readonly Recorder: typeof Recorder;
  readonly PartFeed: typeof PartFeed;
  readonly readLastPart: typeof readLastPart;
  readonly createStartNotes: typeof createStartNotes;
}

export interface RecordingSetup {
  readonly programState: ProgramState;
  /** Directory that contains recordings; `false` if the program is not recorded. */
  readonly recordingsDirectory: string | false;
  readonly pauseGate: PauseGate;
  readonly deps: RecorderDeps;
}

interface MainThreadOptions {
  readonly processEpoch: ProcessEpoch;
  readonly workerData: Readonly<Record<string, unknown>>;
  readonly recording: RecordingSetup | undefined;
  readonly startsWithProgram: boolean;
}

export function createMainRuntime(
  options: StartOptions,
  { processEpoch, workerData, recording, startsWithProgram }: MainThreadOptions,
): ThreadRuntime {
  if (!isMainThread)
    throw new RuntimeError(
      'TT_PLACEMENT',
      `${threadName === '' ? 'this thread' : threadName} is a worker thread of the program; only the main thread and Turntable's workers run actors`,
    );
  const { workers = defaultWorkerCount(), placement, resourceLimits } = options;
  const replay = currentReplay();
  const { scheduler, host } = createScheduler(0);
  const recordingsDirectory = recording?.recordingsDirectory ?? false;
  const app = new ActorSystem(scheduler, host, {
    ...(recording === undefined ? {} : { capturer: recording.programState }),
    ...(recordingsDirectory === false
      ? {}
      : {
          partSink: {
            add: (phase, bytes) => recorder?.partSink.add(phase, bytes),
            get pending() {
              return recorder?.partSink.pending ?? 0;
            },
          },
          feed: () => recorder?.createFeedData(),
          onSnapshotAbandoned: (phase) => recorder?.abandon(phase),
        }),
    ...(currentTracedRecording() === undefined
      ? {}
      : {
          trace: (...traceArguments) => recorder?.createTrace(...traceArguments),
          traceLost: (...lossArguments) => recorder?.endLostTrace(...lossArguments),
        }),
    workers,
    workerData,
    epoch: processEpoch.epoch,
    isSnapshotAwaited: () => recorder?.isSnapshotRequested === true,
    beforeEnd: async () => recorder?.end(),
    rollback: (reason) => inPlaceRestore.rollback(reason),
    entry: programFileUrl('actor-worker'),
    ...(placement === undefined ? {} : { placement }),
    ...resourceLimitsOf(options),
    lastSnapshot: () => recorder?.lastSnapshot ?? restoredSnapshotOf(processEpoch) ?? noSnapshotReason(recorder),
    onWorkerLost: (_, reason, isReplaced) =>
      process.emitWarning(`${reason}; ${workerLossText(isReplaced)}`, { code: 'TT_ACTOR_LOST' }),
    ...(replay === undefined ? {} : replay.actorSystemOptions()),
  });
  const recorder =
    recording === undefined || recordingsDirectory === false
      ? undefined
      : createRecorder(app, recording, {
          directory: recordingsDirectory,
          start: { workers, placement, resourceLimits },
          processEpoch,
          startsWithProgram,
        });
  if (recorder !== undefined) installedLoader().deferExit(() => recorder.startEndSnapshot(app.areThreadsStarted));
  const inPlaceRestore = new InPlaceRestore({
    app,
    recorder,
    launch: recording?.programState.launch,
    processEpoch,
    entry: () => installedLoader().program.entryPoint.url,
  });
  return {
    scheduler,
    app,
    recorder,
    processEpoch,
    inPlaceRestore,
    chooseWorker: (requestedPlacement) => app.placeActor(requestedPlacement),
  };
}

/** Default number of workers; in a replay, the recorded number. */
export function defaultWorkerCount(): number {
  return currentReplay()?.recording.manifest.workers ?? Math.max(1, availableParallelism() - 1);
}

interface RecorderSettings extends Pick<MainThreadOptions, 'processEpoch' | 'startsWithProgram'> {
  readonly directory: string;
  readonly start: StartOptions & { readonly workers: number };
}

function createRecorder(
  app: ActorSystem,
  { deps, pauseGate }: RecordingSetup,
  { directory, start: { workers, ...appOptions }, processEpoch, startsWithProgram }: RecorderSettings,
): Recorder {
  const { program, options } = installedLoader();
  const { snapshots, keep, later, services } = options;
  const { manifest } = processEpoch.restoredFrom ?? {};
  return new deps.Recorder(app, {
    directory,
    version,
    workers,
    // The entry file of a restoring process is `resume`, not the program.
    entry: manifest?.entry ?? program.entryPoint.url,
    argv: manifest?.argv,
    restoredFrom: restoredSnapshotOf(processEpoch),
    epoch: processEpoch.epoch,
    notes: deps.createStartNotes({
      start: { ...appOptions } as JsonObject,
      startsWithProgram,
      isClusterWorker: isClusterWorker(),
      settings: options,
    }),
    tracedRecording: currentTracedRecording(),
    pauseGate,
    isEntryPending: () => program.entryPoint.isAwaited,
    snapshots,
    keep,
    later,
    services,
  });
}

/** Whether `node:cluster` has forked this process. Such a process has loaded another internal module. */
function isClusterWorker(): boolean {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
  return moduleLoadList.includes('NativeModule internal/cluster/child');
}

function restoredSnapshotOf({ restoredFrom }: ProcessEpoch): SnapshotLocation | undefined {
  return restoredFrom === undefined ? undefined : { recording: restoredFrom.recording, phase: restoredFrom.phase };
}

function noSnapshotReason(recorder: Recorder | undefined): string {
  return recorder === undefined
    ? 'this program is not recorded; start it with --recordings DIR'
    : 'no snapshot is complete yet; take them regularly (--snapshots every=30s), or call app.snapshot()';
}

function workerLossText(isReplaced: boolean): string {
  return isReplaced
    ? 'its actors are lost, except supervised ones, which are restarted or restored'
    : 'its actors are lost, and it is not replaced because it was lost too often';
}

/** Resource limits of workers. In a replay, they are derived from the program's limits. */
export function resourceLimitsOf({ resourceLimits }: StartOptions): Pick<ActorSystemOptions, 'resourceLimits'> {
  const replay = currentReplay();
  if (replay !== undefined) return { resourceLimits: replay.resourceLimitsFor(resourceLimits) };
  return resourceLimits === undefined ? {} : { resourceLimits };
}

export function createScheduler(index: number): { scheduler: Scheduler; host: ThreadHost } {
  const loader = installedLoader();
  const replay = currentReplay();
  const program = createProgramHost(loader, index);
  const report = (actor: string, reason: unknown): void => {
    program.report(actor, reason);
    replay?.reportFailure(actor, reason);
  };
  const host = new ThreadHost({ ...program, report, isPassedByReference: (value) => Actor.has(value) });
  const scheduler = new Scheduler(loader.realm, host, index);
  replay?.attachScheduler(scheduler, loader);
  setInstanceListener((object, type) => scheduler.bindRoot(object, type));
  return { scheduler, host };
}
