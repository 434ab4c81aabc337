// What a process is to run again: told to it by a variable of the environment, which is gone before anything of the program's can see it.

import type { CheckpointLocation, ProcessOptions } from '@turntable/time-machine/replay-process';
import type { HungThread } from './replay-outcome.ts';
import type { TurnNotesOptions } from './turn-notes.ts';
import type { ReplayLimit } from './replay-limit.ts';

/** With which texts: those of the recording, or what the files are now. */
export type ReplayCode = 'recorded' | 'current';

/** States are to be written besides. */
export interface CheckpointOptions {
  /** Milliseconds of the processor's that the process takes between two, all its threads together; 0: there is one at each cut, whatever that takes. */
  readonly spacingMs: number;
}

/** Where threads put their notes; it is there. */
export interface TaskLogOptions {
  readonly directory: string;
  /** States of cuts are wanted besides. */
  readonly checkpoints?: CheckpointOptions | undefined;
}

export interface ReplayRequest {
  /** The directory of a recording. */
  readonly recording: string;
  readonly code: ReplayCode;
  /** From this snapshot on; from the start, if it is left out. */
  readonly from?: number | undefined;
  /** Where that snapshot is, if it is a checkpoint of the run index and not in the recording. */
  readonly checkpoint?: CheckpointLocation | undefined;
  /** No further than this; to the end, if it is left out. */
  readonly until?: ReplayLimit | undefined;
  /** Whether somebody looks at how far it has come. */
  readonly reportsProgress?: boolean;
  /** Messages of that worker are followed: which one is handled where the run differs is to be said. */
  readonly followedWorker?: number | undefined;
  /** All tasks are to be noted. States are not compared then. */
  readonly taskLog?: TaskLogOptions | undefined;
  /** Code has a probe before each statement, by which its tasks are counted and stopped (docs/abi.md, "Debug mode"). */
  readonly debug?: boolean | undefined;
  /** Threads that go no further than to what they do not come back from. */
  readonly hungThreads?: readonly HungThread[] | undefined;
  /** It goes as far as it is told to through a channel, which its parent has opened. It is in debug mode then. */
  readonly driver?: DriverProcessOptions | undefined;
  /** Turns that are to be told of. */
  readonly turnNotes?: TurnNotesOptions | undefined;
}

export interface DriverProcessOptions extends ProcessOptions {
  /** States are to be compared with those of the recording, as otherwise. */
  readonly comparesStates: boolean;
  /** It is a standby process: the first line of its channel says where it begins and what else is missing here. */
  readonly isStandby?: boolean;
  /** Until then it looks into so many snapshots for what it will need: one tells of all files that the others have, several of most that is asked of these. */
  readonly preloadedSnapshots?: number;
}

const REPLAY_VARIABLE = 'TURNTABLE_REPLAY';
/** Where a process that runs something again says what came of it: the descriptor that its parent has opened. */
export const OUTCOME_DESCRIPTOR = 3;

/** Whether its code has probes. */
export function isDebugReplay({ debug: isDebug, driver }: ReplayRequest): boolean {
  return isDebug === true || driver !== undefined;
}

/** Whether states are to be compared: who looks at something else looks at it alone. */
export function areStatesCompared({ followedWorker, taskLog, driver }: ReplayRequest): boolean {
  return followedWorker === undefined && taskLog === undefined && driver?.comparesStates !== false;
}

export function replayVariables(request: ReplayRequest): Record<string, string> {
  return { [REPLAY_VARIABLE]: JSON.stringify(request) };
}

/** Takes it out of the environment, where there is one. */
export function takeReplayRequest(environment: NodeJS.ProcessEnv): ReplayRequest | undefined {
  const text = environment[REPLAY_VARIABLE];
  Reflect.deleteProperty(environment, REPLAY_VARIABLE);
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as ReplayRequest);
}
