// Stretches, statements, marks and requests, as clients are told of them.
import { firstFrom } from '../first-from.ts';
import { MATCHING, meantBy } from '../moves/move.ts';
import { like } from '../moves/pattern.ts';
import { isSaid } from '../notes.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';
import { beginOf, positionText } from '../position.ts';
import type { ParamsOf, ResultOf, ToldStatement, ToldStretch } from '../protocol.ts';
import { stretchTitle } from '../survey/stretch-title.ts';
import { saidAt, type Mark } from '../survey/survey.ts';
import type { StatementPlace } from '../replay-process/protocol.ts';

type ToldRequest = ResultOf<'requests'>['requests'][number];

/** Of a stretch that prints a thousand lines it is not told what they say. */
const MOST_SAID = 20;
/** Units of what is told of a mark. */
const LONGEST = 2000;

export function toldStretch(index: SurveyIndex, order: number): ToldStretch {
  const marks = index.survey.marksAt(order).filter(isShown);
  const stretch = index.survey.stretch(order);
  const { worker, life, number, kind, actor, method, place, turn, event, time, lists, sent, sender } = stretch;
  const isEntry = kind === 'entry';
  return {
    position: positionText(beginOf(order), index.phases),
    order,
    worker,
    life,
    number,
    kind,
    title: stretchTitle(stretch),
    actor,
    method: isEntry ? undefined : method,
    source: isEntry ? method : undefined,
    place,
    turn,
    event,
    time,
    lists,
    sent,
    sender,
    marks: marks.map((mark, i) => toldMark(i < MOST_SAID ? mark : { ...mark, text: undefined })),
  };
}

export function toldStatement(place: StatementPlace): ToldStatement {
  const { file, line, column, endLine, endColumn, function: name, kind } = place;
  return { file, line, column, endLine, endColumn, function: name, kind };
}

export function toldMark({ kind, value, request, text }: Mark): ToldStretch['marks'][number] {
  return { kind, value: typeof value === 'string' ? value.slice(0, LONGEST) : value, request, text };
}

/** Of devices there may be many at each stretch: they are asked for, and moved to. */
export function isShown({ kind }: Pick<Mark, 'kind'>): boolean {
  return kind !== 'device';
}

/** Marks, page by page. */
export function toldMarks(
  index: SurveyIndex,
  { kinds, matching, first = 1, last = Infinity, from, count, direction = 'forward' }: ParamsOf<'marks'>,
): ResultOf<'marks'> {
  const isLike = matching === undefined ? undefined : meantBy(new Map([[MATCHING, matching]]));
  const places = isLike === undefined ? index.marked(...kinds) : index.markedWith(isLike, ...kinds.filter(isSaid));
  const isForward = direction === 'forward';
  const begin = isForward ? firstFrom(places, Math.max(from, first)) : firstFrom(places, Math.min(from, last) + 1) - 1;
  const found: ResultOf<'marks'>['marks'][number][] = [];
  for (let at = begin; at >= 0 && at < places.length; at += isForward ? 1 : -1) {
    const order = places[at] as number;
    if (order < first || order > last) break;
    const those = index.survey
      .marksAt(order)
      .filter((mark) => kinds.includes(mark.kind) && (isLike === undefined || isLike(saidAt(mark) ?? '')));
    // Whole stretches, so that who asks on goes on with the next one; one that has too many is cut off.
    if (found.length > 0 && found.length + those.length > count) return { marks: found, next: order };
    const position = positionText(beginOf(order), index.phases);
    const { time } = index.survey.stretch(order);
    for (const mark of (isForward ? those : those.toReversed()).slice(0, count))
      found.push({ position, order, time, ...toldMark(mark) });
  }
  return { marks: found, next: undefined };
}

/** Requests and their answers, page by page. */
export function toldRequests(
  index: SurveyIndex,
  { matching, status, state, sort, first = 1, last = index.count, from = 0, count }: ParamsOf<'requests'>,
): ResultOf<'requests'> {
  const { requests } = index.survey;
  const numbers = requests.numbers({
    isMeant: matching === undefined ? undefined : like(matching),
    status,
    state,
    between: [first, last],
    isSlowestFirst: sort === 'slowest',
  });
  return { requests: numbers.slice(from, from + count).map((each) => toldRequest(index, each)), total: numbers.length };
}

function toldRequest(index: SurveyIndex, number: number): ToldRequest {
  const { method, url, status, came, answered, duration } = index.survey.requests.request(number);
  const { worker, actor } = index.survey.stretch(came ?? answered ?? 1);
  return {
    number,
    method,
    url,
    status,
    worker,
    actor,
    came: came === undefined ? undefined : placeOf(index, came),
    answered: answered === undefined ? undefined : placeOf(index, answered),
    duration,
  };
}

function placeOf(index: SurveyIndex, order: number): NonNullable<ToldRequest['came']> {
  const position = positionText(beginOf(order), index.phases);
  return { position, order, time: index.survey.stretch(order).time };
}
