// Protocol between the time machine and a replay process: a child process that re-executes a recording and can pause.
// Each side writes messages as lines of JSON to a channel, descriptor 4 of the child. At the other end of the channel,
// in the child, is the coordinator, a separate thread (replayer's coordinator.ts).
//
// A process is started with `ProcessOptions`. A standby process, which is started ahead of need, gets them with its
// first line, a `StandbyAssignment`. Then the time machine sends `ToCoordinator` and the coordinator `FromCoordinator`.
//
// A thread runs a worker in one epoch. Its tasks are counted from the start of its process, so numbers of tasks here
// are not positions: the time machine converts them (seek-plan.ts).
import type { COMPLETION_KINDS } from '../completion-kinds.ts';
import type { Effects } from '../effects.ts';
import type { RunEventKind } from '../run-event-kinds.ts';
import type { PackedIntegers } from './packed-integers.ts';

/** Descriptor of the channel in the child process. */
export const CHANNEL_DESCRIPTOR = 4;

/** Encodes a message for the channel, as a line of JSON. */
export function encodeMessage(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

/** Splits the text that arrives through a channel in arbitrary chunks into messages. */
export class MessageDecoder {
  /** Pieces of a message that has not ended. */
  readonly #pieces: string[] = [];

  /** The messages that end in this chunk. They are not validated: each side trusts the other. */
  decode(chunk: string): unknown[] {
    const lines = chunk.split('\n');
    const last = lines.pop() as string;
    const [first] = lines;
    if (first !== undefined) {
      lines[0] = this.#pieces.join('') + first;
      this.#pieces.length = 0;
    }
    if (last !== '') this.#pieces.push(last);
    return lines.map((line): unknown => JSON.parse(line));
  }
}

export interface ThreadName {
  readonly worker: number;
  /** Number of threads that have run the worker before this one. */
  readonly epoch: number;
}

export const MAIN_THREAD: ThreadName = { worker: 0, epoch: 0 };

/** Number of tasks that a thread may run. It pauses before the next task. */
export interface RunLimit extends ThreadName {
  readonly tasks: number;
}

/** A statement in the last task of a thread's limit: a certain one, or the next statement that begins. */
export type PauseTarget = ThreadName &
  ({ readonly list: number; readonly statement: number } | { readonly next: true });

/**
 * What threads track while they run. `statements`: every statement of every task. `writes`: the writes of the
 * re-executed task, in a process that undoes in place.
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
  /** Runs to the end of the recording without a pause; then the process exits. Not answered. */
  | { readonly finish: true };

export type FromCoordinator =
  /** Progress of a run, sent now and then: the number of tasks that have run, and the number of tasks of the run. */
  | { readonly done: number; readonly total: number }
  /** Hits of a thread, sent at the latest before the `threads` message that reports the thread as paused. */
  | { readonly hits: readonly ThreadHit[]; readonly thread: ThreadName }
  /** `memory`: resident bytes of the process. */
  | { readonly id: number; readonly threads: readonly ThreadStatus[]; readonly memory: number }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

/**
 * `at-statement`: the thread is paused before a statement. `at-task`: it is paused before a task. `idle`: it waits for
 * another thread. `ended`: its trace has ended, or it cannot continue. `gone`: it no longer exists. `undo-failed`: it
 * could not undo to its limit.
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
  /** Number of tasks that have begun since the start of the process. */
  readonly startedTasks: number;
  /** The statement at which the thread is paused. */
  readonly list: number;
  readonly statement: number;
  /** Reason why the thread has ended; undefined if it has not. */
  readonly endReason: 'ended' | 'cut off' | 'diverged' | undefined;
  /** Description of the thread's divergence, if it has diverged. */
  readonly divergence?: string | undefined;
}

/** A breakpoint hit. `breakpoint`: index of the breakpoint. `error`: thrown by the log expression or the condition. */
export type ThreadHit = readonly [
  task: number,
  list: number,
  statement: number,
  breakpoint: number,
  logValue?: string | null,
  error?: string,
];

/** Maximum number of tasks that a thread keeps for undoing in place. */
export const MAX_UNDONE_TASKS = 512;

/** Extra work of threads while they run. Only a process without extra work can pause at statements and be inspected. */
export interface ProcessOptions {
  /** All threads report hits of these breakpoints. */
  readonly breakpoints?: readonly BreakpointSpec[];
  /** One thread tracks what its program writes. */
  readonly writeTracking?: WriteTrackingOptions;
  /** The thread whose writes are tracked reports each later write of a value as a hit. Needs `writeTracking`. */
  readonly watchpoint?: WatchpointOptions;
  /** One thread reports each change of an expression as a hit. */
  readonly watch?: WatchedExpression & ThreadName;
}

/** First line that a standby process receives. */
export type StandbyAssignment = StartSnapshot & ProcessOptions;

/** The snapshot from which a process starts, unless it starts from the start of the recording. */
export interface StartSnapshot {
  /** The phase that the snapshot starts. */
  readonly phase: number;
  /** Location of a checkpoint of the run index, which is not in the recording; undefined for a recorded snapshot. */
  readonly checkpoint?: CheckpointLocation | undefined;
}

export interface CheckpointLocation {
  /** Directory that is read like a recording that has only snapshots. */
  readonly directory: string;
  /** The epoch of each worker in the checkpoint. */
  readonly epochs: Readonly<Record<number, number>>;
}

export type BreakpointSpec = LineBreakpointSpec | EventBreakpointSpec;

interface BreakpointCondition {
  /** Expression over the statement's variables; only hits for which it is true are reported. It must be pure. */
  readonly condition?: string | undefined;
  /** Expression whose value is reported with each hit. It must be pure. */
  readonly logExpression?: string | undefined;
  /** The value of `logExpression` is a list of values, which are reported with this text between them. */
  readonly separator?: string | undefined;
}

/** A breakpoint at the first statement of a line, or of the next line that has one. */
export interface LineBreakpointSpec extends BreakpointCondition {
  readonly kind?: undefined;
  /** A path or URL as in stack traces, or the part of one after any `/`. */
  readonly file: string;
  readonly line: number;
  /** The first statement that begins at this column or after it. */
  readonly column?: number | undefined;
}

/** A breakpoint at an event kind. */
export interface EventBreakpointSpec extends BreakpointCondition {
  readonly kind: RunEventKind;
  /** Text that the text of the event must contain; `*` matches anything. */
  readonly text?: string | undefined;
  readonly file?: undefined;
  readonly line?: undefined;
}

/** The thread whose writes a process tracks. */
export interface WriteTrackingOptions extends ThreadName {
  /** Task in which initial values of new objects are tracked as well. This is slow, so it is limited to one task. */
  readonly initialValuesTask?: number;
  /** The process keeps undo logs of its last tasks, so it also answers requests about earlier positions. */
  readonly hasUndoLogs?: boolean;
}

/** A value to watch, which an expression names at a statement. */
export interface WatchpointOptions extends StatementInTask {
  readonly expression: string;
  /** Number of the statement's task on its thread, counted from the start of the process. */
  readonly task: number;
}

export interface WatchedExpression {
  /** An expression over `this`, which means the actor, and the variables of a file's top scope. */
  readonly expression: string;
  readonly actor: string;
  readonly file?: string | undefined;
}

/** A statement of a task, by its list and its number in the list. */
export interface StatementInTask {
  readonly list: number;
  readonly statement: number;
}

export interface ThreadRequests {
  /** The statement at which the thread is paused. */
  readonly location: { readonly params: undefined; readonly result: StatementLocation | null };
  readonly frames: { readonly params: undefined; readonly result: ThreadStack };
  /** The variables of the innermost frame, or of an awaiting frame. */
  readonly locals: { readonly params: FrameChoice; readonly result: readonly ValueEntry[] };
  /** The variables of an earlier statement. Only processes that track writes answer this, `evaluateAt`, `lastWrite`. */
  readonly localsAt: { readonly params: StatementInTask; readonly result: readonly ValueEntry[] };
  readonly expand: { readonly params: Page & { readonly id: number }; readonly result: ValueEntries };
  readonly text: { readonly params: Page & { readonly id: number }; readonly result: TextPiece };
  readonly evaluate: {
    readonly params: FrameChoice & { readonly expression: string; readonly effects: Effects };
    readonly result: EvaluationResult;
  };
  readonly evaluateAt: {
    readonly params: StatementInTask & { readonly expression: string };
    readonly result: EvaluationResult;
  };
  /** Names that can continue an expression in the innermost frame or an awaiting frame. */
  readonly names: { readonly params: FrameChoice & NamesQuery; readonly result: readonly CompletionName[] };
  /** The same in an earlier statement; see `localsAt`. */
  readonly namesAt: { readonly params: StatementInTask & NamesQuery; readonly result: readonly CompletionName[] };
  /** Undoes the changes that evaluations have made at this pause. */
  readonly undoEvaluation: { readonly params: undefined; readonly result: null };
  /** Whether the current task can be re-executed in place. The answer is a guess until the task has ended. */
  readonly canUndo: { readonly params: undefined; readonly result: boolean };
  readonly lastWrite: { readonly params: WriteRequest; readonly result: ThreadWriteResult };
  /** Traces of the tasks that were traced since the last `run`. */
  readonly taskTraces: { readonly params: undefined; readonly result: readonly NumberedTaskTrace[] };
  readonly actors: { readonly params: undefined; readonly result: readonly ActorInfo[] };
  /** Messages that have arrived for an actor: their number, and those at some indexes. The next message has index 0. */
  readonly mailbox: {
    readonly params: { readonly actor: number; readonly indexes: readonly number[] };
    readonly result: { readonly messages: readonly WaitingMessage[]; readonly arrived: number; readonly name: string };
  };
  readonly promises: { readonly params: PromisesQuery; readonly result: ThreadPromises };
  readonly state: {
    readonly params: { readonly actor: string; readonly maxParts: number };
    readonly result: StateParts | null;
  };
  /** The objects of the thread's program. */
  readonly heap: { readonly params: undefined; readonly result: HeapGraph };
  /** Digest of the thread's program, of these actors, and of the messages at these indexes of their mailboxes. */
  readonly digest: {
    readonly params: {
      readonly actors: readonly { readonly name: string; readonly mailIndexes: readonly number[] }[];
      /** Whether the variables of the current statement are included. */
      readonly includeStatement: boolean;
      /** Whether all awaited eventuals are included. */
      readonly includeAwaited: boolean;
    };
    readonly result: string;
  };
}
export type ThreadRequestName = keyof ThreadRequests;

/** A part of a list or a text. */
export interface Page {
  /** Index of the first element of the part. */
  readonly from: number;
  readonly count: number;
}

export interface NamesQuery {
  /** Expression whose properties are listed; undefined for the names in scope. */
  readonly object: string | undefined;
  readonly prefix: string;
}

export interface CompletionName {
  readonly name: string;
  readonly kind: (typeof COMPLETION_KINDS)[number];
}

export const HEAP_NODE_TYPES = ['object', 'string', 'closure', 'regexp'] as const;
export const HEAP_REFERENCE_TYPES = ['property', 'element', 'internal', 'context'] as const;
export type HeapNodeType = (typeof HEAP_NODE_TYPES)[number];
export type HeapReferenceType = (typeof HEAP_REFERENCE_TYPES)[number];

/** Objects and texts, and how they are reached. The first nodes are roots: files, actors, frames of the stack. */
export interface HeapGraph {
  readonly rootCount: number;
  readonly nodes: readonly (readonly [type: HeapNodeType, name: string, bytes: number, referenceCount: number])[];
  /** The references of all nodes, in the order of the nodes. */
  readonly references: readonly (readonly [type: HeapReferenceType, name: string | number, node: number])[];
}

export interface EvaluationResult {
  readonly value: Value | undefined;
  /** The error that the expression threw, or the reason why it could not be evaluated. */
  readonly error: string | undefined;
  /** Its output to standard output and error; undefined if there is none. */
  readonly output?: string;
  /** Whether the expression has certainly not changed the program. */
  readonly isPure: boolean;
  /** Whether changes are undone before the thread runs on. A process that keeps impure changes becomes unusable. */
  readonly isUndone: boolean;
  /** Whether the expression uses a variable that is not known (`ValueEntry.isNotKept`). */
  readonly isNotKept?: boolean;
}

/** A place in a source file, in the coordinates of the original source. */
export interface SourceLocation {
  /** A URL or a path, as in stack traces. */
  readonly file: string;
  /** Counted from 1, like the column. */
  readonly line: number;
  readonly column: number;
}

export interface StatementLocation extends SourceLocation {
  readonly endLine: number;
  readonly endColumn: number;
  /** Name of the function that contains the statement; empty for the file itself. */
  readonly function: string;
  /** Kind as in docs/internals/abi.md: statement, declaration, branch, loop, return, throw, jump, turn, value, field. */
  readonly kind: string;
  /** Index of the function in its file; -1 for the file itself, fields and static blocks. */
  readonly ordinal: number;
  /** Id of the file's code in this process, and the number of the statement in it. */
  readonly code: string;
  readonly number: number;
}

export interface StackFrame {
  /** Index of the frame; 0 is the innermost. */
  readonly index: number;
  readonly function: string;
  /** For an awaiting frame, the location of its `await`. */
  readonly location: SourceLocation | undefined;
  /** Present if the function is suspended and awaits the frame above. */
  readonly awaiting?: AwaitInfo | undefined;
}

export interface AwaitInfo {
  /** The last run of the function; undefined if it is older than the process. */
  readonly run: RunName | undefined;
  /** Name of the combinator through which the function awaits, such as `all`. */
  readonly combinator?: string | undefined;
  /** Number of other waiters of the same promise. */
  readonly others: number;
}

/** Frames on the stack of V8, then suspended functions, each of which awaits the frame above. */
export interface ThreadStack {
  readonly frames: readonly StackFrame[];
  /** Number of awaiting frames that are left out. */
  readonly moreAwaiting: number;
}

export interface FrameChoice {
  /** Index of a frame among the awaiting frames; undefined for the innermost frame. */
  readonly awaiting?: number | undefined;
}

/** The worker of an object is the object's id divided by this number, rounded down. */
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

/** A value in a form that can be shown without running code of the program. */
export interface Value {
  readonly kind: ValueKind;
  /** The value as one line of text. */
  readonly preview: string;
  /** Class of an object, as named by its prototype. */
  readonly class?: string | undefined;
  /** Id of an object, function or long text, for `expand` and `text`. It is valid until the thread runs on. */
  readonly id?: number | undefined;
  /** Number of characters of a text that the preview cuts short. */
  readonly length?: number | undefined;
}

/** A variable, a property, or a value that a collection or a promise holds. */
export interface ValueEntry {
  readonly name: string;
  /** `inner`: not a property, but a value that a map, set, promise or bound function holds. */
  readonly kind: 'variable' | 'property' | 'accessor' | 'inner';
  readonly isEnumerable: boolean;
  /** Undefined for an accessor, which is never called, and for an uninitialised variable. */
  readonly value: Value | undefined;
  /**
   * Whether the value is not known, because the function was suspended when the process began and does not use the
   * variable any more.
   */
  readonly isNotKept?: boolean;
}

export interface ValueEntries {
  readonly entries: readonly ValueEntry[];
  /** Number of all entries, including those outside of the page. */
  readonly total: number;
}

export interface TextPiece {
  readonly text: string;
  /** Number of characters of the whole text. */
  readonly total: number;
}

export type StatePart = readonly [path: string, text: string];

/** State of an actor, or of the program outside of actors, in a comparable form. */
export interface StateParts {
  readonly parts: readonly StatePart[];
  /** Whether parts far from the root are left out. */
  readonly isTruncated: boolean;
}

export interface ActorKey {
  readonly worker: number;
  readonly id: number;
}

export interface ActorInfo extends ActorKey {
  readonly name: string;
  readonly turns: number;
  /** Number of messages in the mailbox. */
  readonly waitingCount: number;
  /** The actor's root object; undefined until it is constructed. */
  readonly value: Value | undefined;
}

/** A message in a mailbox. */
export interface WaitingMessage {
  /** A method, or another subject of a turn: construct, fulfil, reject, stop. */
  readonly subject: string;
  /** Undefined for a message that was sent with `tell`. */
  readonly sender: string | undefined;
  /** Undefined while the message is in flight between workers. */
  readonly values: readonly Value[] | undefined;
}

/** The owner of a state: an actor, or the program outside of actors. */
export interface StateOwner {
  readonly worker: number;
  /** Name of the actor; for the program outside of actors, the name of the worker in run indexes. */
  readonly actor: string;
}

/** All statements of a task, in the order in which they begin. */
export interface TaskTrace {
  /** Locations of the statements, each listed once. */
  readonly locations: readonly StatementLocation[];
  /** Per statement: twice the index of its location, plus 1 if it is the first of a statement list. */
  readonly statements: PackedIntegers;
  /** Per statement: the index of its call. */
  readonly calls: PackedIntegers;
  /** Per call: the call whose code has called it, or -1 if it was the host. */
  readonly callParents: PackedIntegers;
  /** Per call: the index of its run. */
  readonly callRuns: PackedIntegers;
  /** Whether the task has more statements than were traced. */
  readonly isTruncated: boolean;
  readonly sends: readonly TracedSend[];
  readonly events?: readonly TracedEvent[];
  /** The first task that the process has executed. Runs before it are not known. */
  readonly since?: number;
  readonly runs: readonly TracedRun[];
}

/**
 * A run of a frame, from the start or a resumption of a suspendable function to its next suspension or its end; or code
 * that the host has called outside of such a function.
 */
export interface TracedRun {
  /** Number of the run of a frame in the task; undefined for code that the host has called. */
  readonly number?: number;
  /** Index of the first statement after the start of the run. */
  readonly start?: number;
  /** Index of the frame's call, whose parent has started or resumed the frame. */
  readonly call?: number;
  /** The last run of the frame; null for its first run, undefined if the frame is older than the process. */
  readonly previous?: RunName | null | undefined;
  /** Whether the frame has ended; undefined if the trace ends before the run. */
  readonly hasEnded?: boolean | undefined;
  /** If the frame has ended: the last runs of the frames that await its result. */
  readonly awaiters?: readonly RunName[];
  /** Whether a frame that is older than the process awaits the result as well. */
  readonly hasOlderAwaiters?: boolean;
}

/** The task of a run, and its number in the task. */
export type RunName = readonly [task: number, run: number];

/** An event of a task. `statement`: index of the statement that was running; -1 before the first. */
export type TracedEvent = readonly [statement: number, kind: RunEventKind, text: string];

/** A message to an actor, by the index of the sending statement. The method is empty for a spawn. */
export type TracedSend = readonly [statement: number, actor: string, method: string];

export interface NumberedTaskTrace extends TaskTrace {
  /** Number of the task, counted from the start of the process. */
  readonly task: number;
}

/** A place in a source file. Lines and columns count from 1. */
export interface PromiseLocation {
  readonly file: string;
  readonly line: number;
  /** Unknown for the start of a handler. */
  readonly column?: number | undefined;
}

/** A function or handler that waits for a promise. */
export interface PromiseWaiter {
  /** Text that follows "awaited by". */
  readonly description: string;
  /** The actor or main program of the waiter. */
  readonly actor: string;
  /** Location of the `await`, or of the start of the handler. */
  readonly location?: PromiseLocation | undefined;
  /** Id of the promise that the waiter's outcome settles, if any. */
  readonly promise?: number | undefined;
}

/** A promise that something waits for, from the view of its thread. */
export interface ThreadPromise {
  /** The promise as a value, whose id can be expanded. */
  readonly value: Value;
  /** Description of the promise's origin. */
  readonly description: string;
  /** Location at which the function that settles the promise waits. */
  readonly location?: PromiseLocation | undefined;
  /** Ids of the promises that must be settled before this one. */
  readonly waitsFor: readonly number[];
  /** Why the promise is pending, if the reason is known and is not in `waitsFor`. */
  readonly reason?: string | undefined;
  readonly waiters: readonly PromiseWaiter[];
  /** Number of all waiters. */
  readonly waiterCount: number;
  /** Number of the task in which the wait began; undefined if the wait is older than the process. */
  readonly waitingSinceTask?: number | undefined;
  /** The call to another worker whose answer settles the promise. */
  readonly remoteCall?: RemoteCall | undefined;
}

/** A call to an actor on another worker. */
export interface RemoteCall {
  /** The calling worker. */
  readonly caller: number;
  /** Number of the call among all calls from the calling worker to the other one. */
  readonly callNumber: number;
  readonly actor: number;
  /** The worker of the actor. */
  readonly worker: number;
}

export interface PromisesQuery extends Page {
  /** Pattern for the names of the waiting actors; `*` matches anything. */
  readonly actor?: string | undefined;
  /** The result is only this promise and the chain of promises that it waits for, the nearest first. */
  readonly promise?: number | RemoteCall | undefined;
}

export interface ThreadPromises {
  readonly promises: readonly ThreadPromise[];
  /** Number of all promises. */
  readonly total: number;
  /** Why a requested call has no answer yet, if no promise represents the call. */
  readonly reason?: string | undefined;
}

export interface WriteQuery {
  /** A variable, property, private member or entry: `total`, `this.sum`, `this.#name`, `stock.get("tea")`. */
  readonly expression: string;
  /** Earlier statements of the same call, in order. */
  readonly earlierStatements: readonly (readonly [list: number, statement: number])[];
  /** The actor that `this` means; default: the value of `this` at the position. */
  readonly thisActor?: StateOwner | undefined;
  /** Task from which on the value is known to be unwritten, except by the statement that created its object. */
  readonly since?: number | undefined;
}

export interface WriteRequest extends WriteQuery {
  /** The process has run the whole recording, so a value without a write was created with its object. */
  readonly isWholeRecording: boolean;
  /** Continues the last request in an earlier task, which was re-executed in place since then. */
  readonly isContinued?: boolean;
}

/**
 * `passed`: the value was an argument. `captured`: the value existed when the function was created. `unwritten`:
 * nothing has written the value since the process began.
 */
export type WriteKind = 'written' | 'passed' | 'captured' | 'unwritten';

export interface WriteInfo {
  readonly kind: WriteKind;
  /** The part of the expression that was written. It is shorter if the value was written together with its object. */
  readonly part: string;
  /** Whether the statement wrote a whole object, perhaps with this value. */
  readonly isApproximate: boolean;
  /** The writing statement, if there is one. */
  readonly location?: StatementLocation | undefined;
}

/**
 * `unwritten`: no task since `at`, if given, has written the value. `created`: the value came with its object, in a
 * task whose initial values were not tracked. `earlier`: perhaps the task at `at`, which must be re-executed, has
 * written it. `later`: unknown in a process with undone tasks, since the value was written after the position, or
 * belongs to an object that was created again.
 */
export interface ThreadWriteResult extends Omit<WriteInfo, 'kind'> {
  readonly kind: WriteKind | 'created' | 'earlier' | 'later';
  /** The statement that wrote the value; for an argument, the start of the call, or its earliest known part. */
  readonly at: readonly [task: number, list: number, statement: number] | undefined;
  /** Whether the request was answered without running code of the program. */
  readonly isPure: boolean;
  /** Whether the changes of that code are undone before the thread runs on. */
  readonly isUndone?: boolean;
}
