// What a replay process does in addition to the replay, and where it starts.
import type { RunEventKind } from '../run-event-kinds.ts';
import type { ThreadName } from './thread-name.ts';

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
