// Texts of a recording in the places of files, as the loader asks for them.
import { MADE_BY_TOOL, type RecordedTexts } from '../code/code.ts';
import { hashOfCode } from './compare.ts';
import type { Elsewhere, RecordedText } from './elsewhere.ts';

export function recordedTexts(texts: NonNullable<Elsewhere['texts']>): RecordedTexts {
  const all = (filename: string, isMade: boolean): RecordedText[] | undefined =>
    texts.get(filename)?.filter(({ settings }) => (settings === MADE_BY_TOOL) === isMade);
  const one = (those: readonly RecordedText[] | undefined, hash: string | undefined): string | undefined =>
    (those?.find((each) => each.hash === hash) ?? those?.at(-1))?.text;
  return {
    textOf: (filename, hash) => one(all(filename, false), hash),
    settingsOf: (filename) => all(filename, false)?.at(-1)?.settings,
    has: (filename) => texts.has(filename),
    hasHash: (filename, hash) => all(filename, false)?.some((each) => each.hash === hash) === true,
    madeOf: (filename, hash) => one(all(filename, true), hash),
  };
}

/** A text that a file had, and what besides it decided how it was compiled. */
export function recordedText(text: string, settings: string): RecordedText {
  return { text, settings, hash: hashOfCode(settings, text) };
}
