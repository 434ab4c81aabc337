// Breakpoints as clients set them: at a line or statement of a file, or at an event kind; optionally with a condition
// and the number of the one hit that counts.
import { describeEventKind, RUN_EVENT_KIND_IDS, canHaveCondition, isRunEventKind } from '../run-event-kinds.ts';
import type { BreakpointSpec } from '../replay-process/protocol.ts';

export interface BreakpointOptions {
  /** The end of its path or URL: `cart.ts`, `src/cart.ts`. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** Without a column, the first statement of the line. */
  readonly column?: number | undefined;
  /** An event kind, instead of a line. */
  readonly kind?: string | undefined;
  /** Pattern for the text of the event; `*` matches anything. */
  readonly matching?: string | undefined;
  readonly condition?: string | undefined;
  /** Only this one of all hits in the recording counts, from 1 on. */
  readonly hitNumber?: number | undefined;
}

export interface Breakpoint extends BreakpointOptions {
  readonly id: number;
}

/** The breakpoint as replay processes take it; or the problem, for users. */
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
