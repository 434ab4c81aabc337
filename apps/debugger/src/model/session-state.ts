// The state that all views show: a position in a recording, the data loaded for it, and the chosen tabs. An immutable
// value; views hold no state of the session themselves.
import { parseLocation } from '@turntable/time-machine/client';
import type {
  MoveResult,
  NotificationOf,
  ResultOf,
  BookmarkInfo,
  BreakpointInfo,
  CursorInfo,
} from '@turntable/time-machine/protocol';
import { EMPTY_ACTOR_STATE, type ActorState } from './actor-state.ts';
import type { MoveCommand } from './commands.ts';
import type { Focus } from './focus.ts';
import { EMPTY_SEARCH, type SearchState } from './search.ts';
import type { TimelineActor } from './lanes.ts';
import type { WriteHistory } from './write-history.ts';
import { EMPTY_OUTPUT, type OutputState } from './output.ts';
import type { Panes } from './panes.ts';
import { EMPTY_PROMISES, type PromisesState } from './promises.ts';
import { EMPTY_REQUESTS, type RequestsState } from './requests.ts';
import { EMPTY_SNAPSHOTS, type SnapshotsState } from './snapshots.ts';
import type { Timeline } from './timeline.ts';
import { EMPTY_HISTORY, type NavigationHistory } from './navigation-history.ts';
import { EMPTY_TREE, type ValueTree } from './value-tree.ts';

export type ServerHello = ResultOf<'hello'>;
export type ListedFrame = ResultOf<'frames'>['frames'][number];
export type ListedTask = NonNullable<MoveResult['cursor']['task']>;

export interface LoadProgress {
  readonly done: number;
  readonly total: number;
}

/** An operation in progress, as the status bar shows it. */
export interface BusyOperation extends LoadProgress {
  readonly title: string;
}

export interface Notice {
  readonly text: string;
  readonly isError: boolean;
}

/** An expression in the console, with its result at a position or its values at each execution of a line. */
export interface ConsoleEntry {
  readonly number: number;
  readonly expression: string;
  readonly position: string;
  readonly result: ResultOf<'evaluate'> | LogPointResult | undefined;
}

export interface LogPointResult {
  readonly hits: ResultOf<'logPoint'>['hits'];
  /** Whether there may be hits that are not loaded. */
  readonly isTruncated: boolean;
}

export interface ShownSource {
  readonly file: string;
  /** The line that the user wants to see; undefined to show the current one. */
  readonly line?: number | undefined;
  /** Undefined if the recording does not have the source of the file. */
  readonly text: string | undefined;
}

export interface SessionState {
  /** `loading`: connected, but the timeline is incomplete. `ready`: timeline and breakpoints are loaded. */
  readonly stage: 'connecting' | 'loading' | 'ready' | 'lost';
  /** Why the connection was lost, in stage `lost`. */
  readonly lostReason: string;
  /** Why the server refused the recording, and the overrides that it offers; undefined if it was not refused. */
  readonly refusal: NotificationOf<'refused'> | undefined;
  readonly progress: LoadProgress;
  readonly hello: ServerHello | undefined;
  readonly commands: readonly MoveCommand[];
  readonly actors: readonly TimelineActor[];
  readonly timeline: Timeline | undefined;
  readonly cursor: CursorInfo | undefined;
  /** The range of tasks to which views are limited; undefined for all tasks. */
  readonly focus: Focus | undefined;
  readonly busy: BusyOperation | undefined;
  readonly notice: Notice | undefined;
  readonly source: ShownSource | undefined;
  /** Whether frames and variables still belong to the previous position. */
  readonly isLoading: boolean;
  readonly frames: readonly ListedFrame[];
  /** Number of awaiting functions that `frames` leaves out. */
  readonly moreAwaiting: number;
  /** The index of the frame whose variables are shown; 0 is the innermost. */
  readonly frameIndex: number;
  readonly tree: ValueTree;
  readonly actorState: ActorState;
  /** The write history of the value that was traced last. */
  readonly writeHistory: WriteHistory | undefined;
  readonly requests: RequestsState;
  readonly promises: PromisesState;
  readonly output: OutputState;
  readonly search: SearchState;
  readonly snapshots: SnapshotsState;
  readonly bookmarks: readonly BookmarkInfo[];
  readonly breakpoints: readonly BreakpointInfo[];
  readonly consoleEntries: readonly ConsoleEntry[];
  readonly navigation: NavigationHistory;
  readonly panes: Panes;
}

export const INITIAL_STATE: SessionState = {
  stage: 'connecting',
  lostReason: '',
  refusal: undefined,
  progress: { done: 0, total: 0 },
  hello: undefined,
  commands: [],
  actors: [],
  timeline: undefined,
  cursor: undefined,
  focus: undefined,
  busy: undefined,
  notice: undefined,
  source: undefined,
  isLoading: false,
  frames: [],
  moreAwaiting: 0,
  frameIndex: 0,
  tree: EMPTY_TREE,
  actorState: EMPTY_ACTOR_STATE,
  writeHistory: undefined,
  requests: EMPTY_REQUESTS,
  promises: EMPTY_PROMISES,
  output: EMPTY_OUTPUT,
  search: EMPTY_SEARCH,
  snapshots: EMPTY_SNAPSHOTS,
  bookmarks: [],
  breakpoints: [],
  consoleEntries: [],
  navigation: EMPTY_HISTORY,
  panes: { left: 'turns', middle: 'source', top: 'variables', below: 'stack', bottom: 'expressions' },
};

export interface ShownLocation {
  readonly file: string;
  readonly line: number;
  /** Start column and end of the statement; undefined for a method. */
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

/** Returns the location to show: the current statement, otherwise the start of the method that the task calls. */
export function shownLocation(cursor: CursorInfo | undefined): ShownLocation | undefined {
  return cursor?.statement ?? parseLocation(cursor?.task?.methodLocation);
}
