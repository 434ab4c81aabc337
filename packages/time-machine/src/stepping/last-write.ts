// Explains a value, one step back, for the move `last-write` of StepController. The result is one of three: the statement
// that wrote the value; the call that passed it, with the argument for the next such move; or the statement that sent
// the message with which it arrived. recent-write.ts and write-search.ts do the search for writes.
import type { WriteResult } from '../replay-process/write-result.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { taskStart, isTaskStart, type Position } from '../position.ts';
import type { StatementTrace } from '../replay-process/statement-trace.ts';
import type { StepResult } from './step-result.ts';
import type { StateOwner } from '../replay-process/actor-states.ts';
import type { WriteQuery } from '../replay-process/write-requests.ts';

type StatementNumbers = WriteQuery['earlierStatements'];

export interface LastWriteDeps {
  readonly graph: TaskGraph;
  trace(order: number): Promise<StatementTrace>;
  /** Finds the statement that sent the message of a task. */
  sendPosition(order: number): Promise<Position | undefined>;
  /** Finds the last write. @param earlier statements of the same call, in order */
  findLastWrite(earlier: StatementNumbers): Promise<WriteResult>;
}

/** The call that is running at a position, in the trace of its task. */
interface CallTrace {
  readonly trace: StatementTrace;
  /** Indexes of the call's statements before the position, in order. */
  readonly earlier: readonly number[];
  /** Index of the call's first statement or, if it has been suspended, of its first one in this task. */
  readonly first: number;
}

/** Matches parts of `this`. They are not variables, so the call's earlier statements, often many, are not needed. */
const THIS_MEMBER = /^\s*this\s*(?:\.|\?\.|\[)/;

/** Finds the origin of the value that an expression has at a position, or the reason why none is known. */
export async function explainLastWrite(
  deps: LastWriteDeps,
  from: Position,
  { expression, thisActor }: Pick<WriteQuery, 'expression' | 'thisActor'>,
): Promise<StepResult> {
  if (thisActor !== undefined && expression === 'this') return findSpawn(deps, thisActor);
  if (thisActor === undefined && from.order > deps.graph.count)
    return { reason: 'nothing runs at the end; move to a statement first' };
  const call = thisActor === undefined ? await callTraceAt(deps, from) : undefined;
  const earlier = THIS_MEMBER.test(expression) ? [] : earlierStatements(call);
  const { kind, part, isApproximate, position } = await deps.findLastWrite(earlier);
  if (kind === 'written' && position !== undefined) {
    const suffix = isApproximate ? 'or another part of the same object is written here' : 'is written here';
    const prefix = part === expression ? '' : `${expression} itself was not written; `;
    return { position, note: `${prefix}${part} ${suffix}`, lastWrite: { kind: 'written', part } };
  }
  if (kind === 'captured') return { reason: `${part} belongs to an enclosing function and was never reassigned` };
  if (kind === 'passed' && call !== undefined)
    return explainArgument(deps, part, position ?? call.trace.position(call.first));
  return {
    reason: `${part} was not written in this recording: it has had its value from the start or since its creation`,
  };
}

/** Finds the statement that spawned an actor. */
async function findSpawn({ graph, sendPosition }: LastWriteDeps, { worker, actor }: StateOwner): Promise<StepResult> {
  const creation = graph.actorNamed(worker, actor)?.creation;
  const position = creation === undefined ? undefined : await sendPosition(creation);
  if (position === undefined)
    return { reason: `the spawner of ${actor} is not recorded: the actor existed when the recording began` };
  return { position, note: `${actor} is spawned here`, lastWrite: { kind: 'sent', part: 'this' } };
}

async function callTraceAt(deps: LastWriteDeps, position: Position): Promise<CallTrace | undefined> {
  if (isTaskStart(position)) return undefined;
  const trace = await deps.trace(position.order);
  const index = trace.indexOf(position);
  if (index === -1) return undefined;
  const earlier = trace.earlierInCall(index);
  return { trace, earlier, first: earlier[0] ?? index };
}

function earlierStatements(call: CallTrace | undefined): StatementNumbers {
  if (call === undefined) return [];
  return call.earlier.map((index) => {
    const { list, statement } = call.trace.position(index);
    return [list, statement] as const;
  });
}

/** Finds the origin of an argument. @param callStart the start of its call, or the call's earliest known part */
async function explainArgument(deps: LastWriteDeps, part: string, callStart: Position): Promise<StepResult> {
  const { order } = callStart;
  const trace = await deps.trace(order);
  const first = Math.max(0, trace.indexOf(callStart));
  const caller = trace.callerStatement(trace.callOf(first));
  if (caller !== -1) {
    const note = `${part} was passed by this call`;
    return { position: trace.position(caller), note, lastWrite: { kind: 'passed', part } };
  }
  if (!trace.isStartOfFunction(first)) {
    const note = `${part} had its value when its function resumed here, after an await or a yield`;
    return { position: taskStart(order), note, lastWrite: { kind: 'resumed', part } };
  }
  const position = await deps.sendPosition(order);
  if (position === undefined)
    return { reason: `${part} came from the host, or its promise was pending when the recording began` };
  const kind = deps.graph.kind(order);
  if (kind === 'call' || kind === 'construct')
    return { position, note: `${part} came with the message sent here`, lastWrite: { kind: 'sent', part } };
  return { position, note: `${part} came from the promise settled here`, lastWrite: { kind: 'settled', part } };
}
