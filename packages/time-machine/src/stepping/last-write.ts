// Where a value comes from, one step back: the statement that has written it; the call that has passed it, which is where the same question goes on with what is passed there; the statement that has
// sent the message which it has come with.
import type { WriteResult } from '../replay-process/write-result.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { taskStart, isTaskStart, type Position } from '../position.ts';
import { isCallStart, type StatementTrace } from './statement-trace.ts';
import type { StepResult } from './step-result.ts';
import type { StateOwner, WriteQuery } from '../replay-process/protocol.ts';

export interface LastWriteDeps {
  readonly graph: TaskGraph;
  trace(order: number): Promise<StatementTrace>;
  sendPosition(order: number): Promise<Position | undefined>;
  /** @param earlier statements of the same call */
  findLastWrite(earlier: readonly (readonly [list: number, statement: number])[]): Promise<WriteResult>;
}

/** What is a part of `this` is nothing that statements of the call have as a variable, of which a long loop has many. */
const THIS_MEMBER = /^\s*this\s*(?:\.|\?\.|\[)/;

/** Of one call: where it began, as far as the task has it. */
interface CallTrace {
  readonly trace: StatementTrace;
  readonly earlier: readonly number[];
  readonly first: number;
}

export async function explainLastWrite(
  deps: LastWriteDeps,
  from: Position,
  { expression, thisActor }: Pick<WriteQuery, 'expression' | 'thisActor'>,
): Promise<StepResult> {
  if (thisActor !== undefined && expression === 'this') return findSpawn(deps, thisActor);
  if (thisActor === undefined && from.order > deps.graph.count)
    return { reason: 'nothing runs at the end: ask where something does' };
  const call = thisActor === undefined ? await callTraceAt(deps, from) : undefined;
  const earlier = THIS_MEMBER.test(expression) ? [] : earlierStatements(call);
  const write = await deps.findLastWrite(earlier);
  const { kind, part, isApproximate, position } = write;
  if (kind === 'written' && position !== undefined) {
    const suffix = isApproximate ? 'is written here, or something else of the same' : 'is written here';
    const prefix = part === expression ? '' : `nobody has written ${expression} by itself; `;
    return { position, note: `${prefix}${part} ${suffix}`, lastWrite: { kind: 'written', part } };
  }
  if (kind === 'captured')
    return { reason: `${part} belongs to a function around this one, and keeps the value it had first` };
  if (kind === 'passed' && call !== undefined)
    return traceArgument(deps, part, position ?? call.trace.position(call.first));
  return {
    reason: `nobody has written ${part}, as far as the recording goes: it was so from the beginning, or since it was made`,
  };
}

function earlierStatements(call: CallTrace | undefined): (readonly [list: number, statement: number])[] {
  if (call === undefined) return [];
  return call.earlier.map((each) => {
    const { list, statement } = call.trace.position(each);
    return [list, statement];
  });
}

/** The statement that has made an actor. */
async function findSpawn({ graph, sendPosition }: LastWriteDeps, { worker, actor }: StateOwner): Promise<StepResult> {
  const creation = graph.actorNamed(worker, actor)?.creation;
  const position = creation === undefined ? undefined : await sendPosition(creation);
  if (position === undefined)
    return { reason: `who has made ${actor} is not known: it was there when the recording began` };
  return { position, note: `${actor} is made here`, lastWrite: { kind: 'sent', part: 'this' } };
}

async function callTraceAt({ trace: loadTrace }: LastWriteDeps, from: Position): Promise<CallTrace | undefined> {
  if (isTaskStart(from)) return undefined;
  const trace = await loadTrace(from.order);
  const at = trace.indexOf(from);
  if (at === -1) return undefined;
  const earlier = trace.earlierInCall(at);
  return { trace, earlier, first: earlier[0] ?? at };
}

/** @param callStart where the call has begun, or has gone on as far back as is known */
async function traceArgument(
  { graph, sendPosition, trace: loadTrace }: LastWriteDeps,
  part: string,
  callStart: Position,
): Promise<StepResult> {
  const { order } = callStart;
  const trace = await loadTrace(order);
  const first = Math.max(0, trace.indexOf(callStart));
  const caller = trace.callerOf(first);
  if (caller !== -1)
    return {
      position: trace.position(caller),
      note: `${part} was passed by this call`,
      lastWrite: { kind: 'passed', part },
    };
  const kind = graph.kind(order);
  const start = taskStart(order);
  const isWholeCall = isCallStart(trace.location(first));
  if (!isWholeCall)
    return {
      position: start,
      note: `${part} was so when its function went on here, behind an await or a yield`,
      lastWrite: { kind: 'resumed', part },
    };
  const send = await sendPosition(order);
  if (send === undefined)
    return { reason: `${part} has come from outside, or with what was under way when the recording began` };
  const isMessage = kind === 'call' || kind === 'construct';
  return {
    position: send,
    note: isMessage ? `${part} came with the message that is sent here` : `${part} came of what was settled here`,
    lastWrite: { kind: isMessage ? 'sent' : 'settled', part },
  };
}
