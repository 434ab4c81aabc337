// Breakpoints as clients set them: at a line or statement of a file, or at an event kind. A breakpoint may have a
// condition, and may be limited to one of its hits.
import { describeEventKind, RUN_EVENT_KIND_IDS, canHaveCondition, isRunEventKind } from '../run-event-kinds.ts';
import type { BreakpointSpec } from '../replay-process/protocol.ts';

export interface BreakpointOptions {
  /** The path or URL of the file, or its end: `cart.ts`, `src/cart.ts`. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** Without a column, the first statement of the line. */
  readonly column?: number | undefined;
  /** An event kind, in place of file and line. */
  readonly kind?: string | undefined;
  /** Pattern for the text of the event; `*` matches anything. */
  readonly matching?: string | undefined;
  readonly condition?: string | undefined;
  /** Number of the only hit in the recording that counts, from 1 on. Default: all hits count. */
  readonly hitNumber?: number | undefined;
}

export interface Breakpoint extends BreakpointOptions {
  readonly id: number;
}

/** Converts a breakpoint for replay processes; returns the problem, for users, if the breakpoint is invalid. */
export function toBreakpointSpec(options: BreakpointOptions): BreakpointSpec | string {
  const { file, line, column, kind, matching, condition } = options;
  if (kind === undefined) {
    if (file === undefined || line === undefined) return 'a breakpoint needs a file and a line, or a kind';
    if (matching !== undefined) return 'matching needs a kind; give a condition for a line';
    return { file, line, column, condition };
  }
  if (file !== undefined || line !== undefined || column !== undefined)
    return 'a breakpoint is at a line or of a kind, not both';
  if (!isRunEventKind(kind))
    return `there is no kind ${JSON.stringify(kind)} of breakpoints; there are ${RUN_EVENT_KIND_IDS.join(', ')}`;
  if (matching !== undefined && describeEventKind(kind).detail === undefined)
    return `breakpoints of the kind ${kind} have no text to match with ${JSON.stringify(matching)}`;
  if (condition !== undefined && !canHaveCondition(kind))
    return `breakpoints of the kind ${kind} take no condition: they stop before the first statement, where there are no variables`;
  return { kind, matching, condition };
}
