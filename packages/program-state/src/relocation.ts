// The location of a restored program: moved directories, and sources that replace files. Plain data for all threads.
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RecordedSource } from '@turntable/loader';
import type { ProgramHead, RecordHead } from './state-container.ts';

/** The move of a directory, given by its absolute paths. */
export interface DirectoryMove {
  readonly from: string;
  readonly to: string;
}

export interface RelocationPlan {
  /** Moves of directories. The first move that matches a path applies. */
  readonly moves: readonly DirectoryMove[];
  /** Sources by relocated file name, the latest last; undefined to read files. */
  readonly sources?: ReadonlyMap<string, readonly RecordedSource[]>;
}

interface RelocatedPrefix {
  readonly from: string;
  readonly to: string;
  readonly separator: string;
}

/** Prefixes of names that contain a file. */
const NAME_PREFIX = /^(?:device |namespace of |import\.meta of |import\.meta\.resolve of )/;

/** Maps paths and file URLs to their new location. */
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

  /** Relocates a string that is, as a whole, a path or URL in a moved directory. Returns other strings unchanged. */
  relocateText(value: string): string {
    for (const { from, to, separator } of this.#prefixes)
      if (isInDirectory(value, from, separator) && !(to.startsWith(from) && isInDirectory(value, to, separator)))
        return to + value.slice(from.length);
    return value;
  }

  /** Relocates the file in the name of a known object. */
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

/** Whether a path is in a directory or is the directory itself. */
export function isInDirectory(path: string, directory: string, separator: string = sep): boolean {
  return (
    path.startsWith(directory) && (path.length === directory.length || path.startsWith(separator, directory.length))
  );
}

function directoryUrl(directory: string): string {
  return pathToFileURL(directory).href;
}
