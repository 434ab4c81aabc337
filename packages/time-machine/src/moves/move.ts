// What a move is: a way from one place of a recording to another, that describes itself. Whoever shows moves (a terminal, a window) has no list of them: it asks for their descriptions,
// and shows a new one without knowing it. Here is what a recording's survey is enough for: moves from stretch to stretch. They are functions of survey and place, and change nothing.
import { firstFrom } from '../first-from.ts';
import { isSaid, type MarkKind } from '../notes.ts';
import type { Position } from '../position.ts';
import { like } from './pattern.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';

export const DIRECTIONS = ['forward', 'backward'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** What an argument says, and so how it is written (arguments-of-moves.ts) and what may be proposed for it. */
export const PARAMETER_KINDS = [
  'number',
  'worker',
  'position',
  'percentage',
  'time',
  'pattern',
  'source',
  'expression',
] as const;
export type ParameterKind = (typeof PARAMETER_KINDS)[number];

export interface Parameter {
  readonly name: string;
  readonly kind: ParameterKind;
  /** What it is, as a piece of a sentence. */
  readonly title: string;
  /** Of one that need not be given: what it is then. */
  readonly otherwise: string | undefined;
}

export interface MoveDescription {
  readonly id: string;
  /** Behind "goes to": with "the next" in the place of `{next}` if it has directions. */
  readonly title: string;
  readonly group: string;
  /** None, if it leads to one place. */
  readonly directions: readonly Direction[];
  readonly parameters: readonly Parameter[];
}

/** Where a move begins. */
export interface Standing {
  readonly place: number;
  /** Whether the first statement of the stretch has begun: then its beginning is behind. */
  readonly isWithin: boolean;
}

export type Argument = string | number | Position;
/** Read, by the names of its parameters. */
export type Arguments = ReadonlyMap<string, Argument>;

/** A place and perhaps a statement of it; or why there is none, as a sentence without its full stop. */
export type Landing = { readonly place: number; readonly position?: Position } | { readonly why: string };

/** To the nearest of some places, in a direction: strictly, so that a move back undoes one forward. */
interface Nearest extends MoveDescription {
  /** Ascending. A function, if each place is to be asked. */
  readonly among: (
    index: SurveyIndex,
    from: Standing,
    its: Arguments,
  ) => ArrayLike<number> | ((place: number) => boolean);
}

/** To the nearest of the stretches in which something of some kinds happens; where statements are known, to the statement in whose course it does. */
export interface Happening extends MoveDescription {
  readonly marks: readonly MarkKind[];
}

/** To one place that follows from where it begins, or from its arguments. */
interface Leading extends MoveDescription {
  readonly leads: (index: SurveyIndex, from: Standing, its: Arguments) => Landing;
}

export type Move = Nearest | Happening | Leading;

/** What a move of the kind takes: only what is like this. */
export const MATCHING = 'matching';

/** Of what happens only what is like this, by the first line of what it tells. */
export function meantBy(its: Arguments): ((text: string) => boolean) | undefined {
  const matching = its.get(MATCHING);
  if (matching === undefined) return undefined;
  const isLike = like(String(matching));
  return (text) => isLike(text.split('\n', 1)[0] ?? '');
}

/** The stretches in which it does, ascending. */
export function placesOf({ marks }: Happening, index: SurveyIndex, its: Arguments): Uint32Array {
  const isMeant = meantBy(its);
  return isMeant === undefined ? index.marked(...marks) : index.markedWith(isMeant, ...marks.filter(isSaid));
}

/** Places that are asked without a pause. */
const PIECE = 1 << 14;

/** Where it leads. In between it answers how many places it has asked, so that whoever asks for it can do something else, or give up. */
export function* landingOf(
  move: Move,
  { index, from, direction, its }: { index: SurveyIndex; from: Standing; direction: Direction; its: Arguments },
): Generator<number, Landing, undefined> {
  if ('leads' in move) return move.leads(index, from, its);
  const among = 'marks' in move ? placesOf(move, index, its) : move.among(index, from, its);
  const isForward = direction === 'forward';
  const nothing = nothingOf(move, direction);
  const begin = isForward ? from.place + 1 : from.place - (from.isWithin ? 0 : 1);
  if (typeof among !== 'function') {
    const at = firstFrom(among, begin + (isForward ? 0 : 1)) - (isForward ? 0 : 1);
    const place = among[at];
    return place === undefined ? nothing : { place };
  }
  const step = isForward ? 1 : -1;
  for (let place = begin, asked = 1; place >= 1 && place <= index.count; place += step, asked++) {
    if (among(place)) return { place };
    if (asked % PIECE === 0) yield asked;
  }
  return nothing;
}

export function nothingOf({ title }: Pick<MoveDescription, 'title'>, direction: Direction): { readonly why: string } {
  return { why: `there is no ${title.replace('{next}', direction === 'forward' ? 'later' : 'earlier')}` };
}
