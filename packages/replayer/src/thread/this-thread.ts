// The actors of this thread: its scheduler, made when the program first asks for one, and what joins it to the other threads.
import os from 'node:os';
import { isMainThread, threadName } from 'node:worker_threads';
import { createLoaderRealm } from '@turntable/boundary';
import { functionBehind, runtimeTransform, transformer } from '@turntable/loader';
import { installLate } from './install.ts';
import { installedLoader, isInstalled } from './loader.ts';
import type { Elsewhere, ProgramState } from '@turntable/program-state';
import {
  App,
  type Arrangement,
  RuntimeError,
  Scheduler,
  serve,
  ThreadHost,
  type AppOptions,
  type Placement,
  type SnapshotPlace,
  type ThreadData,
} from '@turntable/runtime';
import type { JsonObject } from '@turntable/recording';
import { Actor, meetActors } from './actor.ts';
import { requireNode } from '../node-version.ts';
import { programHost } from './program-host.ts';
import { FIRST_LIFE, InPlace, type Life } from '../restore/in-place.ts';
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

interface ThisThread {
  readonly scheduler: Scheduler;
  /** Of the main thread. */
  readonly app: App | undefined;
  readonly recorder?: Recorder | undefined;
  readonly life?: Life;
  readonly inPlace?: InPlace;
  place(placement: Placement | undefined): number;
}

let current: ThisThread | undefined;
/** It began with the program, which has not asked for anything of it yet. */
let isOpen = false;
/** Where this thread's program is written down, if it is, and where snapshots go. */
let kept: Kept | undefined;

/** The parts that record a program. A thread whose program is not recorded does not load them. */
interface RecorderDeps {
  readonly Recorder: typeof Recorder;
  readonly PartFeed: typeof PartFeed;
  readonly lastPart: typeof lastPart;
  readonly startNotes: typeof startNotes;
}

interface Kept {
  readonly room: ProgramState;
  readonly recordings: string | false;
  readonly deps: RecorderDeps;
}

/** Texts of the program that were read before there was a recording. */
const texts: (readonly [url: string, text: string, settings: string])[] = [];

/** From now on what this thread's program does can be kept; before the program is loaded. */
export function keepHere(its: Kept): void {
  kept = its;
  if (its.recordings === false || tracedHere() !== undefined) return;
  installedLoader().onText((...text) => {
    const { recorder } = current ?? {};
    if (recorder === undefined) texts.push(text);
    else recorder.addModule(...text);
  });
}

/** Whether this program is recorded. */
export function isKeptHere(): boolean {
  return kept !== undefined && kept.recordings !== false;
}

/** Whether this program goes on from a snapshot. */
export function isRestored(): boolean {
  return thisThread().life?.continues !== undefined;
}

/** The app of a program that is to go on from a snapshot; every thread of it is told where its code is. */
export function appToRestore(life: Life, elsewhere: Elsewhere, options: StartOptions): App {
  const { workers = 0 } = life.continues?.manifest ?? {};
  current = startHere({ ...options, workers }, life, { elsewhere });
  return current.app as App;
}

/**
 * A program that is recorded with snapshots has them whether or not it knows of actors: its app begins with it, without threads. What `start`
 * says of it is made up for.
 */
export function beginWithProgram(): void {
  isOpen = true;
  current = startHere({});
}

export function thisThread(): ThisThread {
  isOpen = false;
  return (current ??= startHere({}));
}

/** On the main thread. */
function startHere(
  options: StartOptions,
  life = FIRST_LIFE,
  workerData: Readonly<Record<string, unknown>> = {},
): ThisThread {
  if (!isMainThread)
    throw new RuntimeError(
      'TT_PLACEMENT',
      `${threadName === '' ? 'this thread' : threadName} is a worker of the program's own; actors live on the main thread and on Turntable's workers`,
    );
  const { workers = usualWorkers(), placement, resourceLimits } = options;
  const replaying = replayingHere();
  const { scheduler, host } = createScheduler(0);
  const recordings = kept === undefined ? false : kept.recordings;
  const app = new App(scheduler, host, {
    ...(kept === undefined ? {} : { room: kept.room }),
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
    kept === undefined || recordings === false
      ? undefined
      : recorderOf(app, kept.deps, recordings, { workers, placement, resourceLimits }, life);
  for (const text of texts.splice(0)) recorder?.addModule(...text);
  if (recorder !== undefined) installedLoader().holdUpEnd(() => recorder.isNeededAtEnd(app.areThreadsStarted));
  const inPlace = new InPlace({
    app,
    recorder,
    birth: kept?.room.birth,
    life,
    entry: () => installedLoader().program.entry.url,
  });
  return { scheduler, app, recorder, life, inPlace, place: (wanted) => app.place(wanted) };
}

/** Where the program does not say: as many as there were, if it runs again. */
function usualWorkers(): number {
  return replayingHere()?.recording.manifest.workers ?? Math.max(1, parallelism() - 1);
}

function recorderOf(
  app: App,
  deps: RecorderDeps,
  directory: string,
  { workers, ...others }: StartOptions & { readonly workers: number },
  life: Life,
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
      isWithProgram: isOpen,
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

/** Once, and before the first actor. What the program imports from now on is transformed, if it was not before. */
export function startApp(options: StartOptions): void {
  if (current !== undefined) return current.scheduler.questions.askNow(() => arrange(options));
  if (isMainThread && !isInstalled()) {
    requireNode();
    installLate(transformer, createLoaderRealm(runtimeTransform));
  }
  current = startHere(options);
}

/** Of workers: in a run again, its own. */
function limitsOf({ resourceLimits }: StartOptions): Pick<AppOptions, 'resourceLimits'> {
  const replaying = replayingHere();
  if (replaying !== undefined) return { resourceLimits: replaying.limits(resourceLimits) };
  return resourceLimits === undefined ? {} : { resourceLimits };
}

function arrange(options: StartOptions): void {
  if (!isOpen)
    throw new RuntimeError(
      'TT_STARTED',
      'the app has been started already: call start() once, before the first spawn()',
    );
  const { app, recorder } = thisThread();
  const { workers = usualWorkers(), ...others } = options;
  (app as App).arrange({ workers, ...(others as Omit<Arrangement, 'workers'>), ...limitsOf(options) });
  recorder?.arranged(workers, { ...others } as JsonObject);
}

export function theApp(): App {
  return thisThread().app as App;
}

export function theScheduler(): Scheduler {
  return thisThread().scheduler;
}

/** Of the main thread. */
export function theInPlace(): InPlace {
  const { inPlace } = thisThread();
  if (inPlace === undefined)
    throw new RuntimeError(
      'TT_PLACEMENT',
      'app.restore() is for the main thread: the process becomes another image; have an actor there do it',
    );
  return inPlace;
}

/** If there is one yet. */
export function recorderHere(): Recorder | undefined {
  return current?.recorder;
}

export function theRecorder(): Recorder | undefined {
  return thisThread().recorder;
}

/** On a worker of Turntable's. */
export function serveHere(data: ThreadData): void {
  const { scheduler, host } = createScheduler(data.index);
  const { room, deps } = kept ?? {};
  const sink = deps === undefined || data.feed === undefined ? undefined : new deps.PartFeed(data.feed, data.index);
  if (sink !== undefined) installedLoader().onText((...text) => sink.addModule(...text));
  const places = serve(data, scheduler, host, { room, sink, lastPart: deps?.lastPart });
  current = { scheduler, app: undefined, place: (wanted) => places.choose(wanted) };
}

function createScheduler(index: number): { scheduler: Scheduler; host: ThreadHost } {
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
