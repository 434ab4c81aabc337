// Statement traces for tests, from lists of statements with the depths of their calls.
import { packIntegers } from '../src/replay-process/packed-integers.ts';
import type { StatementLocation, TaskTrace } from '../src/replay-process/task-trace.ts';
import { StatementTrace } from '../src/replay-process/statement-trace.ts';

export interface ScriptedStatement {
  readonly location: StatementLocation;
  /** Number of calls on the stack, with that of the statement's function. */
  readonly depth: number;
  /** Identity of the call; without it, calls of the same depth are one until their caller continues. */
  readonly call?: unknown;
  readonly startsList: boolean;
}

export function traceOfStatements(
  order: number,
  list: readonly ScriptedStatement[],
  {
    sends = [],
    events = [],
    runs = [{}],
    isTruncated = false,
  }: Partial<Pick<TaskTrace, 'sends' | 'events' | 'runs' | 'isTruncated'>> = {},
): StatementTrace {
  const calls: number[] = [];
  const callParents: number[] = [];
  const stack: { readonly call: unknown; readonly index: number }[] = [];
  for (const { depth, call } of list) {
    if (stack.length > depth || stack[depth - 1]?.call !== call) stack.length = Math.min(stack.length, depth);
    if (stack[depth - 1]?.call !== call) stack.length = Math.min(stack.length, depth - 1);
    while (stack.length < depth) {
      callParents.push(stack.at(-1)?.index ?? -1);
      stack.push({ call, index: callParents.length - 1 });
    }
    calls.push((stack[depth - 1] as { index: number }).index);
  }
  const pack = (integers: readonly number[]): string => packIntegers(Int32Array.from(integers));
  return new StatementTrace(order, {
    locations: list.map(({ location }) => location),
    statements: pack(list.map(({ startsList }, i) => i * 2 + (startsList ? 1 : 0))),
    calls: pack(calls),
    callParents: pack(callParents),
    callRuns: pack(callParents.map(() => 0)),
    isTruncated,
    sends,
    events,
    runs,
  });
}
