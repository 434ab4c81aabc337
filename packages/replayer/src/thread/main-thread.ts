// Makes the app of a program and its recorder, on the main thread, and the scheduler of any thread.
import os from 'node:os';
import { isMainThread, threadName } from 'node:worker_threads';
import { functionBehind } from '@turntable/loader';
import { installedLoader } from './loader.ts';
import type { ProgramState } from '@turntable/program-state';
import {
  App,
  RuntimeError,
  Scheduler,
  ThreadHost,
  type AppOptions,
  type Placement,
  type SnapshotPlace,
} from '@turntable/runtime';
import type { JsonObject } from '@turntable/recording';
import { Actor, meetActors } from './actor.ts';
import { programHost } from './program-host.ts';
import { InPlace, type Life } from '../restore/in-place.ts';
import type { lastPart } from '../recorder/last-part.ts';
import type { PartFeed } from '../recorder/part-feed.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { startNotes } from '../recorder/recording-notes.ts';
import { replayingHere, tracedHere } from './threads-tape.ts';
import { version } from '../version.ts';
import { ownProgram } from '../own-program.ts';

export interface StartOptions {
  /** Threads beside the main one; one less than there are cores, but at least one. */
  readonly workers?: number;
  /** Where actors live that are not told where. */
  readonly placement?: AppOptions['placement'];
  /** Of a worker's heap, as of `worker_threads`; a worker that goes beyond ends, and its actors are lost. */
  readonly resourceLimits?: AppOptions['resourceLimits'];
}

/** The host's own answer: the program's may be a recorded one. */
const parallelism = (functionBehind(os.availableParallelism) ?? os.availableParallelism) as () => number;

export interface ThreadApp {
  readonly scheduler: Scheduler;
  /** Of the main thread. */
  readonly app: App | undefined;
  readonly recorder?: Recorder | undefined;
  readonly life?: Life;
  readonly inPlace?: InPlace;
  place(placement: Placement | undefined): number;
}

/** The parts that record a program. A thread whose program is not recorded does not load them. */
interface RecorderDeps {
  readonly Recorder: typeof Recorder;
  readonly PartFeed: typeof PartFeed;
  readonly lastPart: typeof lastPart;
  readonly startNotes: typeof startNotes;
}

export interface RecordingSetup {
  readonly room: ProgramState;
  /** The directory of recordings; `false` where the program is not recorded. */
  readonly recordings: string | false;
  readonly deps: RecorderDeps;
}

interface MainThreadOptions {
  readonly life: Life;
  readonly workerData: Readonly<Record<string, unknown>>;
  readonly recording: RecordingSetup | undefined;
  /** Whether the app begins with the program. */
  readonly isWithProgram: boolean;
}

export function createMainThread(
  options: StartOptions,
  { life, workerData, recording, isWithProgram }: MainThreadOptions,
): ThreadApp {
  if (!isMainThread)
    throw new RuntimeError(
      'TT_PLACEMENT',
      `${threadName === '' ? 'this thread' : threadName} is a worker of the program's own; actors live on the main thread and on Turntable's workers`,
    );
  const { workers = defaultWorkers(), placement, resourceLimits } = options;
  const replaying = replayingHere();
  const { scheduler, host } = createScheduler(0);
  const recordings = recording?.recordings ?? false;
  const app = new App(scheduler, host, {
    ...(recording === undefined ? {} : { room: recording.room }),
    ...(recordings === false
      ? {}
      : {
          sink: {
            add: (phase, bytes) => recorder?.sink.add(phase, bytes),
            get pending() {
              return recorder?.sink.pending ?? 0;
            },
          },
          feed: () => recorder?.feed(),
          abandoned: (phase) => recorder?.abandon(phase),
        }),
    ...(tracedHere() === undefined ? {} : { trace: (worker, life, phase) => recorder?.trace(worker, life, phase) }),
    ...(replaying === undefined ? {} : replaying.ofApp()),
    workers,
    workerData,
    epoch: life.epoch,
    isSnapshotAwaited: () => recorder?.isSnapshotAwaited === true,
    ending: async () => recorder?.end(),
    rollback: (why) => inPlace.rollback(why),
    entry: ownProgram('actor-worker'),
    ...(placement === undefined ? {} : { placement }),
    ...limitsOf(options),
    lastSnapshot: () => recorder?.last ?? placeOf(life) ?? whyNone(recorder),
    onLost: (_, why, isReplaced) => process.emitWarning(`${why}; ${aftermath(isReplaced)}`, { code: 'TT_ACTOR_LOST' }),
  });
  const recorder =
    recording === undefined || recordings === false
      ? undefined
      : createRecorder(app, recording.deps, {
          directory: recordings,
          start: { workers, placement, resourceLimits },
          life,
          isWithProgram,
        });
  if (recorder !== undefined) installedLoader().holdUpEnd(() => recorder.isNeededAtEnd(app.areThreadsStarted));
  const inPlace = new InPlace({
    app,
    recorder,
    birth: recording?.room.birth,
    life,
    entry: () => installedLoader().program.entry.url,
  });
  return { scheduler, app, recorder, life, inPlace, place: (wanted) => app.place(wanted) };
}

/** Where the program does not say: as many as there were, if it runs again. */
export function defaultWorkers(): number {
  return replayingHere()?.recording.manifest.workers ?? Math.max(1, parallelism() - 1);
}

interface NewRecording extends Pick<MainThreadOptions, 'life' | 'isWithProgram'> {
  readonly directory: string;
  readonly start: StartOptions & { readonly workers: number };
}

function createRecorder(
  app: App,
  deps: RecorderDeps,
  { directory, start: { workers, ...others }, life, isWithProgram }: NewRecording,
): Recorder {
  const { program, options } = installedLoader();
  const { snapshots, keep, later, services } = options;
  const { manifest } = life.continues ?? {};
  return new deps.Recorder(app, {
    directory,
    version,
    workers,
    // A process that goes on was started with something else.
    entry: manifest?.entry ?? program.entry.url,
    argv: manifest?.argv,
    continues: placeOf(life),
    epoch: life.epoch,
    notes: deps.startNotes({
      start: { ...others } as JsonObject,
      isWithProgram,
      isOfCluster: isOfCluster(),
      settings: options,
    }),
    traced: tracedHere(),
    isAwaited: () => program.entry.isAwaited,
    snapshots,
    keep,
    later,
    services,
  });
}

/** Whether `node:cluster` has forked this process: its module is another one there, which Node has loaded at once. */
function isOfCluster(): boolean {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
  return moduleLoadList.includes('NativeModule internal/cluster/child');
}

/** Of the snapshot that this life goes on from. */
function placeOf({ continues }: Life): SnapshotPlace | undefined {
  return continues === undefined ? undefined : { recording: continues.recording, phase: continues.phase };
}

function whyNone(recorder: Recorder | undefined): string {
  return recorder === undefined
    ? 'this program is not recorded; start it with --recordings DIR'
    : 'no snapshot is whole yet; have one taken now and then (--snapshots every=30s), or call app.snapshot()';
}

function aftermath(isReplaced: boolean): string {
  return isReplaced
    ? 'its actors are lost, but those that are supervised, which are made anew or restored'
    : 'its actors are lost, and as it was lost too often no other takes its place';
}

/** Resource limits of workers; a replay has its own. */
export function limitsOf({ resourceLimits }: StartOptions): Pick<AppOptions, 'resourceLimits'> {
  const replaying = replayingHere();
  if (replaying !== undefined) return { resourceLimits: replaying.limits(resourceLimits) };
  return resourceLimits === undefined ? {} : { resourceLimits };
}

export function createScheduler(index: number): { scheduler: Scheduler; host: ThreadHost } {
  const loader = installedLoader();
  const replaying = replayingHere();
  const program = programHost(loader, index);
  const report = (actor: string, reason: unknown): void => {
    program.report(actor, reason);
    replaying?.failed(actor, reason);
  };
  const host = new ThreadHost({ ...program, report, isReferenced: (value) => Actor.has(value) });
  const scheduler = new Scheduler(loader.realm, host, index);
  replaying?.follows(scheduler, loader);
  meetActors((object, type) => scheduler.meetRoot(object, type));
  return { scheduler, host };
}
