// The actors of this thread. The scheduler, and on the main thread the app, are created at the program's first use.
import { isMainThread, threadName } from 'node:worker_threads';
import { createLoaderRealm } from '@turntable/boundary';
import { runtimeTransform, transformer } from '@turntable/loader';
import type { RelocationPlan } from '@turntable/program-state';
import type { JsonObject } from '@turntable/recording';
import {
  RuntimeError,
  serve,
  type ActorSystem,
  type WorkerSettings,
  type Scheduler,
  type ThreadData,
} from '@turntable/runtime';
import { requireNode } from '../node-version.ts';
import type { Recorder } from '../recorder/recorder.ts';
import { FIRST_EPOCH, type InPlaceRestore, type ProcessEpoch } from '../restore/in-place-restore.ts';
import { installLate } from './install.ts';
import { installedLoader, isInstalled } from './loader.ts';
import {
  createMainRuntime,
  createScheduler,
  defaultWorkerCount,
  resourceLimitsOf,
  type RecordingSetup,
  type StartOptions,
  type ThreadRuntime,
} from './main-thread.ts';
import { currentTracedRecording } from './current-tape.ts';

type ModuleSource = readonly [url: string, text: string, settings: string];

class ThreadActors {
  #runtime: ThreadRuntime | undefined;
  #recordingSetup: RecordingSetup | undefined;
  /** Whether the app started with the program, which has not used it yet. */
  #isUnused = false;
  /** Module texts that were read before the recorder existed. */
  readonly #earlySources: ModuleSource[] = [];

  /** Prepares this thread for snapshots. Called before the program is loaded. */
  setRecording(setup: RecordingSetup): void {
    this.#recordingSetup = setup;
    if (setup.recordingsDirectory === false || currentTracedRecording() !== undefined) return;
    installedLoader().onSource((...source) => {
      if (this.existingRecorder === undefined) this.#earlySources.push(source);
      else this.existingRecorder.addModule(...source);
    });
  }

  get isRecorded(): boolean {
    return this.#recordingSetup !== undefined && this.#recordingSetup.recordingsDirectory !== false;
  }

  get isRestored(): boolean {
    return this.#usedRuntime.processEpoch?.restoredFrom !== undefined;
  }

  get scheduler(): Scheduler {
    return this.#usedRuntime.scheduler;
  }

  /** The app. Must be read only on the main thread. */
  get app(): ActorSystem {
    return this.#usedRuntime.app as ActorSystem;
  }

  get recorder(): Recorder | undefined {
    return this.#usedRuntime.recorder;
  }

  /** The recorder, if it exists; does not create the app. */
  get existingRecorder(): Recorder | undefined {
    return this.#runtime?.recorder;
  }

  get inPlaceRestore(): InPlaceRestore {
    const { inPlaceRestore: inPlace } = this.#usedRuntime;
    if (inPlace === undefined)
      throw new RuntimeError('TT_PLACEMENT', 'app.restore() replaces the process; call it on the main thread');
    return inPlace;
  }

  get chooseWorker(): ThreadRuntime['chooseWorker'] {
    return this.#usedRuntime.chooseWorker;
  }

  /** The runtime for the program's calls; creates the app with default options if necessary. */
  get #usedRuntime(): ThreadRuntime {
    this.#isUnused = false;
    return (this.#runtime ??= this.#createRuntime({}));
  }

  /** Creates the app at the program's start, for snapshots of programs without actors. `start` may set options. */
  startWithProgram(): void {
    this.#isUnused = true;
    this.#runtime = this.#createRuntime({});
  }

  /** Creates the app of a running program without one, because its recording needs a snapshot. */
  startForSnapshot(): void {
    if (this.#runtime === undefined) this.startWithProgram();
  }

  /** Creates the app with the program's options; must be called before the first actor is spawned. */
  start(options: StartOptions): void {
    if (this.#runtime !== undefined)
      return this.#runtime.scheduler.appRequests.requestNow(() => this.#configure(options));
    if (isMainThread && !isInstalled()) {
      requireNode();
      installLate(transformer, createLoaderRealm(runtimeTransform));
    }
    this.#runtime = this.#createRuntime(options);
  }

  /** Creates the app of a program that is being restored from a snapshot. */
  restore(processEpoch: ProcessEpoch, relocation: RelocationPlan, options: StartOptions): ActorSystem {
    const { workers = 0 } = processEpoch.restoredFrom?.manifest ?? {};
    this.#runtime = this.#createRuntime({ ...options, workers }, processEpoch, { relocation });
    return this.#runtime.app as ActorSystem;
  }

  serve(data: ThreadData): void {
    const { scheduler, host } = createScheduler(data.index);
    const { programState, deps } = this.#recordingSetup ?? {};
    const sink = deps === undefined || data.feed === undefined ? undefined : new deps.PartFeed(data.feed, data.index);
    if (sink !== undefined) {
      installedLoader().onSource((...source) => sink.addModule(...source));
      installedLoader().beforeCode(() => sink.waitForModules());
    }
    const { readLastPart } = deps ?? {};
    const actorPlacement = serve(data, scheduler, host, { capturer: programState, sink, readLastPart });
    this.#runtime = { scheduler, app: undefined, chooseWorker: (placement) => actorPlacement.choose(placement) };
  }

  #createRuntime(options: StartOptions, processEpoch: ProcessEpoch = FIRST_EPOCH, workerData = {}): ThreadRuntime {
    const runtime = createMainRuntime(options, {
      processEpoch,
      workerData,
      recording: this.#recordingSetup,
      startsWithProgram: this.#isUnused,
    });
    for (const source of this.#earlySources.splice(0)) runtime.recorder?.addModule(...source);
    return runtime;
  }

  #configure(options: StartOptions): void {
    if (!isMainThread)
      throw new RuntimeError(
        'TT_STARTED',
        `start() was called on ${String(threadName).replace(/^turntable /, '')}, which has loaded the module that calls it; call it in the entry file, or move the actors to modules that do not import this one`,
      );
    if (!this.#isUnused)
      throw new RuntimeError(
        'TT_STARTED',
        'the app has been started already: call start() once, before the first spawn()',
      );
    const { workers = defaultWorkerCount(), ...appOptions } = options;
    this.app.configure({ workers, ...(appOptions as Omit<WorkerSettings, 'workers'>), ...resourceLimitsOf(options) });
    this.recorder?.recordConfiguration(workers, { ...appOptions } as JsonObject);
  }
}

export const threadActors: ThreadActors = new ThreadActors();
