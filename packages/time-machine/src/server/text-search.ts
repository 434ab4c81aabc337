// Where a text stands in a recording, as far as its survey has texts. Of a million stretches most are of the same few kinds, so what a turn is in words is made once for each actor and method.
import type { SurveyIndex } from '../survey/survey-index.ts';
import { SEARCHED, STRETCH_KINDS } from '../notes.ts';
import { beginOf, positionText } from '../position.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';
import { stretchTitle } from '../survey/stretch-title.ts';
import { saidAt } from '../survey/survey.ts';

type Found = ResultOf<'search'>['found'][number];

/** Stretches that are looked at without a pause. */
const PIECE = 1 << 14;
const LONGEST = 5000;
const ENTRY = STRETCH_KINDS.indexOf('entry');

/** @param pause others get their turn; it throws if the answer is not wanted any more */
export async function textSearch(
  index: SurveyIndex,
  { text, kinds = SEARCHED, first = 1, last = Infinity, from, count, direction = 'forward' }: ParamsOf<'search'>,
  pause: (done: number, total: number) => Promise<void>,
): Promise<ResultOf<'search'>> {
  const sought = text.toLowerCase();
  const isThere = (said: string): boolean => said.toLowerCase().includes(sought);
  const marks = kinds.filter((kind): kind is Exclude<(typeof SEARCHED)[number], 'stretch'> => kind !== 'stretch');
  const marked = new Set<number>(marks.length === 0 ? [] : index.markedWith(isThere, ...marks));
  const titled = kinds.includes('stretch') ? titledIn(index, isThere) : () => false;
  const step = direction === 'forward' ? 1 : -1;
  const found: Found[] = [];
  const end = Math.min(last, index.count);
  let order = step > 0 ? Math.max(from, first) : Math.min(from, end);
  for (let asked = 1; order >= first && order <= end; order += step, asked++) {
    if (asked % PIECE === 0) await pause(asked, end - first + 1);
    const isTitled = titled(order);
    if (!isTitled && !marked.has(order)) continue;
    const those = isTitled ? [foundIn(index, order)] : [];
    if (marked.has(order))
      for (const mark of index.survey.marksAt(order)) {
        const kind = marks.find((each) => each === mark.kind);
        const said = saidAt(mark);
        if (kind !== undefined && said !== undefined && isThere(said))
          those.push({ ...foundIn(index, order), kind, text: said.slice(0, LONGEST) });
      }
    // Whole stretches, so that who asks on goes on with the next one; one that has too many is cut off.
    if (found.length > 0 && found.length + those.length > count) return { found, next: order };
    found.push(...(step > 0 ? those : those.toReversed()).slice(0, count));
  }
  return { found, next: undefined };
}

function foundIn(index: SurveyIndex, order: number): Found {
  const stretch = index.survey.stretch(order);
  const position = positionText(beginOf(order), index.phases);
  return { position, order, time: stretch.time, kind: 'stretch', text: stretchTitle(stretch).slice(0, LONGEST) };
}

/** Whether a stretch has it in what it is, in words. */
function titledIn({ survey }: SurveyIndex, isThere: (said: string) => boolean): (order: number) => boolean {
  const { columns, order: rows, texts } = survey.parts;
  const known = new Map<number, boolean>();
  return (order) => {
    const row = rows[order - 1] as number;
    const kind = columns.kinds.at(row);
    // Of those each has a number of its own.
    if (kind === ENTRY) return isThere(stretchTitle(survey.stretch(order)));
    const key = (columns.actors.at(row) * texts.length + columns.methods.at(row)) * STRETCH_KINDS.length + kind;
    let isIn = known.get(key);
    if (isIn === undefined) known.set(key, (isIn = isThere(stretchTitle(survey.stretch(order)))));
    return isIn;
  };
}
