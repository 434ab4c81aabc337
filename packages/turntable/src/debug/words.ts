// Splits a line of the terminal into words; quotes keep spaces.
import { OBJECT_IDS_PER_WORKER } from '@turntable/time-machine/replay-process';

export interface Word {
  readonly text: string;
  /** Offset of the word in the line. */
  readonly offset: number;
}

/** Splits a line into words. The quote of the last word may still be open. */
export function splitWords(line: string): Word[] {
  return [...line.matchAll(/"([^"]*)"?|[^\s"]+/g)].map(({ 0: whole, 1: quoted, index }) => ({
    text: quoted ?? whole,
    offset: index,
  }));
}

/** Quotes a word for `splitWords`, if it has spaces. */
export function quoteWord(text: string): string {
  return /\s/.test(text) ? `"${text}"` : text;
}

/** The name that a word abbreviates: an exact match, or the only name with this prefix. Otherwise all candidates. */
export function resolveAbbreviation(start: string, all: readonly string[]): string | readonly string[] {
  if (all.includes(start)) return start;
  const matches = all.filter((each) => each.startsWith(start));
  return matches.length === 1 ? (matches[0] as string) : matches;
}

/** Error for an invalid line. Its message is printed, and the next line is read. */
export class ReplInputError extends Error {}

export function parseNumber(word: string): number {
  if (!/^#?\d{1,15}$/.test(word) || Number(word.replace('#', '')) === 0)
    throw new ReplInputError(`"${word}" must be a number from 1 on`);
  return Number(word.replace('#', ''));
}

/** Label of an object: `#NUMBER` on the main thread, `#WORKER:NUMBER` on other workers. */
export function objectLabel(id: number): string {
  const worker = Math.floor(id / OBJECT_IDS_PER_WORKER);
  return worker === 0 ? `#${id}` : `#${worker}:${id - worker * OBJECT_IDS_PER_WORKER}`;
}

export function parseObjectId(word: string): number {
  const match = /^#?(?:(\d{1,5}):)?(\d{1,10})$/.exec(word);
  if (match === null || Number(match[2]) === 0)
    throw new ReplInputError(`"${word}" must be the number of a shown object, such as #7 or #2:7`);
  return Number(match[1] ?? 0) * OBJECT_IDS_PER_WORKER + Number(match[2]);
}
