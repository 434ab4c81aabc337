// What a move is: a way from one place of a recording to another, that describes itself. Whoever shows moves (a terminal, a window) has no list of them: it asks for their descriptions,
// and shows a new one without knowing it. Here is what a recording's run index is enough for: moves from task to task. They are functions of run index and place, and change nothing.
import { lowerBound } from '../binary-search.ts';
import { canHaveText, type IndexedEventKind } from '../task-log.ts';
import type { Position } from '../position.ts';
import { patternMatcher } from './pattern.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';

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

export interface MoveParameter {
  readonly name: string;
  readonly kind: ParameterKind;
  /** What it is, as a piece of a sentence. */
  readonly title: string;
  /** Of one that need not be given: what it is then. */
  readonly defaultDescription: string | undefined;
}

export interface MoveDescription {
  readonly id: string;
  /** Behind "goes to": with "the next" in the place of `{next}` if it has directions. */
  readonly title: string;
  readonly group: string;
  /** None, if it leads to one place. */
  readonly directions: readonly Direction[];
  readonly parameters: readonly MoveParameter[];
}

/** Where a move begins. */
export interface MoveStart {
  readonly task: number;
  /** Whether the first statement of the task has begun: then its beginning is behind. */
  readonly isInTask: boolean;
}

export type MoveArgument = string | number | Position;
/** Read, by the names of its parameters. */
export type MoveArguments = ReadonlyMap<string, MoveArgument>;

/** A place and perhaps a statement of it; or why there is none, as a sentence without its full stop. */
export type MoveDestination = { readonly task: number; readonly position?: Position } | { readonly reason: string };

/** To the nearest of some places, in a direction: strictly, so that a move back undoes one forward. */
interface NearestMove extends MoveDescription {
  /** Ascending. A function, if each place is to be asked. */
  readonly candidates: (
    graph: TaskGraph,
    from: MoveStart,
    args: MoveArguments,
  ) => ArrayLike<number> | ((order: number) => boolean);
}

/** To the nearest of the tasks in which something of some kinds happens; where statements are known, to the statement in whose course it does. */
export interface EventMove extends MoveDescription {
  readonly eventKinds: readonly IndexedEventKind[];
}

/** To one place that follows from where it begins, or from its arguments. */
interface DirectMove extends MoveDescription {
  readonly destination: (graph: TaskGraph, from: MoveStart, args: MoveArguments) => MoveDestination;
}

export type Move = NearestMove | EventMove | DirectMove;

/** What a move of the kind takes: only what is like this. */
export const MATCHING_PARAMETER = 'matching';

/** Of what happens only what is like this, by the first line of what it tells. */
export function eventTextFilter(args: MoveArguments): ((text: string) => boolean) | undefined {
  const matching = args.get(MATCHING_PARAMETER);
  if (matching === undefined) return undefined;
  const isMatch = patternMatcher(String(matching));
  return (text) => isMatch(text.split('\n', 1)[0] ?? '');
}

/** The tasks in which it does, ascending. */
export function tasksOfEventMove({ eventKinds }: EventMove, graph: TaskGraph, args: MoveArguments): Uint32Array {
  const matches = eventTextFilter(args);
  return matches === undefined
    ? graph.tasksWithEvents(...eventKinds)
    : graph.tasksWithMatchingEvents(matches, ...eventKinds.filter(canHaveText));
}

/** Places that are asked without a pause. */
const TASKS_PER_YIELD = 1 << 14;

/** Where it leads. In between it answers how many places it has asked, so that whoever asks for it can do something else, or give up. */
export function* findDestination(
  move: Move,
  { graph, from, direction, args }: { graph: TaskGraph; from: MoveStart; direction: Direction; args: MoveArguments },
): Generator<number, MoveDestination, undefined> {
  if ('destination' in move) return move.destination(graph, from, args);
  const candidates = 'eventKinds' in move ? tasksOfEventMove(move, graph, args) : move.candidates(graph, from, args);
  const isForward = direction === 'forward';
  const noDestination = notFound(move, direction);
  const begin = isForward ? from.task + 1 : from.task - (from.isInTask ? 0 : 1);
  if (typeof candidates !== 'function') {
    const candidateIndex = lowerBound(candidates, begin + (isForward ? 0 : 1)) - (isForward ? 0 : 1);
    const order = candidates[candidateIndex];
    return order === undefined ? noDestination : { task: order };
  }
  const step = isForward ? 1 : -1;
  for (let order = begin, checked = 1; order >= 1 && order <= graph.count; order += step, checked++) {
    if (candidates(order)) return { task: order };
    if (checked % TASKS_PER_YIELD === 0) yield checked;
  }
  return noDestination;
}

export function notFound({ title }: Pick<MoveDescription, 'title'>, direction: Direction): { readonly reason: string } {
  return { reason: `there is no ${title.replace('{next}', direction === 'forward' ? 'later' : 'earlier')}` };
}
