// Parser for the arguments of moves, which users and clients write as numbers or texts. For an invalid argument, it
// returns an error message that names the expected form.
import type { TaskGraph } from '../run-index/task-graph.ts';
import type { MoveArgument, MoveArguments, MoveDescription, ParameterKind } from './move.ts';
import { taskStart, parsePosition, formatPosition } from '../position.ts';

export type MoveArgumentInput = Readonly<Record<string, string | number>>;

/** Ends of the error messages "NAME must be …". */
const EXPECTED_INPUT: Readonly<Record<ParameterKind, string>> = {
  number: 'a number from 1 on',
  worker: 'the number of a worker; 0 is the main thread',
  position: 'a position of the recording, such as 2.137, 2.137:45.2, 137 or 137:45.2',
  percentage: 'a number from 0 to 100',
  time: 'a time such as 2026-11-23T12:00:00Z, or seconds since the start, such as +1.5',
  pattern: 'a name; * matches anything',
  source: 'the source of a host callback, such as timer',
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
      const range = kind === 'position' ? `; the recording has ${positionRange(graph)}` : '';
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
  if (kind === 'percentage') {
    const number = /^\d{1,3}(\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : NaN;
    return number <= 100 ? number : undefined;
  }
  if (kind === 'position') return parsePosition(text, graph.phases, graph.count);
  if (kind === 'time') return parseTime(text, graph);
  return text === '' ? undefined : text;
}

/** Parses a date, milliseconds since 1970, or `+SECONDS` from the first task on. Returns milliseconds since 1970. */
function parseTime(text: string, { runIndex }: TaskGraph): number | undefined {
  const seconds = /^\+(\d+(?:\.\d+)?)s?$/.exec(text)?.[1];
  if (seconds !== undefined) return runIndex.count === 0 ? 0 : runIndex.task(1).time + Number(seconds) * 1000;
  const time = /^\d{10,}(\.\d+)?$/.test(text) ? Number(text) : /^\d{4}-/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
