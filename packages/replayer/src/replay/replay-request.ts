// Request to a replaying process, passed in an environment variable that is removed before the program runs.

import type { CheckpointLocation, ProcessOptions } from '@turntable/time-machine/replay-process';
import type { HungThread } from './replay-outcome.ts';
import type { TurnNotesOptions } from './turn-notes.ts';
import type { ReplayLimit } from './replay-limit.ts';

/** Source texts that a replay executes: the recorded ones, or the current files. */
export type ReplayCode = 'recorded' | 'current';

export interface CheckpointOptions {
  /** Minimum processor time of the process, in milliseconds, between two checkpoints; 0 makes one at each cut. */
  readonly spacingMs: number;
}

/** Directory for the threads' task logs; must exist. */
export interface TaskLogOptions {
  readonly directory: string;
  /** Present if checkpoints are wanted. */
  readonly checkpoints?: CheckpointOptions | undefined;
}

export interface ReplayRequest {
  /** Directory of the recording. */
  readonly recording: string;
  readonly code: ReplayCode;
  /** Snapshot at which the replay starts; undefined for the start. */
  readonly from?: number | undefined;
  /** Location of the snapshot, if it is a checkpoint of the run index. */
  readonly checkpoint?: CheckpointLocation | undefined;
  /** Limit of the replay; undefined to replay to the end. */
  readonly until?: ReplayLimit | undefined;
  /** Whether the parent shows progress. */
  readonly reportsProgress?: boolean;
  /** Worker whose messages are tracked, so that a divergence report can name the current one. */
  readonly followedWorker?: number | undefined;
  /** Present if tasks are logged. States are not compared then. */
  readonly taskLog?: TaskLogOptions | undefined;
  /** Whether the code has statement probes (docs/internals/abi.md, "Debug mode"). */
  readonly debug?: boolean | undefined;
  /** Threads known to hang; each must stop before the task that hangs. */
  readonly hungThreads?: readonly HungThread[] | undefined;
  /** Present in a process that a driver controls through a channel. It runs in debug mode. */
  readonly driver?: DriverProcessOptions | undefined;
  /** Present if turn notes are wanted. */
  readonly turnNotes?: TurnNotesOptions | undefined;
}

export interface DriverProcessOptions extends ProcessOptions {
  /** Whether states are compared with the recording's. */
  readonly comparesStates: boolean;
  /** Whether this is a standby process. The first line of its channel supplies the missing parts of the request. */
  readonly isStandby?: boolean;
  /** Number of snapshots whose code a standby process loads. One has most of the code; several have nearly all. */
  readonly preloadedSnapshots?: number;
}

const REPLAY_VARIABLE = 'TURNTABLE_REPLAY';
/** File descriptor for messages to the parent. */
export const OUTCOME_DESCRIPTOR = 3;

/** Whether the replay runs in debug mode, so that the code has statement probes. */
export function isDebugReplay({ debug: isDebug, driver }: ReplayRequest): boolean {
  return isDebug === true || driver !== undefined;
}

/** Whether states are compared with the recorded ones. Requests for messages or task logs skip the comparison. */
export function areStatesCompared({ followedWorker, taskLog, driver }: ReplayRequest): boolean {
  return followedWorker === undefined && taskLog === undefined && driver?.comparesStates !== false;
}

export function replayVariables(request: ReplayRequest): Record<string, string> {
  return { [REPLAY_VARIABLE]: JSON.stringify(request) };
}

/** Removes the request from the environment and returns it, if there is one. */
export function takeReplayRequest(environment: NodeJS.ProcessEnv): ReplayRequest | undefined {
  const text = environment[REPLAY_VARIABLE];
  Reflect.deleteProperty(environment, REPLAY_VARIABLE);
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as ReplayRequest);
}
