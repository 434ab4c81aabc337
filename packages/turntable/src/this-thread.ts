// The actors of this thread: its scheduler, made when the program first asks for one, and what joins it to the other threads.
import { availableParallelism } from 'node:os';
import { isMainThread, threadName } from 'node:worker_threads';
import {
  createLoaderRealm,
  installedLoader,
  installLate,
  isInstalled,
  runtimeTransform,
  transformer,
} from '@turntable/loader';
import {
  App,
  RuntimeError,
  Scheduler,
  serve,
  ThreadHost,
  type AppOptions,
  type Placement,
  type StateRoom,
  type ThreadData,
} from '@turntable/runtime';
import { Actor, meetActors } from './actor.ts';
import { requireNode } from './node-version.ts';
import { programHost } from './program-host.ts';
import { Recorder } from './recorder.ts';
import { version } from './version.ts';

export interface StartOptions {
  /** Threads beside the main one; one less than there are cores, but at least one. */
  readonly workers?: number;
  /** Where actors live that are not told where. */
  readonly placement?: AppOptions['placement'];
  /** Of a worker's heap, as of `worker_threads`; a worker that goes beyond ends, and its actors are lost. */
  readonly resourceLimits?: AppOptions['resourceLimits'];
}

interface ThisThread {
  readonly scheduler: Scheduler;
  /** Of the main thread. */
  readonly app: App | undefined;
  readonly recorder?: Recorder | undefined;
  place(placement: Placement | undefined): number;
}

let current: ThisThread | undefined;
/** Where this thread's program is written down, if it is, and where snapshots go. */
let kept: { readonly room: StateRoom; readonly recordings: string | false } | undefined;

/** From now on what this thread's program does can be kept; before the program is loaded. */
export function keepHere(room: StateRoom, recordings: string | false): void {
  kept = { room, recordings };
}

let restored = false;

/** Whether this program goes on from a snapshot. */
export function isRestored(): boolean {
  return restored;
}

/** The app of a program that is to go on from a snapshot. */
export function appToRestore(workers: number): App {
  restored = true;
  current = startHere({ workers });
  return current.app as App;
}

export function thisThread(): ThisThread {
  return (current ??= startHere({}));
}

/** On the main thread. */
function startHere(options: StartOptions): ThisThread {
  if (!isMainThread)
    throw new RuntimeError(
      'TT_PLACEMENT',
      `${threadName === '' ? 'this thread' : threadName} is a worker of the program's own; actors live on the main thread and on Turntable's workers`,
    );
  const { workers = Math.max(1, availableParallelism() - 1), placement, resourceLimits } = options;
  const { scheduler, host } = createScheduler(0);
  const app = new App(scheduler, host, {
    ...(kept === undefined ? {} : { room: kept.room }),
    workers,
    ending: async () => recorder?.end(),
    entry: new URL(import.meta.url.endsWith('.ts') ? './actor-worker.ts' : './actor-worker.js', import.meta.url),
    ...(placement === undefined ? {} : { placement }),
    ...(resourceLimits === undefined ? {} : { resourceLimits }),
    onLost: (_, why, isReplaced) => process.emitWarning(`${why}; ${aftermath(isReplaced)}`, { code: 'TT_ACTOR_LOST' }),
  });
  const recorder =
    kept === undefined || kept.recordings === false ? undefined : recorderOf(app, kept.recordings, workers);
  return { scheduler, app, recorder, place: (wanted) => app.place(wanted) };
}

function recorderOf(app: App, directory: string, workers: number): Recorder {
  const { program, options } = installedLoader();
  const { snapshots, keep } = options;
  return new Recorder(app, { directory, version, workers, entry: program.mainUrl, snapshots, keep });
}

function aftermath(isReplaced: boolean): string {
  return isReplaced
    ? 'its actors are lost, but those that are supervised, which are made anew'
    : 'its actors are lost, and as it was lost too often no other takes its place';
}

/** Once, and before the first actor. What the program imports from now on is transformed, if it was not before. */
export function startApp(options: StartOptions): void {
  if (current !== undefined)
    throw new RuntimeError(
      'TT_STARTED',
      'the app has been started already: call start() once, before the first spawn()',
    );
  if (isMainThread && !isInstalled()) {
    requireNode();
    installLate(transformer, createLoaderRealm(runtimeTransform));
  }
  current = startHere(options);
}

export function theApp(): App {
  return thisThread().app as App;
}

export function theScheduler(): Scheduler {
  return thisThread().scheduler;
}

export function theRecorder(): Recorder | undefined {
  return thisThread().recorder;
}

/** On a worker of Turntable's. */
export function serveHere(data: ThreadData): void {
  const { scheduler, host } = createScheduler(data.index);
  const places = serve(data, scheduler, host, kept?.room);
  current = { scheduler, app: undefined, place: (wanted) => places.choose(wanted) };
}

function createScheduler(index: number): { scheduler: Scheduler; host: ThreadHost } {
  const loader = installedLoader();
  const host = new ThreadHost({ ...programHost(loader, index), isReferenced: (value) => Actor.has(value) });
  const scheduler = new Scheduler(loader.realm, host, index);
  meetActors((object, type) => scheduler.meetRoot(object, type));
  return { scheduler, host };
}
