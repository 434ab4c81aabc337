// The stack of a paused thread and its values, in a form that can be shown without running code of the program.
import type { COMPLETION_KINDS } from '../completion-kinds.ts';
import type { RunName, SourceLocation } from './task-trace.ts';

/** A part of a list or a text. */
/** A part of the value of an expression: indexes of parts lead to it. */
export interface PartsQuery {
  readonly expression: string;
  readonly path?: readonly number[] | undefined;
}

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

/** The frames on V8's stack, then the suspended functions that await them, innermost first. */
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

export interface FoundParts extends ValueEntries {
  /** Why there are none: the error of the expression. */
  readonly error?: string | undefined;
}

export interface TextPiece {
  readonly text: string;
  /** Number of characters of the whole text. */
  readonly total: number;
}
