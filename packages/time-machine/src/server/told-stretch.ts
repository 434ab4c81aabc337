// A stretch, and a statement of it, as clients are told of them.
import type { SurveyIndex } from '../survey/survey-index.ts';
import { beginOf, positionText } from '../position.ts';
import type { ToldStatement, ToldStretch } from '../protocol.ts';
import { stretchTitle } from '../survey/stretch-title.ts';
import type { Mark } from '../survey/survey.ts';
import type { StatementPlace } from '../replay-process/protocol.ts';

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
