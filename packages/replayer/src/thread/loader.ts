// Interface through which the other parts of a thread use its installed loader.
import type {
  AwaitingFrame,
  CallInterceptor,
  Frame,
  OriginalLocation,
  Realm,
  StatementClock,
  UndoLog,
} from '@turntable/core';
import type { DataSourceApi, Devices, HostCallbackTracker } from '@turntable/boundary';
import {
  LoaderError,
  type ExportedClasses,
  type ClassificationReport,
  type LoadCounts,
  type LoaderOptions,
  type ProgramModules,
  type RecordedSource,
  type Probes,
  type SuspendedVariables,
} from '@turntable/loader';
import type { ProgramState } from '@turntable/program-state';

export interface Loader {
  readonly program: ProgramModules;
  readonly options: LoaderOptions;
  readonly counts: LoadCounts;
  readonly realm: Realm;
  readonly classes: ExportedClasses;
  readonly devices: Devices;
  /** Present in a thread with a tape: records inputs from sources that the boundary does not wrap. */
  readonly dataSources: DataSourceApi | undefined;
  /** Host callbacks that may still call this thread's program. */
  readonly hostCallbacks: HostCallbackTracker;
  /** Stack lines of the frames that await an eventual. */
  awaitingFrames(eventual: object): readonly string[];
  /** Location and name of a suspended function. */
  awaitLocation(frame: AwaitingFrame): OriginalLocation | undefined;
  /** Variables of a suspended function. */
  suspendedVariables(frame: Frame): SuspendedVariables;
  /** Location of a function of the program, as `file:line`. */
  locationOf(fn: (...args: never[]) => unknown): string | undefined;
  classificationReport(): ClassificationReport;
  /** Versions of the installed packages that were reached, by directory. */
  reachedPackages(): ReadonlyMap<string, string>;
  /** Files outside of packages that were loaded natively. */
  reachedDeviceFiles(): readonly string[];
  /** Reports each source text that is read, with the settings that determine its transformed code. */
  onSource(listener: (url: string, text: string, settings: string) => void): void;
  /** Calls `listener` before code of a source can run. */
  beforeCode(listener: () => void): void;
  /** Calls back when the program's entry file is known, before the program is loaded. */
  onStart(listener: () => void): void;
  /** Delays `beforeExit` of the program while `isHeldUp` returns true. */
  deferExit(isHeldUp: () => boolean): void;
  /** Uses recorded texts instead of the files with their names. */
  useRecordedSources(sources: ReadonlyMap<string, readonly RecordedSource[]>): void;
  /** Names of used devices and host callbacks that a replay does not support yet, for messages. */
  unreplayableUses(): readonly string[];
  /** Sources of output that is neither recorded nor compared, such as child processes. */
  unseenOutput(): readonly string[];
  /** Present if the code has probes. */
  readonly statementClock: StatementClock | undefined;
  readonly locateProbe: Probes['locateProbe'];
  readonly assignmentObstacles: Probes['assignmentObstacles'];
  /** Present if tasks can be undone. */
  readonly undoLog: UndoLog | undefined;
  /** Intercepts calls between program and loader, but not of the tape. Must be called before the program is loaded. */
  intercept(interceptor: CallInterceptor): void;
  /** Writes some transformed code to the cache. Returns whether there is more. Called in idle time. */
  writeCodeCacheSlice(): boolean;
  /** State of the program, for captures and restores. Must be called before the program is loaded. */
  programState(): Promise<ProgramState>;
}

let installed: Loader | undefined;

export function setLoader(loader: Loader): void {
  installed = loader;
}

export function isInstalled(): boolean {
  return installed !== undefined;
}

export function installedLoader(): Loader {
  if (installed === undefined)
    throw new LoaderError(
      'TT_NOT_INSTALLED',
      'no loader is installed; start the program with --import turntable/register, or call start() before the first spawn()',
    );
  return installed;
}
