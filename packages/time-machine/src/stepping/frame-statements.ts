// The statements at which the functions on a stack are, found in the trace of the task.
import { isTaskStart, type Position } from '../position.ts';
import type { StackFrame } from '../replay-process/inspected-values.ts';
import type { SourceLocation, StatementLocation } from '../replay-process/task-trace.ts';
import type { StatementTrace } from '../replay-process/statement-trace.ts';

/**
 * The last statement of each frame at a position, innermost frame first; undefined for frames without statements in the
 * task. A frame belongs to the next outer call if its location is in the last statement of that call.
 */
export function lastStatementsOf(
  trace: StatementTrace | undefined,
  position: Position,
  frames: readonly StackFrame[],
): (Position | undefined)[] {
  const isTraced = trace !== undefined && !isTaskStart(position) && !trace.isBeyond(position);
  let index = isTraced ? trace.indexOf(position) : -1;
  return frames.map(({ location }, i) => {
    if (i === 0) return position;
    if (trace === undefined || index === -1) return undefined;
    const caller = trace.callerStatement(trace.callOf(index));
    if (caller === -1 || location === undefined || !isIn(location, trace.location(caller))) return undefined;
    index = caller;
    return trace.position(caller);
  });
}

function isIn({ file, line }: SourceLocation, statement: StatementLocation): boolean {
  return file === statement.file && line >= statement.line && line <= statement.endLine;
}
