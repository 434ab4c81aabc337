// Before a program goes on from states, of one thread each: where what they mention is now, with which texts, and whether all of it is what it
// was. Nothing of them is loaded yet.
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

/** `settings`: as they were told of when the text was. */
export type RecordedModule = readonly [url: string, text: string, settings: string | undefined];

export interface ProgramLocation {
  /** Stands for the directory that the program was in. */
  readonly root?: string | undefined;
  /** Whether the texts of modules are taken from `texts`, whatever their files are. */
  readonly usesRecordedSources?: boolean;
  /** URLs and texts of modules, as they were loaded; absent if there are none. */
  sources?(): Iterable<RecordedModule>;
}

/** Where the program goes on, or one error that names everything that is not what it was. */
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

/** What `root` of `ProgramLocation` stands for, in the place of what each of them knows. */
function withCommonRoot(heads: readonly ProgramHead[]): ProgramHead[] {
  const mainHead = heads.find(({ root }) => root !== null);
  const root =
    mainHead === undefined ? null : commonRootOf({ ...mainHead, records: heads.flatMap(({ records }) => records) });
  return heads.map((head) => ({ ...head, root }));
}

/** The directory that all of the program's own files were in. */
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
      // That they have nothing in common says nothing.
      if (dirname(commonRoot) === commonRoot) return root;
      commonRoot = dirname(commonRoot);
    }
  }
  return dirname(commonRoot) === commonRoot ? root : commonRoot;
}

/** Of the directory of an installed package, where its `node_modules` is. */
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

/** By the names that their files have here. */
function relocateSources(
  heads: readonly ProgramHead[],
  modules: Iterable<RecordedModule>,
  relocation: Relocation,
): Map<string, RecordedSource[]> {
  const records = heads.flatMap((head) => head.records);
  const recordsByFile = Map.groupBy(records, ({ filename, key }) => filename ?? key);
  const settings = new Set(records.flatMap(({ code }) => code?.settings || []));
  // What it has not loaded yet, or since, is compiled as the rest of it, if that is all the same.
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
