// What stands at stretches, page by page, as clients are told of it.
import { firstFrom } from '../first-from.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';
import { MATCHING, meantBy } from '../moves/move.ts';
import { isSaid } from '../notes.ts';
import { beginOf, positionText } from '../position.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';
import { saidAt } from '../survey/survey.ts';
import { toldMark } from './told-stretch.ts';

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
