// Texts of a recording that replace files, and texts of files that changed during a run.
import { createHash } from 'node:crypto';

/** A text that a file had, the settings it was compiled with, and the hash of both. */
export interface RecordedSource {
  readonly source: string;
  readonly settings: string;
  readonly hash: string;
}

/** Files whose text changed between two loads of the same run. */
export interface SourceChanges {
  /** During replay: the hash of the text to read now, if it is not the first one. */
  recordedHash(filename: string): string | undefined;
  /** Called with each text that has been read. */
  noteRead(filename: string, source: string, settings: () => string): void;
}

/** Texts that take the places of files. */
export interface RecordedSources {
  /** The one with this hash, or else the last one. */
  sourceOf(filename: string, hash?: string): string | undefined;
  settingsOf(filename: string): string | undefined;
  has(filename: string): boolean;
  /** Whether one of them has it, of what has decided how it was compiled as well. */
  hasHash(filename: string, hash: string): boolean;
  /** What a tool had made of the file, as `sourceOf`. */
  toolOutputOf(filename: string, hash?: string): string | undefined;
}

/** In the place of settings: the text is what a tool has made of a file, for `module._compile`. */
export const TOOL_OUTPUT = 'made by a tool';

/** Hash of everything that decides a file's transformed code. */
export function codeHash(settings: string, source: string): string {
  return createHash('sha256').update(settings).update('\0').update(source).digest('hex');
}

export function createRecordedSources(sourcesByFile: ReadonlyMap<string, readonly RecordedSource[]>): RecordedSources {
  const sourcesOf = (filename: string, isToolOutput: boolean): RecordedSource[] | undefined =>
    sourcesByFile.get(filename)?.filter(({ settings }) => (settings === TOOL_OUTPUT) === isToolOutput);
  const pick = (candidates: readonly RecordedSource[] | undefined, hash: string | undefined): string | undefined =>
    (candidates?.find((candidate) => candidate.hash === hash) ?? candidates?.at(-1))?.source;
  return {
    sourceOf: (filename, hash) => pick(sourcesOf(filename, false), hash),
    settingsOf: (filename) => sourcesOf(filename, false)?.at(-1)?.settings,
    has: (filename) => sourcesByFile.has(filename),
    hasHash: (filename, hash) => sourcesOf(filename, false)?.some((candidate) => candidate.hash === hash) === true,
    toolOutputOf: (filename, hash) => pick(sourcesOf(filename, true), hash),
  };
}

/** A text that a file had, and what besides it decided how it was compiled. */
export function createRecordedSource(source: string, settings: string): RecordedSource {
  return { source, settings, hash: codeHash(settings, source) };
}
