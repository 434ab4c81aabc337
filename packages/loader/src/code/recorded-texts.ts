// Texts of a recording that replace files, and texts of files that changed during a run.
import { createHash } from 'node:crypto';

/** A text that a file had, the settings it was compiled with, and the hash of both. */
export interface RecordedText {
  readonly text: string;
  readonly settings: string;
  readonly hash: string;
}

/** Files whose text changed between two loads of the same run. */
export interface ChangedTexts {
  /** During replay: the hash of the text to read now, if it is not the first one. */
  recorded(filename: string): string | undefined;
  /** Called with each text that has been read. */
  read(filename: string, text: string, settings: () => string): void;
}

/** Texts that take the places of files. */
export interface RecordedTexts {
  /** The one with this hash, or else the last one. */
  textOf(filename: string, hash?: string): string | undefined;
  settingsOf(filename: string): string | undefined;
  has(filename: string): boolean;
  /** Whether one of them has it, of what has decided how it was compiled as well. */
  hasHash(filename: string, hash: string): boolean;
  /** What a tool had made of the file, as `textOf`. */
  madeOf(filename: string, hash?: string): string | undefined;
}

/** In the place of settings: the text is what a tool has made of a file, for `module._compile`. */
export const MADE_BY_TOOL = 'made by a tool';

/** Hash of everything that decides a file's transformed code. */
export function hashOfCode(settings: string, text: string): string {
  return createHash('sha256').update(settings).update('\0').update(text).digest('hex');
}

export function recordedTexts(texts: ReadonlyMap<string, readonly RecordedText[]>): RecordedTexts {
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
