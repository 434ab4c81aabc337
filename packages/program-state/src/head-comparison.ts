// Compares the environment of a state's program with this process: versions, files, installed packages, working
// directory. Loads and changes nothing, and reports all differences at once.
import { codeHash, LoaderError, readSource, type RecordedSources, statSync, type Transformer } from '@turntable/loader';
import type { ProgramHead, RecordHead } from './state-container.ts';
import { installedVersion } from './loaded-packages.ts';

/** Differences by kind; each line describes one difference. */
export interface ProgramDifferences {
  readonly versions: readonly string[];
  /** Directories that are missing. */
  readonly directories: readonly string[];
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

/** @remarks the head's paths must be relocated to this machine */
export interface HeadComparison {
  readonly differences: ProgramDifferences;
  /** Sources by record number. */
  readonly sources: readonly (string | undefined)[];
}

export interface ComparisonDeps {
  readonly transformer: Pick<Transformer, 'version' | 'settings'>;
  /** Sources that are used instead of files. */
  readonly recordedSources: RecordedSources | undefined;
}

export function compareHead(head: ProgramHead, deps: ComparisonDeps): HeadComparison {
  const versions: string[] = [];
  if (majorVersion(head.node) !== majorVersion(process.version))
    versions.push(`Node: captured with ${head.node}, now ${process.version}`);
  const { version } = deps.transformer;
  if (head.transform !== version)
    versions.push(`transform of Turntable: captured with ${head.transform}, now ${version}`);
  // If the root is missing, everything else is missing too.
  const { root } = head;
  if (root !== null && deps.recordedSources === undefined && !isDirectory(root))
    return { differences: { versions, directories: [root], files: [], packages: [] }, sources: [] };
  const files: string[] = [];
  const sources = head.records.map((record) => {
    const { source, difference } = sourceOfRecord(record, deps);
    if (difference !== undefined) files.push(difference);
    return source;
  });
  const packages = head.packages.flatMap(({ name, version: recordedVersion, directory }) => {
    const currentVersion = installedVersion(directory);
    if (currentVersion === recordedVersion) return [];
    return [`${name}: captured with ${recordedVersion}, now ${currentVersion ?? 'missing'} (${directory})`];
  });
  const directories = isDirectory(head.cwd) ? [] : [head.cwd];
  return { differences: { versions, directories, files: [...new Set(files)], packages }, sources };
}

function sourceOfRecord(
  { code, filename, key }: RecordHead,
  { transformer, recordedSources }: ComparisonDeps,
): { source: string | undefined; difference?: string } {
  if (code === null) return { source: undefined };
  if (code.source !== null) return { source: code.source };
  const file = filename ?? key;
  if (recordedSources !== undefined) {
    const source = recordedSources.sourceOf(file, code.hash);
    return recordedSources.hasHash(file, code.hash)
      ? { source }
      : { source, difference: `${file}: its text is not in the recording` };
  }
  let source: string;
  try {
    source = readSource(file);
  } catch (error) {
    const reason = (error as { code?: string }).code === 'ENOENT' ? 'it does not exist' : (error as Error).message;
    return { source: undefined, difference: `${file}: ${reason}` };
  }
  if (codeHash(code.settings, source) !== code.hash) return { source, difference: `${file}: it has changed` };
  const isSame = transformer.settings(file) === code.settings;
  return isSame ? { source } : { source, difference: `${file}: the settings of its tsconfig.json have changed` };
}

/** Merges the differences of several threads. */
export function mergeDifferences(all: readonly ProgramDifferences[]): ProgramDifferences {
  const collect = (select: (each: ProgramDifferences) => readonly string[]): string[] => [
    ...new Set(all.flatMap(select)),
  ];
  const directories = collect(({ directories: each }) => each);
  // Files in a missing directory are not reported separately.
  const isOutsideMissing = (line: string): boolean =>
    !directories.some((directory) => line.startsWith(`${directory}/`));
  return {
    versions: collect(({ versions }) => versions),
    directories,
    files: collect(({ files }) => files).filter(isOutsideMissing),
    packages: collect(({ packages }) => packages),
  };
}

/** Maximum number of lines that are shown per kind of difference. */
const MAX_SHOWN = 20;

/** @param hasSources whether recorded sources could replace the files */
export function differencesError(
  { versions, directories, files, packages }: ProgramDifferences,
  hasSources: boolean,
): LoaderError | undefined {
  const lines = [
    ...versions,
    ...directories.map((each) => `${each}: the directory does not exist`),
    ...truncateList(files),
    ...truncateList(packages),
  ];
  if (lines.length === 0) return undefined;
  const remedies = [
    ...(versions.length === 0 ? [] : ['use the captured versions']),
    ...(directories.length === 0
      ? []
      : ['create the directory, or name the new directory of the program with --root DIR']),
    ...(files.length === 0
      ? []
      : [
          `restore the files, or ${hasSources ? 'use the recorded sources with --code recorded' : 'capture the program again'}`,
        ]),
    ...(packages.length === 0 ? [] : ['install the captured versions of the packages']),
  ];
  return new LoaderError(
    files.length + packages.length + directories.length > 0 ? 'TT_CODE_CHANGED' : 'TT_STATE',
    `the program differs from the captured program:\n${lines.map((line) => `  ${line}\n`).join('')}${remedies.join('; ')}`,
  );
}

function truncateList(lines: readonly string[]): string[] {
  return lines.length <= MAX_SHOWN
    ? [...lines]
    : [...lines.slice(0, MAX_SHOWN - 1), `and ${lines.length - MAX_SHOWN + 1} more`];
}

function isDirectory(path: string): boolean {
  // The sandbox may hide the files of the working directory, which exists.
  if (path === process.cwd()) return true;
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function majorVersion(version: string): string {
  return /^v?(\d+)/.exec(version)?.[1] ?? version;
}
