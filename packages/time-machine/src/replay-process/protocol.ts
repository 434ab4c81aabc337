// Protocol between the time machine and a replay process: a child process that re-executes a recording and can pause. Each
// side writes messages as lines of JSON to a channel, descriptor 4 of the child. At the other end of the channel, in the child,
// is the coordinator, a thread of its own (replayer's coordinator.ts).
//
// A process is started with `ProcessOptions`; one that was started ahead of need, a standby process, gets them with its first
// line, a `StandbyAssignment`. Then the time machine sends `ToCoordinator` and the coordinator `FromCoordinator`.
//
// A thread is a life of a worker. Its stretches are counted from the beginning of its process, so numbers of stretches here are
// not positions: the time machine converts them.
import type { Effects } from '../effects.ts';
import type { HappeningKind } from '../happenings.ts';

/** The channel, among the descriptors of the child. */
export const CHANNEL_DESCRIPTOR = 4;

/** A message as it is written to the channel. */
export function encodeMessage(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

/** Finds messages in the text that comes through a channel, whatever its chunks are. */
export class MessageDecoder {
  #rest = '';

  /** The messages that end in this chunk. They are not validated: each side trusts the other. */
  decode(chunk: string): unknown[] {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.map((line): unknown => JSON.parse(line));
  }
}

export interface ThreadName {
  readonly worker: number;
  /** Number of earlier threads of the worker in the run. */
  readonly life: number;
}

export const MAIN_THREAD: ThreadName = { worker: 0, life: 0 };

/** How far a thread may run: it pauses before the stretch after these. */
export interface Limit extends ThreadName {
  readonly stretches: number;
}

/** A statement of the last stretch that its thread may run: a certain one, or the next one from where the thread is. */
export type StopTarget = ThreadName & ({ readonly list: number; readonly statement: number } | { readonly next: true });

/**
 * What threads track while they run. `statements`: every statement of every stretch. `writes`: what the re-executed stretch
 * writes, in a process that undoes in place.
 */
export const TRACKING_MODES = ['nothing', 'statements', 'writes'] as const;
export type TrackingMode = (typeof TRACKING_MODES)[number];

export type ToCoordinator =
  /** Runs or undoes threads. Answered with `threads` when all of them are paused. */
  | {
      readonly id: number;
      readonly run: {
        readonly limits: readonly Limit[];
        readonly stopAt: StopTarget | undefined;
        readonly tracking: TrackingMode;
      };
    }
  /** A request to a paused thread. Answered with `result` or `error`. */
  | { readonly id: number; readonly request: ThreadRequestName; readonly thread: ThreadName; readonly params: unknown }
  /** Runs to the end of the recording without a pause, then the process ends. Not answered. */
  | { readonly finish: true };

export type FromCoordinator =
  /** Progress of a run, now and then: stretches that have run, of those that will. */
  | { readonly done: number; readonly of: number }
  /** Hits of a thread, at any time before the `threads` that say that it is paused after them. */
  | { readonly hits: readonly ThreadHit[]; readonly thread: ThreadName }
  /** `memory`: resident bytes of the process. */
  | { readonly id: number; readonly threads: readonly ThreadStatus[]; readonly memory: number }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

/**
 * `stopped`: before a statement. `standing`: before a stretch. `resting`: it has nothing to do until another thread goes on.
 * `over`: its trace has ended, or it cannot go on. `gone`: it does not exist any more. `unable`: it cannot undo that far.
 */
export type ThreadState = 'unborn' | 'running' | 'resting' | 'standing' | 'stopped' | 'over' | 'gone' | 'unable';

export interface ThreadStatus extends ThreadName {
  readonly state: ThreadState;
  /** Stretches that have begun. */
  readonly begun: number;
  /** The statement that it is stopped at. */
  readonly list: number;
  readonly statement: number;
  /** Why it is over. */
  readonly why: 'ended' | 'cut off' | 'diverged' | undefined;
  /** How it differs from the recording. */
  readonly differs?: string | undefined;
}

/** A breakpoint that a thread has reached: which one, by its index; the value of its log expression; the error of that, or of its condition. */
export type ThreadHit = readonly [
  stretch: number,
  list: number,
  statement: number,
  place: number,
  log?: string | null,
  error?: string,
];

/** Stretches that a thread keeps for undoing in place. */
export const MAX_UNDONE_STRETCHES = 512;

/** What threads of a process do while they run. A process that has none of these can be paused at statements and inspected. */
export interface ProcessOptions {
  /** All threads report hits of these breakpoints. */
  readonly places?: readonly BreakPlace[];
  /** This thread tracks what its program writes. */
  readonly writes?: WriteTrackingOptions;
  /** This thread reports each change of an expression, as a hit. */
  readonly values?: WatchedExpression & ThreadName;
}

/** First line that a standby process receives. */
export type StandbyAssignment = StartSnapshot & ProcessOptions;

/** The snapshot that a process begins with, if it does not begin with the start of the recording. */
export interface StartSnapshot {
  /** Its phase. */
  readonly from: number;
  /** Where it is, if it is a checkpoint of the survey and not in the recording. */
  readonly state?: CheckpointPlace | undefined;
}

export interface CheckpointPlace {
  /** Is read as a recording that has snapshots only. */
  readonly directory: string;
  /** The life of each worker that the checkpoint has. */
  readonly lives: Readonly<Record<number, number>>;
}

export type BreakPlace = LinePlace | KindPlace;

interface BreakCondition {
  /** Reports the hit only if this expression of the statement's variables is true. It must not have side effects. */
  readonly condition?: string | undefined;
  /** Expression whose value is reported with each hit. It must not have side effects. */
  readonly log?: string | undefined;
}

/** A breakpoint at the first statement of a line, or of the next line that has one. */
export interface LinePlace extends BreakCondition {
  readonly happens?: undefined;
  /** As stacks have it, or the end of that after a `/`. */
  readonly file: string;
  readonly line: number;
  /** The first statement that begins at this column or after it. */
  readonly column?: number | undefined;
}

/** A breakpoint at an event kind. */
export interface KindPlace extends BreakCondition {
  readonly happens: HappeningKind;
  /** Pattern that the text of the event must match; `*` matches anything. */
  readonly matching?: string | undefined;
  readonly file?: undefined;
  readonly line?: undefined;
}

/** The thread whose writes a process tracks. */
export interface WriteTrackingOptions extends ThreadName {
  /** Number of the stretch in which the initial values of new objects are tracked, too, which is slow. */
  readonly closely?: number;
  /** The process keeps undo logs of its last stretches, so it can be asked at earlier positions, too. */
  readonly goesBack?: boolean;
}

export interface WatchedExpression {
  /** An expression of `this`, which is the actor, and of the variables of a file's top scope. */
  readonly text: string;
  readonly actor: string;
  readonly file?: string | undefined;
}

/** A statement that has begun in the stretch. */
export interface StatementInStretch {
  readonly list: number;
  readonly statement: number;
}

export interface ThreadRequests {
  /** The statement that the thread is stopped at. */
  readonly where: { readonly params: undefined; readonly result: StatementPlace | null };
  readonly frames: { readonly params: undefined; readonly result: readonly Frame[] };
  /** Variables of the innermost frame. */
  readonly locals: { readonly params: undefined; readonly result: readonly Entry[] };
  /** Variables of an earlier statement. Only of a process that tracks writes, as are `evaluateAt` and `wrote`. */
  readonly localsAt: { readonly params: StatementInStretch; readonly result: readonly Entry[] };
  readonly expand: { readonly params: Page & { readonly id: number }; readonly result: Entries };
  readonly text: { readonly params: Page & { readonly id: number }; readonly result: TextPiece };
  readonly evaluate: {
    readonly params: { readonly text: string; readonly effects: Effects };
    readonly result: Evaluated;
  };
  readonly evaluateAt: { readonly params: StatementInStretch & { readonly text: string }; readonly result: Evaluated };
  /** Undoes what was evaluated while the thread is paused here. */
  readonly takeBack: { readonly params: undefined; readonly result: null };
  /** Whether the stretch that the thread is in can be re-executed in place, as far as is known before the stretch ends. */
  readonly canGoBack: { readonly params: undefined; readonly result: boolean };
  readonly wrote: { readonly params: WriteRequest; readonly result: FoundWrite };
  /** The stretches that were traced since the last `run`. */
  readonly traced: { readonly params: undefined; readonly result: readonly NumberedStretchTrace[] };
  readonly actors: { readonly params: undefined; readonly result: readonly ActorInfo[] };
  /** Messages that have arrived for an actor: how many, and those at some indexes, the next message being at 0. */
  readonly mailbox: {
    readonly params: { readonly actor: number; readonly places: readonly number[] };
    readonly result: { readonly messages: readonly WaitingMessage[]; readonly there: number; readonly name: string };
  };
  readonly promises: { readonly params: PromisesQuery; readonly result: ThreadPromises };
  readonly state: {
    readonly params: { readonly actor: string; readonly most: number };
    readonly result: StateParts | null;
  };
  /** A digest of the thread's program, of these actors, and of the messages at these indexes of their mailboxes. */
  readonly digest: {
    readonly params: {
      readonly actors: readonly { readonly name: string; readonly mail: readonly number[] }[];
      /** Includes the variables of the statement. */
      readonly statement: boolean;
      /** Includes all awaited eventuals. */
      readonly awaited: boolean;
    };
    readonly result: string;
  };
}
export type ThreadRequestName = keyof ThreadRequests;

/** A part of a list or a text. */
export interface Page {
  /** Index of its first element. */
  readonly from: number;
  readonly count: number;
}

export interface Evaluated {
  readonly value: Value | undefined;
  /** What the expression has thrown, or why it could not be evaluated. */
  readonly error: string | undefined;
  /** The expression has certainly not changed the program. */
  readonly isPure: boolean;
  /** Its changes are undone before the thread runs on. If it is not pure and this is false, another process must take over. */
  readonly isTakenBack: boolean;
}

/** A place in a source file as its author has it. */
export interface SourcePlace {
  /** A URL or a path, as stacks have it. */
  readonly file: string;
  /** From 1 on, as the column. */
  readonly line: number;
  readonly column: number;
}

export interface StatementPlace extends SourcePlace {
  readonly endLine: number;
  readonly endColumn: number;
  /** The function it is in; empty for the file itself. */
  readonly function: string;
  /** As docs/abi.md has them: statement, declaration, branch, loop, return, throw, jump, turn, value, field. */
  readonly kind: string;
  /** Index of the function among those of the file; -1 for the file itself, fields and static blocks. */
  readonly ordinal: number;
  /** Number of the function's first statement. */
  readonly first: number;
  /** Id of the file's code in this process, and the number of the statement in it. */
  readonly code: string;
  readonly number: number;
}

export interface Frame {
  /** 0 is the innermost. */
  readonly index: number;
  readonly function: string;
  readonly place: SourcePlace | undefined;
  /** Number of frames above it on the stack, hidden ones included. */
  readonly above: number;
}

/** An object's id divided by this, rounded down, is the worker that has it. */
export const OBJECT_IDS_PER_WORKER: number = 2 ** 32;

export type ValueKind =
  | 'undefined'
  | 'null'
  | 'boolean'
  | 'number'
  | 'bigint'
  | 'string'
  | 'symbol'
  | 'function'
  | 'object';

/** A value as it can be shown without running code of the program. */
export interface Value {
  readonly kind: ValueKind;
  /** One line. */
  readonly preview: string;
  /** Class of an object, as its prototype names it. */
  readonly class?: string | undefined;
  /** Of an object, a function, or a long text: for `expand` and `text`, until the thread runs on. */
  readonly id?: number | undefined;
  /** Characters of a text that the preview does not have all of. */
  readonly length?: number | undefined;
}

/** A variable, a property, or what a collection or a promise holds. */
export interface Entry {
  readonly name: string;
  /** `inner`: not a property, but what a map, a set, a promise or a bound function holds. */
  readonly is: 'variable' | 'property' | 'accessor' | 'inner';
  readonly isEnumerable: boolean;
  /** Undefined for an accessor, which is not called, and for a variable that is not initialised. */
  readonly value: Value | undefined;
}

export interface Entries {
  readonly entries: readonly Entry[];
  /** Number of all entries, those outside of the page included. */
  readonly total: number;
}

export interface TextPiece {
  readonly text: string;
  /** Characters of the whole text. */
  readonly total: number;
}

export type StatePart = readonly [path: string, text: string];

/** The state of an actor, or of a program outside of actors, in a form that can be compared. */
export interface StateParts {
  readonly parts: readonly StatePart[];
  /** Parts that are further from the root are left out. */
  readonly isCut: boolean;
}

export interface ActorName {
  readonly worker: number;
  readonly id: number;
}

export interface ActorInfo extends ActorName {
  readonly name: string;
  readonly turns: number;
  /** Messages in its mailbox. */
  readonly waiting: number;
  /** Its root object, once it exists. */
  readonly value: Value | undefined;
}

/** A message in a mailbox. */
export interface WaitingMessage {
  /** A method, or another subject of a turn: construct, fulfil, reject, stop. */
  readonly what: string;
  /** Undefined for a message that was sent with `tell`. */
  readonly from: string | undefined;
  /** Undefined while the message is under way between workers. */
  readonly values: readonly Value[] | undefined;
}

/** Whose state is meant. */
export interface StateOf {
  readonly worker: number;
  /** Name of an actor; that of the worker, as a survey has it, for the program outside of actors. */
  readonly actor: string;
}

/** All statements of a stretch, in the order in which they begin. */
export interface TracedStretch {
  /** Each place once. */
  readonly places: readonly StatementPlace[];
  /** Four numbers for each statement: its list, its number in that, the index of its place, the depth of the stack. */
  readonly statements: readonly number[];
  /** The stretch has more statements than were traced. */
  readonly isCut: boolean;
  readonly sends: readonly TracedSend[];
  readonly happenings?: readonly TracedEvent[];
}

/** `statement`: index of the statement that was running, -1 before the first. */
export type TracedEvent = readonly [statement: number, kind: HappeningKind, text: string];

/** A message to an actor. The method is empty if the actor is spawned. */
export type TracedSend = readonly [statement: number, actor: string, method: string];

export interface NumberedStretchTrace extends TracedStretch {
  /** Number of the stretch. */
  readonly begun: number;
}

/** Lines and columns from 1 on. */
export interface PromisePlace {
  readonly file: string;
  readonly line: number;
  /** Unknown for the beginning of a handler. */
  readonly column?: number | undefined;
}

/** What waits for a promise. */
export interface PromiseWaiter {
  /** In words that follow "awaited by". */
  readonly what: string;
  /** The actor or main program that it belongs to. */
  readonly actor: string;
  /** Where a function waits, or a handler begins. */
  readonly place?: PromisePlace | undefined;
  /** Id of the promise that its outcome settles, if there is one. */
  readonly promise?: number | undefined;
}

/** A promise that something waits for, as its thread knows it. */
export interface ThreadPromise {
  /** Its id can be expanded, too. */
  readonly value: Value;
  /** What the promise is, in words. */
  readonly what: string;
  /** Where the function waits that settles it. */
  readonly place?: PromisePlace | undefined;
  /** Ids of the promises that must be settled first. */
  readonly on: readonly number[];
  /** Why it is pending, in words, if another reason is known. */
  readonly why?: string | undefined;
  readonly waiters: readonly PromiseWaiter[];
  /** Number of all waiters. */
  readonly waiting: number;
  /** Number of the stretch in which the wait began; undefined if the wait is older than the process. */
  readonly begun?: number | undefined;
  /** The call of another worker whose answer it is. */
  readonly elsewhere?: RemoteCall | undefined;
}

/** A call of an actor on another worker. */
export interface RemoteCall {
  /** The calling worker. */
  readonly asker: number;
  /** Number of the call, among those of the calling worker to the other one. */
  readonly question: number;
  readonly actor: number;
  /** The worker of the actor. */
  readonly worker: number;
}

export interface PromisesQuery extends Page {
  /** Pattern for the actors that wait; `*` matches anything. */
  readonly actor?: string | undefined;
  /** Finds this promise and what it waits for instead, the nearest first. A promise is named by its id or by the call that it answers. */
  readonly of?: number | RemoteCall | undefined;
}

export interface ThreadPromises {
  readonly promises: readonly ThreadPromise[];
  /** Number of all promises. */
  readonly total: number;
  /** Why a call that is asked about has no answer yet, in words, if there is no promise for it. */
  readonly why?: string | undefined;
}

export interface WriteQuery {
  /** A variable, a property, a private member, or an entry of a Map or Set: `total`, `this.sum`, `order.items[2].price`, `this.#name`, `stock.get("tea")`. */
  readonly text: string;
  /** Earlier statements of the same call, in order. */
  readonly earlier: readonly (readonly [list: number, statement: number])[];
  /** The actor that `this` is, whichever has the turn. */
  readonly of?: StateOf | undefined;
  /** Nothing has written it since this stretch, but the statement that made its object may have. */
  readonly since?: number | undefined;
}

export interface WriteRequest extends WriteQuery {
  /** The process has run the whole recording: a value that was never written has come with its object. */
  readonly isAll: boolean;
  /** Continues the last request in the stretch that was re-executed since, in a process that undoes in place. */
  readonly isSought?: boolean;
}

/**
 * `passed`: the value was an argument. `captured`: the value was there when the function was made. `unwritten`: nothing has
 * written it since the process began.
 */
export type WriteKind = 'written' | 'passed' | 'captured' | 'unwritten';

export interface WriteInfo {
  readonly is: WriteKind;
  /** The part of the expression that was written: a shorter one, if the whole was not written by itself. */
  readonly part: string;
  /** The statement has written many things, this one perhaps among them. */
  readonly isWhole: boolean;
  /** Of what is written: the statement. */
  readonly place?: StatementPlace | undefined;
}

/**
 * `unwritten`: by none of the stretches since `at`, if there is one. `made`: came with its object in a stretch whose initial
 * values were not tracked. `earlier`: perhaps in the stretch at `at`, which must be re-executed to know. `later`: unknown in a
 * process that has gone back, since it was written after the position or is part of an object that was made again.
 */
export interface FoundWrite extends Omit<WriteInfo, 'is'> {
  readonly is: WriteKind | 'made' | 'earlier' | 'later';
  /** The statement that wrote it; for an argument the beginning of the call, or the earliest part of the call that is known. */
  readonly at: readonly [stretch: number, list: number, statement: number] | undefined;
  /** No code of the program was run for the answer. */
  readonly isPure: boolean;
  /** What was run for the answer is undone before the thread runs on. */
  readonly isTakenBack?: boolean;
}
