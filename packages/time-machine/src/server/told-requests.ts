// Requests and their answers, page by page, as clients are told of them.
import { like } from '../moves/pattern.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';
import { beginOf, positionText } from '../position.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';

type ToldRequest = ResultOf<'requests'>['requests'][number];

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
  return { requests: numbers.slice(from, from + count).map((each) => told(index, each)), total: numbers.length };
}

function told(index: SurveyIndex, number: number): ToldRequest {
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
