// Texts of a recording in the places of files, as the loader asks for them.
import type { RecordedTexts } from '../code/code.ts';
import type { Elsewhere } from './elsewhere.ts';

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
