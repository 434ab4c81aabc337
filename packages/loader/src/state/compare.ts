// Compares what a state says of the program and the process it was taken of with what there is here: versions, files, installed packages, the
// working directory. Loads nothing, changes nothing, and lists all that differs, not the first only.
import { createHash } from 'node:crypto';
import { statSync } from '../files.ts';
import { LoaderError } from '../errors.ts';
import { readSource, type RecordedTexts } from '../code/code.ts';
import type { Transformer } from '../code/transformer-port.ts';
import type { ProgramHead, RecordHead } from './container.ts';
import { versionIn } from './loaded-packages.ts';

/** A line for each difference. */
export interface Differences {
  readonly versions: readonly string[];
  /** Directories that are not there. */
  readonly directories: readonly string[];
  readonly files: readonly string[];
  readonly packages: readonly string[];
}

/** Of a head whose paths are those of this machine. */
export interface Compared {
  readonly differences: Differences;
  /** Texts by records. */
  readonly sources: readonly (string | undefined)[];
}

export interface ComparedWith {
  readonly transformer: Pick<Transformer, 'version' | 'settings'>;
  /** In the place of files. */
  readonly recorded: RecordedTexts | undefined;
}

/** Of everything that decides what a file's code is. */
export function hashOfCode(settings: string, text: string): string {
  return createHash('sha256').update(settings).update('\0').update(text).digest('hex');
}

export function compareHead(head: ProgramHead, here: ComparedWith): Compared {
  const versions: string[] = [];
  if (major(head.node) !== major(process.version)) versions.push(`Node ${head.node}, and this is ${process.version}`);
  const { version } = here.transformer;
  if (head.transform !== version) versions.push(`transform ${head.transform} of Turntable, and this is ${version}`);
  // All else is below it.
  const { root } = head;
  if (root !== null && here.recorded === undefined && !isDirectory(root))
    return { differences: { versions, directories: [root], files: [], packages: [] }, sources: [] };
  const files: string[] = [];
  const sources = head.records.map((record) => {
    const { text, difference } = textOf(record, here);
    if (difference !== undefined) files.push(difference);
    return text;
  });
  const packages = head.packages.flatMap(({ name, version: was, directory }) => {
    const is = versionIn(directory);
    if (is === was) return [];
    return [`${name} ${was}, and ${directory} ${is === undefined ? 'is not there' : `has ${is}`}`];
  });
  const directories = isDirectory(head.cwd) ? [] : [head.cwd];
  return { differences: { versions, directories, files: [...new Set(files)], packages }, sources };
}

function textOf(
  { code, filename, key }: RecordHead,
  { transformer, recorded }: ComparedWith,
): { text: string | undefined; difference?: string } {
  if (code === null) return { text: undefined };
  if (code.source !== null) return { text: code.source };
  const file = filename ?? key;
  if (recorded !== undefined) {
    const text = recorded.textOf(file, code.hash);
    return recorded.hasHash(file, code.hash)
      ? { text }
      : { text, difference: `${file}, whose text the recording lacks` };
  }
  let text: string;
  try {
    text = readSource(file);
  } catch (error) {
    const why = (error as { code?: string }).code === 'ENOENT' ? 'which is not there' : (error as Error).message;
    return { text: undefined, difference: `${file}, ${why}` };
  }
  if (hashOfCode(code.settings, text) !== code.hash) return { text, difference: `${file}, which has changed` };
  const isSame = transformer.settings(file) === code.settings;
  return isSame ? { text } : { text, difference: `${file}, for which its tsconfig.json says something else now` };
}

/** Of several threads. */
export function allOf(all: readonly Differences[]): Differences {
  const list = (of: (each: Differences) => readonly string[]): string[] => [...new Set(all.flatMap(of))];
  const directories = list(({ directories: each }) => each);
  // Where nothing is, nothing can be.
  const isElsewhere = (line: string): boolean => !directories.some((directory) => line.startsWith(`${directory}/`));
  return {
    versions: list(({ versions }) => versions),
    directories,
    files: list(({ files }) => files).filter(isElsewhere),
    packages: list(({ packages }) => packages),
  };
}

/** So many lines of a kind are shown. */
const SHOWN = 20;

/** `hasTexts`: the texts of the files are at hand, and may take their places. */
export function refuseDifferences(
  { versions, directories, files, packages }: Differences,
  hasTexts: boolean,
): LoaderError | undefined {
  const lines = [
    ...versions,
    ...directories.map((each) => `the directory ${each}, which is not there`),
    ...shown(files),
    ...shown(packages),
  ];
  if (lines.length === 0) return undefined;
  const remedies = [
    ...(versions.length === 0 ? [] : ['use the versions it was captured by']),
    ...(directories.length === 0 ? [] : ['make it, or say with --root DIR where the program is now']),
    ...(files.length === 0
      ? []
      : [
          `put back what was there, or ${hasTexts ? 'go on with the texts in the recording: --code recorded' : 'capture the program as it is now'}`,
        ]),
    ...(packages.length === 0 ? [] : ['install the packages it had loaded']),
  ];
  return new LoaderError(
    files.length + packages.length + directories.length > 0 ? 'TT_CODE_CHANGED' : 'TT_STATE',
    `what is here is not what was captured; it had\n${lines.map((line) => `  ${line}\n`).join('')}${remedies.join('; ')}`,
  );
}

function shown(lines: readonly string[]): string[] {
  return lines.length <= SHOWN ? [...lines] : [...lines.slice(0, SHOWN - 1), `and ${lines.length - SHOWN + 1} more`];
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function major(version: string): string {
  return /^v?(\d+)/.exec(version)?.[1] ?? version;
}
