// Requests for the statement that wrote a value.
import type { StateOwner } from './actor-states.ts';
import type { StatementLocation } from './task-trace.ts';

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
