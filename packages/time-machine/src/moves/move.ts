// Types of moves, and the search for the targets of moves between tasks. A move describes itself, so clients need no
// list of moves: they ask the server for the descriptions and can offer a move that they do not know. A move between
// tasks is a pure function of the run index and the current position.
import { lowerBound } from '../binary-search.ts';
import { canHaveText, type IndexedEventKind } from '../task-log.ts';
import type { Position } from '../position.ts';
import { firstLineMatcher } from './pattern.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';

export const DIRECTIONS = ['forward', 'backward'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Kinds of parameters. The kind decides how arguments are parsed (move-arguments.ts) and completed. */
export const PARAMETER_KINDS = [
  'number',
  'worker',
  'actor',
  'target',
  'text',
  'source',
  'location',
  'expression',
] as const;
export type ParameterKind = (typeof PARAMETER_KINDS)[number];

export interface MoveParameter {
  readonly name: string;
  readonly kind: ParameterKind;
  /** Noun phrase that tells users what to enter. */
  readonly title: string;
  /** Description of the default, for users; undefined if the parameter is required. */
  readonly defaultDescription: string | undefined;
}

export interface MoveDescription {
  readonly id: string;
  /** Text after "goes to". If the move has directions, `{next}` means "the next" or "the previous". */
  readonly title: string;
  readonly group: string;
  /** Directions of the move; empty if it has none. */
  readonly directions: readonly Direction[];
  readonly parameters: readonly MoveParameter[];
}

/** The start of a move between tasks. */
export interface MoveStart {
  readonly task: number;
  /** Whether the first statement of the task has begun: then the start of the task is in the past. */
  readonly isInTask: boolean;
}

export type MoveArgument = string | number | MoveDestination;
/** Parsed arguments by the names of the parameters. */
export type MoveArguments = ReadonlyMap<string, MoveArgument>;

/** A task or a position in it, or the reason why there is none, without a full stop. */
export type TaskDestination = { readonly task: number; readonly position?: Position } | { readonly reason: string };
/** The target of a move. The last statement is only known after a replay. */
export type MoveDestination = TaskDestination | { readonly isLastStatement: true };

/** A move to the nearest of certain tasks. It never stays in the current task, so a move back undoes a move forward. */
interface NearestMove extends MoveDescription {
  /** The possible targets: an ascending list of tasks, or a test for a task. */
  candidates(graph: TaskGraph, from: MoveStart, args: MoveArguments): ArrayLike<number> | ((order: number) => boolean);
}

/** A move to the nearest event of certain kinds: to the event's statement if the server can step, else to its task. */
export interface EventMove extends MoveDescription {
  readonly eventKinds: readonly IndexedEventKind[];
}

/** A move whose only possible target follows from the current position or the arguments. */
interface DirectMove extends MoveDescription {
  readonly destination: (graph: TaskGraph, from: MoveStart, args: MoveArguments) => MoveDestination;
}

export type Move = NearestMove | EventMove | DirectMove;

/** Name of the parameter with which moves filter events by their texts, and tasks by their titles. */
export const TEXT_PARAMETER = 'text';

/** The filter for the first lines of texts; undefined if the arguments have none. */
export function textFilter(args: MoveArguments): ((text: string) => boolean) | undefined {
  const text = args.get(TEXT_PARAMETER);
  return text === undefined ? undefined : firstLineMatcher(text as string);
}

/** The tasks that have events matching a move and its arguments, ascending. */
export function tasksOfEventMove({ eventKinds }: EventMove, graph: TaskGraph, args: MoveArguments): Uint32Array {
  const matches = textFilter(args);
  return matches === undefined
    ? graph.tasksWithEvents(...eventKinds)
    : graph.tasksWithMatchingEvents(matches, ...eventKinds.filter(canHaveText));
}

/** Number of tasks that are tested between two yields. */
const TASKS_PER_YIELD = 1 << 14;

/** Finds the target of a move. Yields the number of tested tasks now and then, so that the caller can pause or stop. */
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

/** The reason for users. Details in the title, after a comma, are left out. */
export function notFound({ title }: Pick<MoveDescription, 'title'>, direction: Direction): { readonly reason: string } {
  const [what = title] = title.split(',', 1);
  return { reason: `there is no ${what.replace('{next}', direction === 'forward' ? 'later' : 'earlier')}` };
}
