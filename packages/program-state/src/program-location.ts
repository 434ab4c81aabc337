// Locates a program before it is restored from the states of its threads: finds its files, selects their sources, and
// verifies both. Loads nothing.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  codeHash,
  installedPackage,
  isTypeScript,
  TOOL_OUTPUT,
  ownPackages,
  type RecordedSource,
  createRecordedSources,
  transformer,
} from '@turntable/loader';
import { mergeDifferences, compareHead, differencesError } from './head-comparison.ts';
import { decodeState, type ProgramHead } from './state-container.ts';
import { isInDirectory, Relocation, type RelocationPlan, type DirectoryMove } from './relocation.ts';

/** A module's URL, its recorded source, and the settings that were recorded with the source. */
export type RecordedModule = readonly [url: string, text: string, settings: string | undefined];

export interface ProgramLocation {
  /** The directory that replaces the program's root directory. */
  readonly root?: string | undefined;
  /** Whether to use recorded sources instead of files. */
  readonly usesRecordedSources?: boolean;
  /** The recorded sources of modules, by URL. */
  sources?(): Iterable<RecordedModule>;
}

/** Returns the plan for a restore. Throws one error that lists all differences. */
export function locateProgram(states: readonly Uint8Array[], location: ProgramLocation): RelocationPlan {
  const heads = withCommonRoot(states.map((bytes) => decodeState(bytes).head));
  const { root, usesRecordedSources = false, sources: modules } = location;
  const moves = findDirectoryMoves(heads, root);
  const relocation = new Relocation(moves);
  const relocatedHeads = heads.map((head) => relocation.relocateHead(head));
  const plannedSources =
    usesRecordedSources && modules !== undefined ? relocateSources(relocatedHeads, modules(), relocation) : undefined;
  const recordedSources = plannedSources === undefined ? undefined : createRecordedSources(plannedSources);
  const differences = mergeDifferences(
    relocatedHeads.map((head) => compareHead(head, { transformer, recordedSources }).differences),
  );
  const refusal = differencesError(differences, modules !== undefined && !usesRecordedSources);
  if (refusal !== undefined) throw refusal;
  return { moves, ...(plannedSources === undefined ? {} : { sources: plannedSources }) };
}

/** Gives all threads the common root directory, which `root` of `ProgramLocation` replaces. */
function withCommonRoot(heads: readonly ProgramHead[]): ProgramHead[] {
  const mainHead = heads.find(({ root }) => root !== null);
  const root =
    mainHead === undefined ? null : commonRootOf({ ...mainHead, records: heads.flatMap(({ records }) => records) });
  return heads.map((head) => ({ ...head, root }));
}

/** The directory that contains all of the program's own files. */
export function commonRootOf({ root, records, ownPackages: ownPackageMoves }: ProgramHead): string | null {
  if (root === null) return null;
  let commonRoot = root;
  for (const { filename, originKind } of records) {
    if (
      filename === null ||
      originKind === 'builtin' ||
      ownPackageMoves.some(([, directory]) => isInDirectory(filename, directory))
    )
      continue;
    const installed = installedPackage(filename)?.directory;
    const directory = installed === undefined ? dirname(filename) : nodeModulesParent(installed);
    while (!isInDirectory(directory, commonRoot)) {
      // The root directory of the file system contains everything, so the package's own directory is better.
      if (dirname(commonRoot) === commonRoot) return root;
      commonRoot = dirname(commonRoot);
    }
  }
  return dirname(commonRoot) === commonRoot ? root : commonRoot;
}

/** The directory that contains an installed package's `node_modules`. */
function nodeModulesParent(directory: string): string {
  return directory.slice(0, directory.lastIndexOf('/node_modules/')) || '/';
}

function findDirectoryMoves(heads: readonly ProgramHead[], to: string | undefined): DirectoryMove[] {
  const [head] = heads;
  if (head === undefined) return [];
  const currentPackages = new Map(ownPackages());
  const moves = head.ownPackages.flatMap(([name, from]): DirectoryMove[] => {
    const currentDirectory = currentPackages.get(name);
    return currentDirectory === undefined || currentDirectory === from ? [] : [{ from, to: currentDirectory }];
  });
  const { root: from } = head;
  return from === null || to === undefined || from === to ? moves : [...moves, { from, to }];
}

/** Returns the recorded sources by relocated file name. */
function relocateSources(
  heads: readonly ProgramHead[],
  modules: Iterable<RecordedModule>,
  relocation: Relocation,
): Map<string, RecordedSource[]> {
  const records = heads.flatMap((head) => head.records);
  const recordsByFile = Map.groupBy(records, ({ filename, key }) => filename ?? key);
  const settings = new Set(records.flatMap(({ code }) => code?.settings || []));
  // A module that the program has not loaded yet is compiled with the common settings, if there are any.
  const [commonSettings] = settings.size === 1 ? settings : [];
  const sources = new Map<string, RecordedSource[]>();
  for (const [url, source, recordedSettings] of modules) {
    const file = relocation.relocateText(url.startsWith('file:') ? fileURLToPath(url) : url);
    const matchingSettings = recordsByFile
      .get(file)
      ?.flatMap(({ code }) => code ?? [])
      .find(({ hash, settings: codeSettings }) => codeHash(codeSettings, source) === hash)?.settings;
    const isToolOutput = recordedSettings === TOOL_OUTPUT;
    const sourceSettings = isToolOutput
      ? recordedSettings
      : (matchingSettings ?? (isTypeScript(file) ? (commonSettings ?? transformer.settings(file)) : ''));
    const entry = { source, settings: sourceSettings, hash: codeHash(sourceSettings, source) };
    const existing = sources.get(file);
    if (existing === undefined) sources.set(file, [entry]);
    else existing.push(entry);
  }
  return sources;
}
