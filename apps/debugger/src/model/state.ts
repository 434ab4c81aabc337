// What all views show: one position in one recording, and what is known of it. One value, replaced as a whole; nothing of it is in any view alone.
import { placeIn } from '@turntable/time-machine/client';
import type {
  Landed,
  NotificationOf,
  ResultOf,
  ToldBookmark,
  ToldBreakpoint,
  Where,
} from '@turntable/time-machine/protocol';
import { NO_ACTOR, type ActorState } from './actor-state.ts';
import type { MoveCommand } from './commands.ts';
import type { Focus } from './focus.ts';
import { NOTHING_FOUND, type FoundList } from './found.ts';
import type { Actor } from './lanes.ts';
import type { Origin } from './origin.ts';
import { NO_OUTPUT, type OutputList } from './output.ts';
import type { Panes } from './panes.ts';
import { NO_PROMISES, type PromiseList } from './promises.ts';
import { NO_REQUESTS, type RequestList } from './requests.ts';
import { NO_SNAPSHOTS, type SnapshotList } from './snapshots.ts';
import type { TimeLine } from './time-line.ts';
import { NOWHERE, type Trail } from './trail.ts';
import { NO_TREE, type Tree } from './tree.ts';

export type Hello = ResultOf<'hello'>;
export type Frame = ResultOf<'frames'>['frames'][number];
export type Stretch = NonNullable<Landed['where']['stretch']>;

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Something that was asked for and takes time. */
export interface Busy extends Progress {
  readonly title: string;
}

export interface Notice {
  readonly text: string;
  readonly isError: boolean;
}

/** What an expression came to: where one stood, or each time that the recording comes by a line. */
export interface Printed {
  readonly number: number;
  readonly text: string;
  readonly position: string;
  readonly answer: ResultOf<'evaluate'> | Logged | undefined;
}

export interface Logged {
  readonly hits: ResultOf<'log'>['hits'];
  /** Whether there may be more. */
  readonly isCut: boolean;
}

export interface SourceText {
  readonly file: string;
  /** To be seen, though one does not stand there. */
  readonly line?: number | undefined;
  /** Undefined, if the recording has it not. */
  readonly text: string | undefined;
}

export interface State {
  /** Whether somebody answers, and whether the time line is there. */
  readonly stage: 'connecting' | 'loading' | 'ready' | 'lost';
  /** Why nobody answers. */
  readonly why: string;
  /** Why it is not to be looked into, if the time machine has said so. */
  readonly refused: NotificationOf<'refused'> | undefined;
  readonly progress: Progress;
  readonly hello: Hello | undefined;
  readonly commands: readonly MoveCommand[];
  readonly actors: readonly Actor[];
  readonly timeLine: TimeLine | undefined;
  readonly where: Where | undefined;
  /** The piece that views show; all, unless somebody has chosen one. */
  readonly focus: Focus | undefined;
  readonly busy: Busy | undefined;
  readonly notice: Notice | undefined;
  readonly source: SourceText | undefined;
  /** Whether what follows is of another place and asked for anew. */
  readonly isLooking: boolean;
  readonly frames: readonly Frame[];
  /** Whose variables are shown: 0 is the innermost. */
  readonly frame: number;
  readonly tree: Tree;
  readonly actorState: ActorState;
  /** Of the value that was asked about last. */
  readonly origin: Origin | undefined;
  readonly requests: RequestList;
  readonly promises: PromiseList;
  readonly output: OutputList;
  readonly found: FoundList;
  readonly snapshots: SnapshotList;
  readonly bookmarks: readonly ToldBookmark[];
  readonly breakpoints: readonly ToldBreakpoint[];
  readonly printed: readonly Printed[];
  readonly trail: Trail;
  readonly panes: Panes;
}

export const BEGINNING: State = {
  stage: 'connecting',
  why: '',
  refused: undefined,
  progress: { done: 0, total: 0 },
  hello: undefined,
  commands: [],
  actors: [],
  timeLine: undefined,
  where: undefined,
  focus: undefined,
  busy: undefined,
  notice: undefined,
  source: undefined,
  isLooking: false,
  frames: [],
  frame: 0,
  tree: NO_TREE,
  actorState: NO_ACTOR,
  origin: undefined,
  requests: NO_REQUESTS,
  promises: NO_PROMISES,
  output: NO_OUTPUT,
  found: NOTHING_FOUND,
  snapshots: NO_SNAPSHOTS,
  bookmarks: [],
  breakpoints: [],
  printed: [],
  trail: NOWHERE,
  panes: { left: 'turns', middle: 'source', top: 'variables', below: 'stack', bottom: 'expressions' },
};

export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  /** Of a statement: where it begins and ends. */
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

/** The file and line to be shown: of the statement, or where the stretch's method begins. */
export function shownPlace(where: Where | undefined): SourcePlace | undefined {
  return where?.statement ?? placeIn(where?.stretch?.place);
}
