// Breakpoints as clients set them: at a line or statement of a file, at a function, at a kind of event, or at the writes
// of a value. A breakpoint may have a condition, and may be limited to one of its hits.
import type { BreakpointSpec } from '../replay-process/process-options.ts';
import { BREAKPOINT_KINDS, breakpointKindOf, type BreakpointKind } from './breakpoint-kinds.ts';

export interface BreakpointOptions {
  /** The path or URL of the file, or its end: `cart.ts`, `src/cart.ts`. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** Without a column, the first statement of the line. */
  readonly column?: number | undefined;
  /** Name of a function, or `Class.method`, instead of a file and a line. */
  readonly function?: string | undefined;
  /** Kind of event, instead of a file and a line. */
  readonly kind?: string | undefined;
  /** Expression whose value is watched, instead of a file and a line. */
  readonly watch?: string | undefined;
  /** The position at which the watched expression names the value, for clients. */
  readonly at?: string | undefined;
  /** Text that the text of the event must contain; `*` matches anything. */
  readonly text?: string | undefined;
  /** Expression whose value must be true at the statement. */
  readonly condition?: string | undefined;
  /** Number of the only hit in the recording that counts, from 1 on. Default: all hits count. */
  readonly hitNumber?: number | undefined;
  /** Number of hits that the next moves pass. */
  readonly ignoreCount?: number | undefined;
  /** Whether the breakpoint is removed when a move stops at it. */
  readonly isTemporary?: boolean | undefined;
  readonly isEnabled?: boolean | undefined;
}

export interface Breakpoint extends BreakpointOptions {
  readonly id: number;
  readonly isEnabled: boolean;
}

/** Changes to a breakpoint; undefined keeps a part. An empty condition removes the condition. */
export type BreakpointChanges = Pick<BreakpointOptions, 'isEnabled' | 'condition' | 'ignoreCount'>;

/** The first statements of the functions that have a name. */
export type FunctionLocator = (
  name: string,
) => readonly { readonly file: string; readonly line: number; readonly column: number }[];

/** Where a breakpoint stops: at hits that replay processes find, at tasks of the run index, or at writes. */
export type BreakpointTargets =
  | { readonly specs: readonly BreakpointSpec[] }
  | { readonly kind: BreakpointKind }
  | { readonly watch: string };

/** Finds the targets of a breakpoint; returns the problem, for users, if the breakpoint is invalid. */
export function breakpointTargets(
  options: BreakpointOptions,
  locateFunction: FunctionLocator,
): BreakpointTargets | string {
  const { file, line, column, function: name, kind, watch, text, condition } = options;
  const hasLine = file !== undefined || line !== undefined || column !== undefined;
  if ([hasLine, name !== undefined, kind !== undefined, watch !== undefined].filter(Boolean).length !== 1)
    return 'a breakpoint must have a file and a line, a function, a kind, or an expression to watch';
  if (kind !== undefined) return kindTargets(kind, text, condition);
  if (watch !== undefined)
    return condition === undefined ? { watch } : 'a watchpoint stops at each change: it takes no condition';
  if (text !== undefined) return 'only a breakpoint of a kind can match a text; give a condition for a line';
  if (name !== undefined) {
    const locations = locateFunction(name);
    if (locations.length === 0) return `the recorded code has no function ${name}`;
    return { specs: locations.map((each) => ({ ...each, condition })) };
  }
  if (file === undefined || line === undefined) return 'a breakpoint must have a file and a line';
  return { specs: [{ file, line, column, condition }] };
}

function kindTargets(id: string, text: string | undefined, condition: string | undefined): BreakpointTargets | string {
  const kind = breakpointKindOf(id);
  if (kind === undefined)
    return `there is no breakpoint kind ${JSON.stringify(id)}; available: ${BREAKPOINT_KINDS.map((each) => each.id).join(', ')}`;
  if (text !== undefined && kind.detail === undefined)
    return `breakpoints of the kind ${id} have no text to match with ${JSON.stringify(text)}`;
  if (text === undefined && kind.needsText === true)
    return `a breakpoint of the kind ${id} must have ${kind.detail ?? 'a text'}`;
  if (id === 'worker' && !/^\d{1,5}$/.test(text ?? '')) return `worker must be the number of a worker, not ${text}`;
  if (condition !== undefined && !kind.canHaveCondition)
    return `breakpoints of the kind ${id} take no condition: they stop before the first statement, where there are no variables`;
  if (kind.taskMove !== undefined) return { kind };
  return { specs: kind.runEvents.map((each) => ({ kind: each, text, condition })) };
}
