// Parser for the arguments of moves, which users and clients write as numbers or texts. For an invalid argument, it
// returns an error message that names the expected form.
import type { TaskGraph } from '../run-index/task-graph.ts';
import type { MoveArgument, MoveArguments, MoveDescription, MoveDestination, ParameterKind } from './move.ts';
import { taskStart, parsePosition, formatPosition } from '../position.ts';

export type MoveArgumentInput = Readonly<Record<string, string | number>>;

/** Ends of the error messages "NAME must be …". */
const EXPECTED_INPUT: Readonly<Record<ParameterKind, string>> = {
  number: 'a number from 1 on',
  worker: 'the number of a worker; 0 is the main thread',
  actor: 'the name of an actor; * matches anything',
  target: 'a position such as 2.137, a percentage (50%), a time (+1.5s), start, last, end or WORKER:TURN',
  text: 'a text; * matches anything',
  source: 'the source of a host callback, such as timer',
  location: 'LINE, FILE:LINE[:COLUMN], FUNCTION or Class.method',
  expression: 'an expression',
};

/** Parses the arguments of a move; returns the problem, for users, if one is invalid. */
export function parseMoveArguments(
  { id, parameters }: Pick<MoveDescription, 'id' | 'parameters'>,
  input: MoveArgumentInput,
  graph: TaskGraph,
): MoveArguments | string {
  const unknown = Object.keys(input).find((name) => !parameters.some((parameter) => parameter.name === name));
  if (unknown !== undefined) {
    const names = parameters.map(({ name }) => name).join(', ');
    return `the move ${id} has no parameter "${unknown}"; it has ${names === '' ? 'none' : names}`;
  }
  const parsed = new Map<string, MoveArgument>();
  for (const { name, kind, title, defaultDescription } of parameters) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined) {
      if (defaultDescription === undefined) return `the move ${id} needs the argument ${name}: ${title}`;
      continue;
    }
    const argument = parseArgument(kind, value, graph);
    if (argument === undefined) {
      const range = kind === 'target' ? `; the recording has ${positionRange(graph)}` : '';
      return `${name} must be ${EXPECTED_INPUT[kind]}, not ${JSON.stringify(value)}${range}`;
    }
    parsed.set(name, argument);
  }
  return parsed;
}

function positionRange({ count, phases }: TaskGraph): string {
  const formatOrder = (order: number): string => formatPosition(taskStart(order), phases);
  return `${formatOrder(1)} to ${formatOrder(count + 1)} (the end)`;
}

function parseArgument(kind: ParameterKind, input: string | number, graph: TaskGraph): MoveArgument | undefined {
  const text = String(input).trim();
  if (kind === 'number') return /^\d{1,10}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
  if (kind === 'worker') return /^\d{1,5}$/.test(text) ? Number(text) : undefined;
  if (kind === 'target') return parseTarget(text, graph);
  return text === '' ? undefined : text;
}

/** Parses the target of `goto`; undefined if the text is not one. A target may be missing from the recording. */
function parseTarget(text: string, graph: TaskGraph): MoveDestination | undefined {
  if (text === 'last') return { isLastStatement: true };
  const position = parsePosition(text, graph.phases, graph.count);
  if (position !== undefined) return { task: position.order, position };
  return parsePercentage(text, graph) ?? parseTurn(text, graph) ?? parseTime(text, graph);
}

function parsePercentage(text: string, { runIndex }: TaskGraph): MoveDestination | undefined {
  if (!/^\d{1,3}(\.\d+)?%$/.test(text) || Number.parseFloat(text) > 100) return undefined;
  return { task: Math.max(1, runIndex.taskAtFraction(Number.parseFloat(text) / 100)) };
}

/** Parses `WORKER:TURN`, a turn by its number on its worker. */
function parseTurn(text: string, { runIndex }: TaskGraph): MoveDestination | undefined {
  const [, worker, turn] = /^(\d{1,5}):(\d{1,10})$/.exec(text) ?? [];
  if (worker === undefined || turn === undefined) return undefined;
  const order = runIndex.taskOfTurn(Number(worker), Number(turn));
  return order === undefined ? { reason: `worker ${worker} has no turn ${turn}` } : { task: order };
}

/** Parses a date, milliseconds since 1970, or `+SECONDS` from the first task on: the last task that began by then. */
function parseTime(text: string, { runIndex }: TaskGraph): MoveDestination | undefined {
  const seconds = /^\+(\d+(?:\.\d+)?)s?$/.exec(text)?.[1];
  const startTime = runIndex.count === 0 ? 0 : runIndex.task(1).time;
  const time =
    seconds !== undefined
      ? startTime + Number(seconds) * 1000
      : /^\d{12,}(\.\d+)?$/.test(text)
        ? Number(text)
        : /^\d{4}-/.test(text)
          ? Date.parse(text)
          : NaN;
  if (Number.isNaN(time)) return undefined;
  const order = runIndex.taskAtTime(time);
  return order === 0 ? { reason: 'the recording begins after that time' } : { task: order };
}
