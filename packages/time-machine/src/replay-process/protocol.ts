// Protocol between the time machine and a replay process: a child process that re-executes a recording and can pause.
// Each side writes messages as lines of JSON to a channel, descriptor 4 of the child. At the other end of the channel,
// in the child, is the coordinator, a separate thread (replayer's coordinator.ts).
//
// A process is started with `ProcessOptions`; one that was started ahead of need, a standby process, gets them with its
// first line, a `StandbyAssignment`. Then the time machine sends `ToCoordinator` and the coordinator `FromCoordinator`.
//
// A thread runs a worker in one epoch. Its tasks are counted from the start of its process, so numbers of tasks here
// are not positions: the time machine converts them (seek-plan.ts).
import type { Effects } from '../effects.ts';
import type { RunEventKind } from '../run-event-kinds.ts';

/** The channel, among the descriptors of the child. */
export const CHANNEL_DESCRIPTOR = 4;

/** A message as it is written to the channel. */
export function encodeMessage(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

/** Finds messages in the text that comes through a channel, whatever its chunks are. */
export class MessageDecoder {
  #partialLine = '';

  /** The messages that end in this chunk. They are not validated: each side trusts the other. */
  decode(chunk: string): unknown[] {
    const lines = (this.#partialLine + chunk).split('\n');
    this.#partialLine = lines.pop() ?? '';
    return lines.map((line): unknown => JSON.parse(line));
  }
}

export interface ThreadName {
  readonly worker: number;
  /** Number of earlier threads of the worker in the run. */
  readonly epoch: number;
}

export const MAIN_THREAD: ThreadName = { worker: 0, epoch: 0 };

/** How far a thread may run: it pauses before the task after these. */
export interface RunLimit extends ThreadName {
  readonly tasks: number;
}

/** A statement of the last task that its thread may run: a certain one, or the next one from where the thread is. */
export type PauseTarget = ThreadName &
  ({ readonly list: number; readonly statement: number } | { readonly next: true });

/**
 * What threads track while they run. `statements`: every statement of every task. `writes`: what the re-executed task
 * writes, in a process that undoes in place.
 */
export const TRACKING_MODES = ['nothing', 'statements', 'writes'] as const;
export type TrackingMode = (typeof TRACKING_MODES)[number];

export type ToCoordinator =
  /** Runs or undoes threads. Answered with `threads` when all of them are paused. */
  | {
      readonly id: number;
      readonly run: {
        readonly limits: readonly RunLimit[];
        readonly pauseAt: PauseTarget | undefined;
        readonly tracking: TrackingMode;
      };
    }
  /** A request to a paused thread. Answered with `result` or `error`. */
  | { readonly id: number; readonly request: ThreadRequestName; readonly thread: ThreadName; readonly params: unknown }
  /** Runs to the end of the recording without a pause, then the process ends. Not answered. */
  | { readonly finish: true };

export type FromCoordinator =
  /** Progress of a run, now and then: the number of tasks that have run, and of all tasks of the run. */
  | { readonly done: number; readonly total: number }
  /** Hits of a thread, at any time before the `threads` that say that it is paused after them. */
  | { readonly hits: readonly ThreadHit[]; readonly thread: ThreadName }
  /** `memory`: resident bytes of the process. */
  | { readonly id: number; readonly threads: readonly ThreadStatus[]; readonly memory: number }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

/**
 * `at-statement`: before a statement. `at-task`: before a task. `idle`: it waits for another thread to run on.
 * `ended`: its trace has ended, or it cannot run on. `gone`: it does not exist any more. `undo-failed`: it cannot undo
 * that far.
 */
export type ThreadState =
  | 'pending'
  | 'running'
  | 'idle'
  | 'at-task'
  | 'at-statement'
  | 'ended'
  | 'gone'
  | 'undo-failed';

export interface ThreadStatus extends ThreadName {
  readonly state: ThreadState;
  /** Tasks that have begun. */
  readonly startedTasks: number;
  /** The statement at which it is paused. */
  readonly list: number;
  readonly statement: number;
  /** Why it has ended. */
  readonly endReason: 'ended' | 'cut off' | 'diverged' | undefined;
  /** How it differs from the recording. */
  readonly divergence?: string | undefined;
}

/** A breakpoint hit. `breakpoint` is an index, `error` that of the log expression or the condition. */
export type ThreadHit = readonly [
  task: number,
  list: number,
  statement: number,
  breakpoint: number,
  logValue?: string | null,
  error?: string,
];

/** Tasks that a thread keeps for undoing in place. */
export const MAX_UNDONE_TASKS = 512;

/** Extra work of threads while they run. A process without such work can be paused at statements and inspected. */
export interface ProcessOptions {
  /** All threads report hits of these breakpoints. */
  readonly breakpoints?: readonly BreakpointSpec[];
  /** This thread tracks what its program writes. */
  readonly writeTracking?: WriteTrackingOptions;
  /** This thread reports each change of an expression, as a hit. */
  readonly watch?: WatchedExpression & ThreadName;
}

/** First line that a standby process receives. */
export type StandbyAssignment = StartSnapshot & ProcessOptions;

/** The snapshot from which a process starts, if not from the start of the recording. */
export interface StartSnapshot {
  /** Its phase. */
  readonly phase: number;
  /** Set for a checkpoint of the run index, which is not in the recording. */
  readonly checkpoint?: CheckpointLocation | undefined;
}

export interface CheckpointLocation {
  /** It is read like a recording that has only snapshots. */
  readonly directory: string;
  /** The epoch of each worker in the checkpoint. */
  readonly epochs: Readonly<Record<number, number>>;
}

export type BreakpointSpec = LineBreakpointSpec | EventBreakpointSpec;

interface BreakpointCondition {
  /** Reports the hit only if this expression of the statement's variables is true. It must not have side effects. */
  readonly condition?: string | undefined;
  /** Expression whose value is reported with each hit. It must not have side effects. */
  readonly logExpression?: string | undefined;
}

/** A breakpoint at the first statement of a line, or of the next line that has one. */
export interface LineBreakpointSpec extends BreakpointCondition {
  readonly kind?: undefined;
  /** A path or URL as in stack traces, or the end of one after a `/`. */
  readonly file: string;
  readonly line: number;
  /** The first statement that begins at this column or after it. */
  readonly column?: number | undefined;
}

/** A breakpoint at an event kind. */
export interface EventBreakpointSpec extends BreakpointCondition {
  readonly kind: RunEventKind;
  /** Pattern that the text of the event must match; `*` matches anything. */
  readonly matching?: string | undefined;
  readonly file?: undefined;
  readonly line?: undefined;
}

/** The thread whose writes a process tracks. */
export interface WriteTrackingOptions extends ThreadName {
  /** Number of the task in which the initial values of new objects are tracked, too, which is slow. */
  readonly initialValuesTask?: number;
  /** The process keeps undo logs of its last tasks, so it can be asked at earlier positions, too. */
  readonly hasUndoLogs?: boolean;
}

export interface WatchedExpression {
  /** An expression of `this`, which is the actor, and of the variables of a file's top scope. */
  readonly expression: string;
  readonly actor: string;
  readonly file?: string | undefined;
}

/** A statement that has begun in the task. */
export interface StatementInTask {
  readonly list: number;
  readonly statement: number;
}

export interface ThreadRequests {
  /** The statement at which the thread is paused. */
  readonly location: { readonly params: undefined; readonly result: StatementLocation | null };
  readonly frames: { readonly params: undefined; readonly result: readonly StackFrame[] };
  /** Variables of the innermost frame. */
  readonly locals: { readonly params: undefined; readonly result: readonly ValueEntry[] };
  /** Variables of an earlier statement. Only of a process that tracks writes, as are `evaluateAt` and `lastWrite`. */
  readonly localsAt: { readonly params: StatementInTask; readonly result: readonly ValueEntry[] };
  readonly expand: { readonly params: Page & { readonly id: number }; readonly result: ValueEntries };
  readonly text: { readonly params: Page & { readonly id: number }; readonly result: TextPiece };
  readonly evaluate: {
    readonly params: { readonly expression: string; readonly effects: Effects };
    readonly result: EvaluationResult;
  };
  readonly evaluateAt: {
    readonly params: StatementInTask & { readonly expression: string };
    readonly result: EvaluationResult;
  };
  /** Undoes the changes of evaluations at this pause. */
  readonly undoEvaluation: { readonly params: undefined; readonly result: null };
  /** Whether the current task can be re-executed in place. Before the task ends, this is a guess. */
  readonly canUndo: { readonly params: undefined; readonly result: boolean };
  readonly lastWrite: { readonly params: WriteRequest; readonly result: ThreadWriteResult };
  /** The tasks that were traced since the last `run`. */
  readonly taskTraces: { readonly params: undefined; readonly result: readonly NumberedTaskTrace[] };
  readonly actors: { readonly params: undefined; readonly result: readonly ActorInfo[] };
  /** Messages that have arrived for an actor: how many, and those at some indexes, the next message being at 0. */
  readonly mailbox: {
    readonly params: { readonly actor: number; readonly indexes: readonly number[] };
    readonly result: { readonly messages: readonly WaitingMessage[]; readonly arrived: number; readonly name: string };
  };
  readonly promises: { readonly params: PromisesQuery; readonly result: ThreadPromises };
  readonly state: {
    readonly params: { readonly actor: string; readonly maxParts: number };
    readonly result: StateParts | null;
  };
  /** A digest of the thread's program, of these actors, and of the messages at these indexes of their mailboxes. */
  readonly digest: {
    readonly params: {
      readonly actors: readonly { readonly name: string; readonly mailIndexes: readonly number[] }[];
      /** Includes the variables of the statement. */
      readonly includeStatement: boolean;
      /** Includes all awaited eventuals. */
      readonly includeAwaited: boolean;
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

export interface EvaluationResult {
  readonly value: Value | undefined;
  /** The error that the expression threw, or why it could not be evaluated. */
  readonly error: string | undefined;
  /** The expression has certainly not changed the program. */
  readonly isPure: boolean;
  /** Its changes are undone before the thread runs on. An impure evaluation without this makes the process unusable. */
  readonly isUndone: boolean;
}

/** A place in a source file as its author has it. */
export interface SourceLocation {
  /** A URL or a path, as in stack traces. */
  readonly file: string;
  /** From 1 on, as the column. */
  readonly line: number;
  readonly column: number;
}

export interface StatementLocation extends SourceLocation {
  readonly endLine: number;
  readonly endColumn: number;
  /** The function it is in; empty for the file itself. */
  readonly function: string;
  /** As docs/abi.md has them: statement, declaration, branch, loop, return, throw, jump, turn, value, field. */
  readonly kind: string;
  /** Index of the function in its file; -1 for the file itself, fields and static blocks. */
  readonly ordinal: number;
  /** Number of the function's first statement. */
  readonly firstStatement: number;
  /** Id of the file's code in this process, and the number of the statement in it. */
  readonly code: string;
  readonly number: number;
}

export interface StackFrame {
  /** 0 is the innermost. */
  readonly index: number;
  readonly function: string;
  readonly location: SourceLocation | undefined;
  /** Number of frames above it on the stack, hidden ones included. */
  readonly framesAbove: number;
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
export interface ValueEntry {
  readonly name: string;
  /** `inner`: not a property, but what a map, a set, a promise or a bound function holds. */
  readonly kind: 'variable' | 'property' | 'accessor' | 'inner';
  readonly isEnumerable: boolean;
  /** Undefined for an accessor, which is not called, and for a variable that is not initialised. */
  readonly value: Value | undefined;
}

export interface ValueEntries {
  readonly entries: readonly ValueEntry[];
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
  readonly isTruncated: boolean;
}

export interface ActorKey {
  readonly worker: number;
  readonly id: number;
}

export interface ActorInfo extends ActorKey {
  readonly name: string;
  readonly turns: number;
  /** Messages in its mailbox. */
  readonly waitingCount: number;
  /** Its root object, once it exists. */
  readonly value: Value | undefined;
}

/** A message in a mailbox. */
export interface WaitingMessage {
  /** A method, or another subject of a turn: construct, fulfil, reject, stop. */
  readonly subject: string;
  /** Undefined for a message that was sent with `tell`. */
  readonly sender: string | undefined;
  /** Undefined while the message is under way between workers. */
  readonly values: readonly Value[] | undefined;
}

/** Whose state is meant. */
export interface StateOwner {
  readonly worker: number;
  /** Name of an actor; that of the worker, as a run index has it, for the program outside of actors. */
  readonly actor: string;
}

/** All statements of a task, in the order in which they begin. */
export interface TaskTrace {
  /** Each place once. */
  readonly locations: readonly StatementLocation[];
  /** Four numbers for each statement: its list, its number in that, the index of its place, the depth of the stack. */
  readonly statements: readonly number[];
  /** The task has more statements than were traced. */
  readonly isTruncated: boolean;
  readonly sends: readonly TracedSend[];
  readonly events?: readonly TracedEvent[];
}

/** `statement`: index of the statement that was running, -1 before the first. */
export type TracedEvent = readonly [statement: number, kind: RunEventKind, text: string];

/** A message to an actor. The method is empty if the actor is spawned. */
export type TracedSend = readonly [statement: number, actor: string, method: string];

export interface NumberedTaskTrace extends TaskTrace {
  /** Number of the task. */
  readonly task: number;
}

/** Lines and columns from 1 on. */
export interface PromiseLocation {
  readonly file: string;
  readonly line: number;
  /** Unknown for the beginning of a handler. */
  readonly column?: number | undefined;
}

/** What waits for a promise. */
export interface PromiseWaiter {
  /** In words that follow "awaited by". */
  readonly description: string;
  /** The actor or main program that it belongs to. */
  readonly actor: string;
  /** Where a function waits, or a handler begins. */
  readonly location?: PromiseLocation | undefined;
  /** Id of the promise that its outcome settles, if there is one. */
  readonly promise?: number | undefined;
}

/** A promise that something waits for, as its thread knows it. */
export interface ThreadPromise {
  /** Its id can be expanded, too. */
  readonly value: Value;
  /** What the promise is, in words. */
  readonly description: string;
  /** Where the function waits that settles it. */
  readonly location?: PromiseLocation | undefined;
  /** Ids of the promises that must be settled first. */
  readonly waitsFor: readonly number[];
  /** Why it is pending, in words, if another reason is known. */
  readonly reason?: string | undefined;
  readonly waiters: readonly PromiseWaiter[];
  /** Number of all waiters. */
  readonly waiterCount: number;
  /** Number of the task in which the wait began; undefined if the wait is older than the process. */
  readonly waitingSinceTask?: number | undefined;
  /** The call of another worker whose answer it is. */
  readonly remoteCall?: RemoteCall | undefined;
}

/** A call of an actor on another worker. */
export interface RemoteCall {
  /** The calling worker. */
  readonly caller: number;
  /** Number of the call among all from the calling worker to the other one. */
  readonly callNumber: number;
  readonly actor: number;
  /** The worker of the actor. */
  readonly worker: number;
}

export interface PromisesQuery extends Page {
  /** Pattern for the actors that wait; `*` matches anything. */
  readonly actor?: string | undefined;
  /** Finds only this promise and its chain of awaited promises, nearest first. It is named by its id or by a call. */
  readonly promise?: number | RemoteCall | undefined;
}

export interface ThreadPromises {
  readonly promises: readonly ThreadPromise[];
  /** Number of all promises. */
  readonly total: number;
  /** Why a call that is asked about has no answer yet, in words, if there is no promise for it. */
  readonly reason?: string | undefined;
}

export interface WriteQuery {
  /** A variable, property, private member or entry: `total`, `this.sum`, `this.#name`, `stock.get("tea")`. */
  readonly expression: string;
  /** Earlier statements of the same call, in order. */
  readonly earlierStatements: readonly (readonly [list: number, statement: number])[];
  /** The actor that `this` means; default: the value of `this` at the position. */
  readonly thisActor?: StateOwner | undefined;
  /** Nothing has written it since this task, but the statement that made its object may have. */
  readonly since?: number | undefined;
}

export interface WriteRequest extends WriteQuery {
  /** The process has run the whole recording: a value that was never written has come with its object. */
  readonly isWholeRecording: boolean;
  /** Continues the last request in the task that was re-executed since, in a process that undoes in place. */
  readonly isContinued?: boolean;
}

/**
 * `passed`: the value was an argument. `captured`: the value was there when the function was made. `unwritten`: nothing
 * has written it since the process began.
 */
export type WriteKind = 'written' | 'passed' | 'captured' | 'unwritten';

export interface WriteInfo {
  readonly kind: WriteKind;
  /** The part of the expression that was written: a shorter one, if the whole was not written by itself. */
  readonly part: string;
  /** The statement has written many things, this one perhaps among them. */
  readonly isApproximate: boolean;
  /** The writing statement, if there is one. */
  readonly location?: StatementLocation | undefined;
}

/**
 * `unwritten`: by none of the tasks since `at`, if there is one. `created`: came with its object in a task whose
 * initial values were not tracked. `earlier`: perhaps in the task at `at`, which must be re-executed to know. `later`:
 * unknown in a process with undone tasks: it was written after the position, or is part of an object that was created
 * again.
 */
export interface ThreadWriteResult extends Omit<WriteInfo, 'kind'> {
  readonly kind: WriteKind | 'created' | 'earlier' | 'later';
  /** The statement that wrote it; for an argument, the start of the call, or its earliest known part. */
  readonly at: readonly [task: number, list: number, statement: number] | undefined;
  /** The answer has run no code of the program. */
  readonly isPure: boolean;
  /** The changes of that code are undone before the thread runs on. */
  readonly isUndone?: boolean;
}
