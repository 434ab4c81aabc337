// Ids of data breakpoints. DAP clients get the id of an expression with `dataBreakpointInfo`, and send it with
// `setDataBreakpoints`.
import type { RequestArguments } from './request-arguments.ts';

interface DataId {
  readonly expression: string;
  /** The position at which the expression names the value. */
  readonly position: string;
}

export function encodeDataId(expression: string, position: string): string {
  return JSON.stringify({ expression, position } satisfies DataId);
}

function decodeDataId(text: string): DataId | undefined {
  try {
    const { expression, position } = JSON.parse(text) as Partial<DataId>;
    return typeof expression === 'string' && typeof position === 'string' ? { expression, position } : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a data breakpoint; returns the problem, for users, if it is invalid. */
export function parseDataBreakpoint(args: RequestArguments): DataId | string {
  const dataId = decodeDataId(args.string('dataId'));
  if (dataId === undefined) return 'the id is not one that dataBreakpointInfo returned';
  if ((args.optionalString('accessType') ?? 'write') !== 'write')
    return 'a recording has writes only: reads cannot be found';
  if (args.has('condition') || args.has('hitCondition')) return 'it stops at each write: it takes no condition';
  return dataId;
}
