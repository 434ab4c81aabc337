// The loader of a thread, as its parts see it once it is installed.
import type { AwaitingFrame, CallInterceptor, OriginalLocation, Realm, StatementClock, UndoLog } from '@turntable/core';
import type { DataSourceApi, Devices, HostCallbackTracker } from '@turntable/boundary';
import {
  LoaderError,
  type ExportedClasses,
  type ClassificationReport,
  type LoadCounts,
  type LoaderOptions,
  type ProgramModules,
  type RecordedSource,
  type ProbeLocator,
} from '@turntable/loader';
import type { ProgramState } from '@turntable/program-state';

export interface Loader {
  readonly program: ProgramModules;
  readonly options: LoaderOptions;
  readonly counts: LoadCounts;
  /** What the program of this thread runs on. */
  readonly realm: Realm;
  readonly classes: ExportedClasses;
  /** What the program has said how to make again. */
  readonly devices: Devices;
  /** For what brings things in from outside by hand, in a thread with a tape. */
  readonly dataSources: DataSourceApi | undefined;
  /** What may call this thread's program back. */
  readonly hostCallbacks: HostCallbackTracker;
  /** The frames of who awaits the outcome of an eventual, as in a stack. */
  awaitingFrames(eventual: object): readonly string[];
  /** Where a function waits, and what it is called. */
  awaitLocation(frame: AwaitingFrame): OriginalLocation | undefined;
  /** Where a function of the program begins, as `file:line`. */
  locationOf(fn: (...args: never[]) => unknown): string | undefined;
  classificationReport(): ClassificationReport;
  /** Installed packages that were reached, by their directories, with their versions. */
  reachedPackages(): ReadonlyMap<string, string>;
  /** Tells from now on of the text of each file of the program, when it is read, and of what besides it decides what its code is. */
  onSource(listener: (url: string, text: string, settings: string) => void): void;
  /** Tells when it is known what the program is, before anything of it is loaded. */
  onStart(listener: () => void): void;
  /** When Node has nothing left to do, the program is told so only once this answers that it holds that up no longer. */
  deferExit(isHeldUp: () => boolean): void;
  /** Files have these texts from now on, by their names. */
  useRecordedSources(sources: ReadonlyMap<string, readonly RecordedSource[]>): void;
  /** What the program has come by that cannot be run again yet: devices, and what calls it back unseen. By the names programmers know. */
  unreplayableUses(): readonly string[];
  /** Of a program whose code has probes. */
  readonly statementClock: StatementClock | undefined;
  /** What a probe stands for, by the file's id and the number of its statement; nothing for code that the program has made at run time. */
  readonly locateProbe: ProbeLocator;
  /** What the program does is undone by this, if it was asked for. */
  readonly undoLog: UndoLog | undefined;
  /** Before the program: intercepts all calls between it and the loader from now on. The tape is not the loader's. */
  intercept(interceptor: CallInterceptor): void;
  /** Keeps some of the code that was transformed here for other processes, where nothing else is to be done. Whether there is more of it. */
  writeCodeCacheSlice(): boolean;
  /** For captures of the program's state and for going on from one; asked for before the program is loaded. */
  programState(): Promise<ProgramState>;
}

let installed: Loader | undefined;

export function setLoader(loader: Loader): void {
  installed = loader;
}

export function isInstalled(): boolean {
  return installed !== undefined;
}

/** The loader of this thread. */
export function installedLoader(): Loader {
  if (installed === undefined)
    throw new LoaderError(
      'TT_NOT_INSTALLED',
      'no loader is in place; start the program with --import turntable/register, or call start() before the first spawn()',
    );
  return installed;
}
