// The actors of this thread. Its scheduler, and on the main thread the app, are made when the program first asks for one.
import { isMainThread } from 'node:worker_threads';
import { createLoaderRealm } from '@turntable/boundary';
import { runtimeTransform, transformer } from '@turntable/loader';
import type { Elsewhere } from '@turntable/program-state';
import type { JsonObject } from '@turntable/recording';
import { RuntimeError, serve, type App, type Arrangement, type Scheduler, type ThreadData } from '@turntable/runtime';
import { requireNode } from '../node-version.ts';
import type { Recorder } from '../recorder/recorder.ts';
import { FIRST_LIFE, type InPlace, type Life } from '../restore/in-place.ts';
import { installLate } from './install.ts';
import { installedLoader, isInstalled } from './loader.ts';
import {
  createMainThread,
  createScheduler,
  defaultWorkers,
  limitsOf,
  type RecordingSetup,
  type StartOptions,
  type ThreadApp,
} from './main-thread.ts';
import { tracedHere } from './threads-tape.ts';

type ModuleText = readonly [url: string, text: string, settings: string];

class ThreadActors {
  #current: ThreadApp | undefined;
  #recording: RecordingSetup | undefined;
  /** The app began with the program, which has not used it yet. */
  #isUnused = false;
  /** Texts of modules that were read before there was a recorder. */
  readonly #texts: ModuleText[] = [];

  /** Prepares this thread for snapshots. Called before the program is loaded. */
  record(setup: RecordingSetup): void {
    this.#recording = setup;
    if (setup.recordings === false || tracedHere() !== undefined) return;
    installedLoader().onText((...text) => {
      if (this.recorderSoFar === undefined) this.#texts.push(text);
      else this.recorderSoFar.addModule(...text);
    });
  }

  get isRecorded(): boolean {
    return this.#recording !== undefined && this.#recording.recordings !== false;
  }

  /** Whether this program was restored from a snapshot. */
  get isRestored(): boolean {
    return this.#used.life?.continues !== undefined;
  }

  get scheduler(): Scheduler {
    return this.#used.scheduler;
  }

  /** On the main thread. */
  get app(): App {
    return this.#used.app as App;
  }

  get recorder(): Recorder | undefined {
    return this.#used.recorder;
  }

  /** The recorder, without making the app. */
  get recorderSoFar(): Recorder | undefined {
    return this.#current?.recorder;
  }

  get inPlace(): InPlace {
    const { inPlace } = this.#used;
    if (inPlace === undefined)
      throw new RuntimeError(
        'TT_PLACEMENT',
        'app.restore() is for the main thread: the process becomes another image; have an actor there do it',
      );
    return inPlace;
  }

  get place(): ThreadApp['place'] {
    return this.#used.place;
  }

  /** What the program uses; the app is made with default options if there is none. */
  get #used(): ThreadApp {
    this.#isUnused = false;
    return (this.#current ??= this.#createApp({}));
  }

  /** Makes the app together with the program, so that one without actors has snapshots; `start` changes its options later. */
  beginWithProgram(): void {
    this.#isUnused = true;
    this.#current = this.#createApp({});
  }

  /** Makes the app at the program's call of `start`: once, and before the first actor. Modules imported from now on are transformed. */
  start(options: StartOptions): void {
    if (this.#current !== undefined) return this.#current.scheduler.questions.askNow(() => this.#arrange(options));
    if (isMainThread && !isInstalled()) {
      requireNode();
      installLate(transformer, createLoaderRealm(runtimeTransform));
    }
    this.#current = this.#createApp(options);
  }

  /** Makes the app of a program that will be restored from a snapshot. */
  restore(life: Life, elsewhere: Elsewhere, options: StartOptions): App {
    const { workers = 0 } = life.continues?.manifest ?? {};
    this.#current = this.#createApp({ ...options, workers }, life, { elsewhere });
    return this.#current.app as App;
  }

  /** Runs actors on a worker of Turntable's. */
  serve(data: ThreadData): void {
    const { scheduler, host } = createScheduler(data.index);
    const { room, deps } = this.#recording ?? {};
    const sink = deps === undefined || data.feed === undefined ? undefined : new deps.PartFeed(data.feed, data.index);
    if (sink !== undefined) installedLoader().onText((...text) => sink.addModule(...text));
    const places = serve(data, scheduler, host, { room, sink, lastPart: deps?.lastPart });
    this.#current = { scheduler, app: undefined, place: (wanted) => places.choose(wanted) };
  }

  #createApp(options: StartOptions, life: Life = FIRST_LIFE, workerData = {}): ThreadApp {
    const created = createMainThread(options, {
      life,
      workerData,
      recording: this.#recording,
      isWithProgram: this.#isUnused,
    });
    for (const text of this.#texts.splice(0)) created.recorder?.addModule(...text);
    return created;
  }

  #arrange(options: StartOptions): void {
    if (!this.#isUnused)
      throw new RuntimeError(
        'TT_STARTED',
        'the app has been started already: call start() once, before the first spawn()',
      );
    const { workers = defaultWorkers(), ...others } = options;
    this.app.arrange({ workers, ...(others as Omit<Arrangement, 'workers'>), ...limitsOf(options) });
    this.recorder?.arranged(workers, { ...others } as JsonObject);
  }
}

export const threadActors: ThreadActors = new ThreadActors();
