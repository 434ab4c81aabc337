// Where a value comes from, one step back: the statement that has written it; the call that has passed it, which is where the same question goes on with what is passed there; the statement that has
// sent the message which it has come with.
import type { Wrote } from '../replay-process/wrote.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';
import { beginOf, isBeginning, type Position } from '../position.ts';
import { isBeginOfCall, type Traced } from './traced.ts';
import type { Led } from './ways.ts';
import type { StateOf, WriteQuery } from '../replay-process/protocol.ts';

export interface WriteParts {
  readonly index: SurveyIndex;
  traced(order: number): Promise<Traced>;
  sentAt(order: number): Promise<Position | undefined>;
  /** @param earlier statements of the same call */
  wrote(earlier: readonly (readonly [list: number, statement: number])[]): Promise<Wrote>;
}

/** What is a part of `this` is nothing that statements of the call have as a variable, of which a long loop has many. */
const OF_THIS = /^\s*this\s*(?:\.|\?\.|\[)/;

/** Of one call: where it began, as far as the stretch has it. */
interface Call {
  readonly traced: Traced;
  readonly earlier: readonly number[];
  readonly first: number;
}

export async function lastWrite(
  parts: WriteParts,
  from: Position,
  { text, of }: Pick<WriteQuery, 'text' | 'of'>,
): Promise<Led> {
  if (of !== undefined && text === 'this') return spawned(parts, of);
  if (of === undefined && from.order > parts.index.count)
    return { why: 'nothing runs at the end: ask where something does' };
  const call = of === undefined ? await callAt(parts, from) : undefined;
  const earlier = OF_THIS.test(text) ? [] : earlierIn(call);
  const wrote = await parts.wrote(earlier);
  const { is, part, isWhole, position } = wrote;
  if (is === 'written' && position !== undefined) {
    const how = isWhole ? 'is written here, or something else of the same' : 'is written here';
    const instead = part === text ? '' : `nobody has written ${text} by itself; `;
    return { position, note: `${instead}${part} ${how}`, origin: { way: 'written', part } };
  }
  if (is === 'captured')
    return { why: `${part} belongs to a function around this one, and keeps the value it had first` };
  if (is === 'passed' && call !== undefined) return passedBy(parts, part, position ?? call.traced.position(call.first));
  return {
    why: `nobody has written ${part}, as far as the recording goes: it was so from the beginning, or since it was made`,
  };
}

function earlierIn(call: Call | undefined): (readonly [list: number, statement: number])[] {
  if (call === undefined) return [];
  return call.earlier.map((each) => {
    const { list, statement } = call.traced.position(each);
    return [list, statement];
  });
}

/** The statement that has made an actor. */
async function spawned({ index, sentAt }: WriteParts, { worker, actor }: StateOf): Promise<Led> {
  const birth = index.performerCalled(worker, actor)?.birth;
  const position = birth === undefined ? undefined : await sentAt(birth);
  if (position === undefined)
    return { why: `who has made ${actor} is not known: it was there when the recording began` };
  return { position, note: `${actor} is made here`, origin: { way: 'sent', part: 'this' } };
}

async function callAt({ traced: tracedOf }: WriteParts, from: Position): Promise<Call | undefined> {
  if (isBeginning(from)) return undefined;
  const traced = await tracedOf(from.order);
  const at = traced.indexOf(from);
  if (at === -1) return undefined;
  const earlier = traced.earlierInCall(at);
  return { traced, earlier, first: earlier[0] ?? at };
}

/** @param begun where the call has begun, or has gone on as far back as is known */
async function passedBy({ index, sentAt, traced: tracedOf }: WriteParts, part: string, begun: Position): Promise<Led> {
  const { order } = begun;
  const traced = await tracedOf(order);
  const first = Math.max(0, traced.indexOf(begun));
  const caller = traced.callerOf(first);
  if (caller !== -1)
    return {
      position: traced.position(caller),
      note: `${part} was passed by this call`,
      origin: { way: 'passed', part },
    };
  const kind = index.kind(order);
  const beginning = beginOf(order);
  const isFromBeginning = isBeginOfCall(traced.place(first));
  if (!isFromBeginning)
    return {
      position: beginning,
      note: `${part} was so when its function went on here, behind an await or a yield`,
      origin: { way: 'resumed', part },
    };
  const sent = await sentAt(order);
  if (sent === undefined)
    return { why: `${part} has come from outside, or with what was under way when the recording began` };
  const isMessage = kind === 'call' || kind === 'construct';
  return {
    position: sent,
    note: isMessage ? `${part} came with the message that is sent here` : `${part} came of what was settled here`,
    origin: { way: isMessage ? 'sent' : 'settled', part },
  };
}
