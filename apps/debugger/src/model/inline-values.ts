// Values beside the source: each variable that can be seen where one stands, at the last line up to there that names it.
import type { ResultOf } from '@turntable/time-machine/protocol';

type Entry = ResultOf<'variables'>['entries'][number];

export interface LineValues {
  readonly line: number;
  readonly text: string;
}

/** Lines before the place that are looked through. */
const BEFORE = 40;
const LONGEST = 60;

/** @param lines of the whole file. @param line where one stands, from 1 on */
export function lineValues(lines: readonly string[], line: number, entries: readonly Entry[]): LineValues[] {
  const found = new Map<number, string[]>();
  for (const { name, value } of entries) {
    if (value === undefined || !/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) continue;
    const word = new RegExp(`(?<![\\p{ID_Continue}$.])${name.replaceAll('$', '\\$')}(?![\\p{ID_Continue}$])`, 'u');
    for (let at = line; at >= Math.max(1, line - BEFORE); at--) {
      if (!word.test(lines[at - 1] ?? '')) continue;
      const text = `${name} = ${shortened(value.preview)}`;
      const those = found.get(at);
      if (those === undefined) found.set(at, [text]);
      else those.push(text);
      break;
    }
  }
  return [...found].map(([at, texts]) => ({ line: at, text: texts.join(', ') })).toSorted((a, b) => a.line - b.line);
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
