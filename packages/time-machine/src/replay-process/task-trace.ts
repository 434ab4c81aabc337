// The trace of a task: its statements with their locations, calls, runs of frames, and events.
import type { RunEventKind } from '../run-event-kinds.ts';
import type { PackedIntegers } from './packed-integers.ts';

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
  /** If the frame has ended, or yields to an awaited request: the last runs of the frames that await the result. */
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
