// Before a program goes on from states, of one thread each: where what they mention is now, with which texts, and whether all of it is what it
// was. Nothing of them is loaded yet.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  hashOfCode,
  installedPackage,
  isTypeScript,
  MADE_BY_TOOL,
  ownPackages,
  type RecordedText,
  recordedTexts,
  transformer,
} from '@turntable/loader';
import { allOf, compareHead, refuseDifferences } from './compare.ts';
import { decodeState, type ProgramHead } from './container.ts';
import { isBelow, Relocation, type Elsewhere, type Move } from './elsewhere.ts';

/** `settings`: as they were told of when the text was. */
export type RecordedModule = readonly [url: string, text: string, settings: string | undefined];

export interface Whereabouts {
  /** Stands for the directory that the program was in. */
  readonly root?: string | undefined;
  /** Whether the texts of modules are taken from `texts`, whatever their files are. */
  readonly isRecorded?: boolean;
  /** URLs and texts of modules, as they were loaded; absent if there are none. */
  texts?(): Iterable<RecordedModule>;
}

/** Where the program goes on, or one error that names everything that is not what it was. */
export function findProgram(states: readonly Uint8Array[], where: Whereabouts): Elsewhere {
  const heads = withRoot(states.map((bytes) => decodeState(bytes).head));
  const { root, isRecorded = false, texts } = where;
  const moves = movesOf(heads, root);
  const relocation = new Relocation(moves);
  const here = heads.map((head) => relocation.head(head));
  const taken = isRecorded && texts !== undefined ? textsOf(here, texts(), relocation) : undefined;
  const recorded = taken === undefined ? undefined : recordedTexts(taken);
  const differences = allOf(here.map((head) => compareHead(head, { transformer, recorded }).differences));
  const refusal = refuseDifferences(differences, texts !== undefined && !isRecorded);
  if (refusal !== undefined) throw refusal;
  return { moves, ...(taken === undefined ? {} : { texts: taken }) };
}

/** What `root` of `Whereabouts` stands for, in the place of what each of them knows. */
function withRoot(heads: readonly ProgramHead[]): ProgramHead[] {
  const main = heads.find(({ root }) => root !== null);
  const root = main === undefined ? null : rootOf({ ...main, records: heads.flatMap(({ records }) => records) });
  return heads.map((head) => ({ ...head, root }));
}

/** The directory that all of the program's own files were in. */
export function rootOf({ root, records, own }: ProgramHead): string | null {
  if (root === null) return null;
  let common = root;
  for (const { filename, what } of records) {
    if (filename === null || what === 'builtin' || own.some(([, directory]) => isBelow(filename, directory))) continue;
    const installed = installedPackage(filename)?.directory;
    const directory = installed === undefined ? dirname(filename) : holderOf(installed);
    while (!isBelow(directory, common)) {
      // That they have nothing in common says nothing.
      if (dirname(common) === common) return root;
      common = dirname(common);
    }
  }
  return dirname(common) === common ? root : common;
}

/** Of the directory of an installed package, where its `node_modules` is. */
function holderOf(directory: string): string {
  return directory.slice(0, directory.lastIndexOf('/node_modules/')) || '/';
}

function movesOf(heads: readonly ProgramHead[], to: string | undefined): Move[] {
  const [head] = heads;
  if (head === undefined) return [];
  const here = new Map(ownPackages());
  const moves = head.own.flatMap(([name, from]): Move[] => {
    const now = here.get(name);
    return now === undefined || now === from ? [] : [{ from, to: now }];
  });
  const { root: from } = head;
  return from === null || to === undefined || from === to ? moves : [...moves, { from, to }];
}

/** By the names that their files have here. */
function textsOf(
  heads: readonly ProgramHead[],
  texts: Iterable<RecordedModule>,
  relocation: Relocation,
): Map<string, RecordedText[]> {
  const records = heads.flatMap((head) => head.records);
  const codes = Map.groupBy(records, ({ filename, key }) => filename ?? key);
  const settings = new Set(records.flatMap(({ code }) => code?.settings || []));
  // What it has not loaded yet, or since, is compiled as the rest of it, if that is all the same.
  const [only] = settings.size === 1 ? settings : [];
  const taken = new Map<string, RecordedText[]>();
  for (const [url, text, told] of texts) {
    const file = relocation.text(url.startsWith('file:') ? fileURLToPath(url) : url);
    const known = codes
      .get(file)
      ?.flatMap(({ code }) => code ?? [])
      .find(({ hash, settings: its }) => hashOfCode(its, text) === hash)?.settings;
    const isMade = told === MADE_BY_TOOL;
    const its = isMade ? told : (known ?? (isTypeScript(file) ? (only ?? transformer.settings(file)) : ''));
    const entry = { text, settings: its, hash: hashOfCode(its, text) };
    const all = taken.get(file);
    if (all === undefined) taken.set(file, [entry]);
    else all.push(entry);
  }
  return taken;
}
