// Values beside source lines: each variable at the nearest line that has its name, at or before the current line.
import type { ResultOf } from '@turntable/time-machine/protocol';

type Variable = ResultOf<'variables'>['entries'][number];

export interface LineValues {
  readonly line: number;
  readonly text: string;
}

/** Maximum number of lines searched before the current one. */
const MAX_LINES_BEFORE = 40;
const MAX_VALUE_LENGTH = 60;

/** Returns the text for each line. @param lines of the whole file @param line the current line, from 1 on */
export function lineValues(lines: readonly string[], line: number, entries: readonly Variable[]): LineValues[] {
  const found = new Map<number, string[]>();
  for (const { name, value } of entries) {
    if (value === undefined || !/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) continue;
    const word = new RegExp(`(?<![\\p{ID_Continue}$.])${name.replaceAll('$', '\\$')}(?![\\p{ID_Continue}$])`, 'u');
    for (let lineNumber = line; lineNumber >= Math.max(1, line - MAX_LINES_BEFORE); lineNumber--) {
      if (!word.test(lines[lineNumber - 1] ?? '')) continue;
      const text = `${name} = ${shorten(value.preview)}`;
      const valueTexts = found.get(lineNumber);
      if (valueTexts === undefined) found.set(lineNumber, [text]);
      else valueTexts.push(text);
      break;
    }
  }
  return [...found]
    .map(([lineNumber, valueTexts]) => ({ line: lineNumber, text: valueTexts.join(', ') }))
    .toSorted((a, b) => a.line - b.line);
}

function shorten(text: string): string {
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}
