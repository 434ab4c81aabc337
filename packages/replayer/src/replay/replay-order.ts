// What a process is to run again: told to it by a variable of the environment, which is gone before anything of the program's can see it.

import type { CheckpointPlace, ProcessOptions } from '@turntable/time-machine/replay-process';
import type { Stuck } from './outcome.ts';
import type { TurnWishes } from './turn-notes.ts';
import type { Until } from './until.ts';

/** With which texts: those of the recording, or what the files are now. */
export type ReplayCode = 'recorded' | 'current';

/** States are to be written besides. */
export interface StateWishes {
  /** Milliseconds of the processor's that the process takes between two, all its threads together; 0: there is one at each cut, whatever that takes. */
  readonly spacing: number;
}

/** Where threads put their notes; it is there. */
export interface SurveyWishes {
  readonly directory: string;
  /** States of cuts are wanted besides. */
  readonly states?: StateWishes | undefined;
}

export interface ReplayOrder {
  /** The directory of a recording. */
  readonly recording: string;
  readonly code: ReplayCode;
  /** From this snapshot on; from the start, if it is left out. */
  readonly from?: number | undefined;
  /** Where that snapshot is, if it is a checkpoint of the survey and not in the recording. */
  readonly state?: CheckpointPlace | undefined;
  /** No further than this; to the end, if it is left out. */
  readonly until?: Until | undefined;
  /** Whether somebody looks at how far it has come. */
  readonly isWatched?: boolean;
  /** Messages of that worker are followed: which one is handled where the run differs is to be said. */
  readonly follows?: number | undefined;
  /** All stretches are to be noted. States are not compared then. */
  readonly survey?: SurveyWishes | undefined;
  /** Code has a probe before each statement, by which its stretches are counted and stopped (docs/abi.md, "Debug mode"). */
  readonly debug?: boolean | undefined;
  /** Threads that go no further than to what they do not come back from. */
  readonly stuck?: readonly Stuck[] | undefined;
  /** It goes as far as it is told to through a channel, which its parent has opened. It is in debug mode then. */
  readonly engine?: EngineWishes | undefined;
  /** Turns that are to be told of. */
  readonly turns?: TurnWishes | undefined;
}

export interface EngineWishes extends ProcessOptions {
  /** States are to be compared with those of the recording, as otherwise. */
  readonly compares: boolean;
  /** It is a standby process: the first line of its channel says where it begins and what else is missing here. */
  readonly isStandby?: boolean;
  /** Until then it looks into so many snapshots for what it will need: one tells of all files that the others have, several of most that is asked of these. */
  readonly looksInto?: number;
}

const VARIABLE = 'TURNTABLE_REPLAY';
/** Where a process that runs something again says what came of it: the descriptor that its parent has opened. */
export const OUTCOME_DESCRIPTOR = 3;

/** Whether its code has probes. */
export function isDebugged({ debug, engine }: ReplayOrder): boolean {
  return debug === true || engine !== undefined;
}

/** Whether states are to be compared: who looks at something else looks at it alone. */
export function areStatesCompared({ follows, survey, engine }: ReplayOrder): boolean {
  return follows === undefined && survey === undefined && engine?.compares !== false;
}

export function variablesFor(order: ReplayOrder): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(order) };
}

/** Takes it out of the environment, where there is one. */
export function takeReplayOrder(environment: NodeJS.ProcessEnv): ReplayOrder | undefined {
  const text = environment[VARIABLE];
  Reflect.deleteProperty(environment, VARIABLE);
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as ReplayOrder);
}
