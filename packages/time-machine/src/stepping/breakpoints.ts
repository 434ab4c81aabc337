// Breakpoints: lines of files, perhaps one of a line's statements, or things of a kind that happen; perhaps only where an expression holds, or only the so-manieth time.
import { describeEventKind, RUN_EVENT_KIND_IDS, canHaveCondition, isRunEventKind } from '../run-event-kinds.ts';
import type { BreakpointSpec } from '../replay-process/protocol.ts';

export interface BreakpointOptions {
  /** The end of its path or URL: `cart.ts`, `src/cart.ts`. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** Without it, the first statement of the line that is come to. */
  readonly column?: number | undefined;
  /** In the place of a line: what is to happen. */
  readonly kind?: string | undefined;
  /** Only where it tells of something like this, `*` standing for anything. */
  readonly matching?: string | undefined;
  readonly condition?: string | undefined;
  /** Of all times in the recording that the condition holds. */
  readonly hitNumber?: number | undefined;
}

export interface Breakpoint extends BreakpointOptions {
  readonly id: number;
}

/** What a search is to look out for; or what is wrong with the wish, as a sentence. */
export function toBreakpointSpec(options: BreakpointOptions): BreakpointSpec | string {
  const { file, line, column, kind, matching, condition } = options;
  if (kind === undefined) {
    if (file === undefined || line === undefined) return 'a breakpoint needs a file and a line, or a kind';
    if (matching !== undefined) return 'a line tells nothing that could be like anything; a condition can be given';
    return { file, line, column, condition };
  }
  if (file !== undefined || line !== undefined || column !== undefined)
    return 'a breakpoint is at a line or of a kind, not both';
  if (!isRunEventKind(kind))
    return `there is no kind ${JSON.stringify(kind)} of breakpoints; there are ${RUN_EVENT_KIND_IDS.join(', ')}`;
  if (matching !== undefined && describeEventKind(kind).detail === undefined)
    return `breakpoints of the kind ${kind} tell nothing that could be like ${JSON.stringify(matching)}`;
  if (condition !== undefined && !canHaveCondition(kind))
    return `breakpoints of the kind ${kind} are before the first statement, where a condition has no variables`;
  return { kind, matching, condition };
}
