// Protocol between the time machine and a replay process: a child process that re-executes a recording and can pause.
// Each side writes messages as lines of JSON to a channel, descriptor 4 of the child. At the other end of the channel,
// in the child, is the coordinator, a separate thread (replayer's coordinator.ts).
//
// A process is started with `ProcessOptions`. A standby process, which is started ahead of need, gets them with its
// first line, a `StandbyAssignment`. Then the time machine sends `ToCoordinator` and the coordinator `FromCoordinator`.
//
// A thread runs a worker in one epoch. Its tasks are counted from the start of its process, so numbers of tasks here
// are not positions: the time machine converts them (seek-plan.ts).
import type { Effects } from '../effects.ts';
import type { ActorInfo, StateParts, WaitingMessage } from './actor-states.ts';
import type { HeapGraph } from './heap-graph.ts';
import type {
  CompletionName,
  EvaluationResult,
  FrameChoice,
  NamesQuery,
  Page,
  TextPiece,
  ThreadStack,
  ValueEntries,
  ValueEntry,
} from './inspected-values.ts';
import type { StatementInTask } from './process-options.ts';
import type { NumberedTaskTrace, StatementLocation } from './task-trace.ts';
import type { ThreadName } from './thread-name.ts';
import type { PromisesQuery, ThreadPromises } from './thread-promises.ts';
import type { ThreadWriteResult, WriteRequest } from './write-requests.ts';

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

/**
 * A breakpoint hit. `breakpoint`: index of the breakpoint. `error`: thrown by the log expression or the condition.
 * `hasParts`: whether the log value, or one in its list, is an object.
 */
export type ThreadHit = readonly [
  task: number,
  list: number,
  statement: number,
  breakpoint: number,
  logValue?: string | null,
  error?: string | null,
  hasParts?: boolean,
];

/** Maximum number of tasks that a thread keeps for undoing in place. */
export const MAX_UNDONE_TASKS = 512;

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
