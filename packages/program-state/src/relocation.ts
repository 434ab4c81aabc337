// A program that goes on somewhere else than where it was captured: which directories have taken the places of which, and texts that take
// the places of files. Plain data: it is sent to every thread.
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RecordedSource } from '@turntable/loader';
import type { ProgramHead, RecordHead } from './state-container.ts';

/** Absolute directories. */
export interface DirectoryMove {
  readonly from: string;
  readonly to: string;
}

export interface RelocationPlan {
  /** The first that fits counts. */
  readonly moves: readonly DirectoryMove[];
  /** By the names that files have here, the last one of each last; without it the files are read. */
  readonly sources?: ReadonlyMap<string, readonly RecordedSource[]>;
}

interface RelocatedPrefix {
  readonly from: string;
  readonly to: string;
  readonly separator: string;
}

/** Begin the names by which states call what belongs to a file. */
const NAME_PREFIX = /^(?:device |namespace of |import\.meta of |import\.meta\.resolve of )/;

/** Says what paths and file URLs have become. */
export class Relocation {
  readonly #prefixes: readonly RelocatedPrefix[];

  constructor(moves: readonly DirectoryMove[]) {
    this.#prefixes = moves.flatMap(({ from, to }) => [
      { from, to, separator: sep },
      { from: directoryUrl(from), to: directoryUrl(to), separator: '/' },
    ]);
  }

  get isEmpty(): boolean {
    return this.#prefixes.length === 0;
  }

  /** Of a whole text that is a path or URL in one of the directories; any other one as it is. */
  relocateText(value: string): string {
    for (const { from, to, separator } of this.#prefixes)
      if (isInDirectory(value, from, separator) && !(to.startsWith(from) && isInDirectory(value, to, separator)))
        return to + value.slice(from.length);
    return value;
  }

  /** Of the name of a known object. */
  relocateName(name: string): string {
    const prefix = NAME_PREFIX.exec(name)?.[0] ?? '';
    return prefix + this.relocateText(name.slice(prefix.length));
  }

  relocateHead(head: ProgramHead): ProgramHead {
    const value = (each: string): string => this.relocateText(each);
    const relocateOrNull = (each: string | null): string | null => (each === null ? null : this.relocateText(each));
    return {
      ...head,
      main: relocateOrNull(head.main),
      cwd: this.relocateText(head.cwd),
      root: relocateOrNull(head.root),
      ownPackages: head.ownPackages.map(([name, directory]) => [name, this.relocateText(directory)] as const),
      nativeFiles: head.nativeFiles.map(value),
      packages: head.packages.map((each) => ({ ...each, directory: this.relocateText(each.directory) })),
      records: head.records.map((each): RecordHead => ({
        ...each,
        key: this.relocateText(each.key),
        filename: relocateOrNull(each.filename),
      })),
    };
  }
}

/** Or the directory itself. */
export function isInDirectory(path: string, directory: string, separator: string = sep): boolean {
  return (
    path.startsWith(directory) && (path.length === directory.length || path.startsWith(separator, directory.length))
  );
}

function directoryUrl(directory: string): string {
  return pathToFileURL(directory).href;
}
