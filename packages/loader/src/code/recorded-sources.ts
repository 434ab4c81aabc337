// The sources in a recording, which replace files during a replay, and files that changed during a run.
import { createHash } from 'node:crypto';

/** A version of a file with the settings it was compiled with, and the hash of both. */
export interface RecordedSource {
  readonly source: string;
  readonly settings: string;
  readonly hash: string;
}

/** Tracks files whose text changes between two loads of the same run. */
export interface SourceChanges {
  /** During a replay: the hash of the version to read now; undefined for the first version. */
  recordedHash(filename: string): string | undefined;
  /** Called with each source that has been read. */
  noteRead(filename: string, source: string, settings: () => string): void;
}

/** Sources that replace files. */
export interface RecordedSources {
  /** The version with this hash, or the last version if none matches. */
  sourceOf(filename: string, hash?: string): string | undefined;
  settingsOf(filename: string): string | undefined;
  has(filename: string): boolean;
  /** Whether a version of the file has this hash, which includes the settings. */
  hasHash(filename: string, hash: string): boolean;
  /** The output of a tool for the file, chosen by its hash as in `sourceOf`. */
  toolOutputOf(filename: string, hash?: string): string | undefined;
}

/** Stored instead of settings for a source that is the output of a tool, passed to `module._compile`. */
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

/** @param settings the settings that the file was compiled with */
export function createRecordedSource(source: string, settings: string): RecordedSource {
  return { source, settings, hash: codeHash(settings, source) };
}
