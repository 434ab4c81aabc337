// ThreadInstruments: the objects that observe one thread of a replay process, or let clients inspect it. The options of
// the process decide which ones exist. ThreadController creates them when the program is about to be loaded, and calls
// them for each task and statement.
//
// A process has one purpose. If it searches breakpoints or watches a value, clients do not inspect it. If it tracks
// writes, it pauses for requests about writes and earlier statements. Without options it serves all other requests, and
// can move back in place.
import type { ProgramState } from '@turntable/program-state';
import { interceptTape, type ReplayTape, type Scheduler } from '@turntable/runtime';
import type { ProcessOptions, ThreadHit, ThreadName } from '@turntable/time-machine/replay-process';
import type { Loader } from '../thread/loader.ts';
import { observeFrames, type StatementClock } from '@turntable/core';
import { BreakpointScanner } from './breakpoint-scanner.ts';
import { FrameRuns } from './frame-runs.ts';
import { InPlaceWriteFinder } from './in-place-write-finder.ts';
import { PromiseTracker } from './promise-tracker.ts';
import { ThreadInspector } from './thread-inspector.ts';
import { UndoHistory } from './undo-history.ts';
import { ValueWatch } from './value-watch.ts';
import { WatchpointScanner } from './watchpoint-scanner.ts';
import { WriteTracker } from './write-tracker.ts';

/** Offset of object numbers in a process that tracks writes: numbers of different processes must differ. */
const FIRST_TRACKING_OBJECT_ID = 10_000;

export interface ThreadInstruments {
  /** Present if the program's code has probes. */
  readonly clock?: StatementClock | undefined;
  readonly scanner?: BreakpointScanner | undefined;
  readonly valueWatch?: ValueWatch | undefined;
  /** Present on the thread whose writes the process tracks. */
  readonly writeTracker?: WriteTracker | undefined;
  readonly watchpoint?: WatchpointScanner | undefined;
  /** Whether the process tracks writes, on this thread or another one. */
  readonly isTrackingWrites?: boolean;
  /** Undefined in processes that cannot move back in place. */
  readonly undoHistory?: UndoHistory | undefined;
  readonly writeFinder?: InPlaceWriteFinder | undefined;
  readonly promiseTracker?: PromiseTracker | undefined;
  /** Present in processes that pause. */
  readonly frameRuns?: FrameRuns | undefined;
  readonly inspector?: ThreadInspector | undefined;
}

export interface ThreadInstrumentsDeps {
  readonly loader: Loader;
  readonly thread: ThreadName;
  tape(): ReplayTape;
  scheduler(): Scheduler | undefined;
  sendHits(hits: readonly ThreadHit[]): void;
  /** Number of tasks that the thread has started, undone tasks included. */
  startedTasks(): number;
  /** Number of the current task at the program's position. */
  currentTask(): number;
}

export function createThreadInstruments(options: ProcessOptions, deps: ThreadInstrumentsDeps): ThreadInstruments {
  const { loader, thread, tape, scheduler, sendHits } = deps;
  const { breakpoints, watch, writeTracking } = options;
  const isPausing = breakpoints === undefined && watch === undefined;
  const isInspected = isPausing && writeTracking === undefined;
  const isThisThread = ({ worker, epoch }: ThreadName): boolean => worker === thread.worker && epoch === thread.epoch;

  const frameRuns = isPausing ? new FrameRuns(loader.realm) : undefined;
  if (frameRuns !== undefined) observeFrames(frameRuns);
  const scanner = breakpoints && new BreakpointScanner(breakpoints, { loader, tape, sendHits });
  const writeTracker =
    writeTracking && frameRuns && isThisThread(writeTracking)
      ? new WriteTracker(loader, tape, frameRuns, { ...writeTracking })
      : undefined;
  const watchpoint =
    writeTracker && options.watchpoint
      ? new WatchpointScanner(options.watchpoint, { loader, writeTracker, sendHits })
      : undefined;
  const watchDeps = { loader, tape, scheduler, sendChanges: sendHits };
  const valueWatch = watch && isThisThread(watch) ? new ValueWatch(watch, watchDeps) : undefined;
  const undoHistory = isInspected || writeTracking?.hasUndoLogs === true ? createUndoHistory(deps) : undefined;
  const writeFinder =
    undoHistory && frameRuns && isInspected
      ? new InPlaceWriteFinder(loader, tape, frameRuns, undoHistory, deps.startedTasks)
      : undefined;
  const promiseTracker = isPausing ? new PromiseTracker(deps.currentTask) : undefined;
  let programState: ProgramState | undefined;
  if (undoHistory && isInspected) void loader.programState().then((state) => (programState = state));
  const inspector = new ThreadInspector({
    loader,
    worker: thread.worker,
    tape,
    scheduler,
    promiseTracker,
    undoHistory,
    frameRuns,
    programState: () => programState,
    firstObjectId: writeTracking === undefined ? 0 : FIRST_TRACKING_OBJECT_ID,
  });
  return {
    clock: loader.statementClock,
    scanner,
    valueWatch,
    writeTracker,
    watchpoint,
    isTrackingWrites: writeTracking !== undefined,
    undoHistory,
    writeFinder,
    promiseTracker,
    frameRuns,
    inspector,
  };
}

/** Creates the undo history; undefined if the program's code has no barriers or no probes. */
function createUndoHistory({ loader, tape }: ThreadInstrumentsDeps): UndoHistory | undefined {
  const { undoLog, statementClock } = loader;
  if (undoLog === undefined || statementClock === undefined) return undefined;
  const undoHistory = new UndoHistory(loader, undoLog, statementClock);
  loader.intercept(undoHistory);
  interceptTape(undoHistory, tape());
  return undoHistory;
}
