// Arguments of moves, as people and clients write them: a number or a text each. What is none of its kind is refused with a sentence that says what would be.
import type { SurveyIndex } from '../survey/survey-index.ts';
import type { Argument, Arguments, MoveDescription, ParameterKind } from './move.ts';
import { beginOf, positionOf, positionText } from '../position.ts';

export type GivenArguments = Readonly<Record<string, string | number>>;

/** What it takes, for who wrote something else. */
const TAKES: Readonly<Record<ParameterKind, string>> = {
  number: 'a number from 1 on',
  worker: 'the number of a worker, 0 for the main thread',
  position: 'a position that the recording has, such as 2.137, 2.137:45.2, 137 or 137:45.2',
  percentage: 'a number from 0 to 100',
  time: 'a time such as 2026-11-23T12:00:00Z, or seconds since the beginning, such as +1.5',
  pattern: 'a name, with * for anything in it',
  source: 'who calls, as a survey names it',
  expression: 'an expression',
};

/** Or what is wrong with them, as a sentence. */
export function argumentsFor(
  { id, parameters }: Pick<MoveDescription, 'id' | 'parameters'>,
  given: GivenArguments,
  index: SurveyIndex,
): Arguments | string {
  const unknown = Object.keys(given).find((name) => !parameters.some((parameter) => parameter.name === name));
  if (unknown !== undefined) {
    const names = parameters.map(({ name }) => name).join(', ');
    return `the move ${id} has no "${unknown}"; ${names === '' ? 'it takes nothing' : `it takes ${names}`}`;
  }
  const read = new Map<string, Argument>();
  for (const { name, kind, title, otherwise } of parameters) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined) {
      if (otherwise === undefined) return `the move ${id} needs its ${name}: ${title}`;
      continue;
    }
    const argument = argumentOf(kind, value, index);
    if (argument === undefined) {
      const extent = kind === 'position' ? `; it has ${extentOf(index)}` : '';
      return `${name} takes ${TAKES[kind]}, not ${JSON.stringify(value)}${extent}`;
    }
    read.set(name, argument);
  }
  return read;
}

/** From where to where. */
function extentOf({ count, phases }: SurveyIndex): string {
  const named = (order: number): string => positionText(beginOf(order), phases);
  return `${named(1)} to ${named(count + 1)}, which is its end`;
}

function argumentOf(kind: ParameterKind, given: string | number, index: SurveyIndex): Argument | undefined {
  const text = String(given).trim();
  if (kind === 'number') return /^\d{1,10}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
  if (kind === 'worker') return /^\d{1,5}$/.test(text) ? Number(text) : undefined;
  if (kind === 'percentage') {
    const number = /^\d{1,3}(\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : NaN;
    return number <= 100 ? number : undefined;
  }
  if (kind === 'position') return positionOf(text, index.phases, index.count);
  if (kind === 'time') return timeOf(text, index);
  return text === '' ? undefined : text;
}

/** Milliseconds since 1970. */
function timeOf(text: string, { survey }: SurveyIndex): number | undefined {
  const since = /^\+(\d+(?:\.\d+)?)s?$/.exec(text)?.[1];
  if (since !== undefined) return survey.count === 0 ? 0 : survey.stretch(1).time + Number(since) * 1000;
  const time = /^\d{10,}(\.\d+)?$/.test(text) ? Number(text) : /^\d{4}-/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
