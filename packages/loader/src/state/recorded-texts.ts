// Texts of a recording in the places of files, as the loader asks for them.
import type { RecordedTexts } from '../code/code.ts';
import { hashOfCode } from './compare.ts';
import type { Elsewhere, RecordedText } from './elsewhere.ts';

export function recordedTexts(texts: NonNullable<Elsewhere['texts']>): RecordedTexts {
  return {
    textOf(filename, hash) {
      const all = texts.get(filename);
      return (all?.find((each) => each.hash === hash) ?? all?.at(-1))?.text;
    },
    settingsOf: (filename) => texts.get(filename)?.at(-1)?.settings,
    has: (filename) => texts.has(filename),
  };
}

/** A text that a file had, and what besides it decided how it was compiled. */
export function recordedText(text: string, settings: string): RecordedText {
  return { text, settings, hash: hashOfCode(settings, text) };
}
