// A program that goes on somewhere else than where it was captured: which directories have taken the places of which, and texts that take
// the places of files. Plain data: it is sent to every thread.
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RecordedText } from '@turntable/loader';
import type { ProgramHead, RecordHead } from './container.ts';

/** Absolute directories. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

export interface Elsewhere {
  /** The first that fits counts. */
  readonly moves: readonly Move[];
  /** By the names that files have here, the last one of each last; without it the files are read. */
  readonly texts?: ReadonlyMap<string, readonly RecordedText[]>;
}

interface Prefix {
  readonly from: string;
  readonly to: string;
  readonly separator: string;
}

/** Begin the names by which states call what belongs to a file. */
const NAMES = /^(?:device |namespace of |import\.meta of |import\.meta\.resolve of )/;

/** Says what paths and file URLs have become. */
export class Relocation {
  readonly #prefixes: readonly Prefix[];

  constructor(moves: readonly Move[]) {
    this.#prefixes = moves.flatMap(({ from, to }) => [
      { from, to, separator: sep },
      { from: urlOf(from), to: urlOf(to), separator: '/' },
    ]);
  }

  get isNone(): boolean {
    return this.#prefixes.length === 0;
  }

  /** Of a whole text that is a path or URL in one of the directories; any other one as it is. */
  text(text: string): string {
    for (const { from, to, separator } of this.#prefixes)
      if (isBelow(text, from, separator) && !(to.startsWith(from) && isBelow(text, to, separator)))
        return to + text.slice(from.length);
    return text;
  }

  /** Of the name of a known object. */
  name(name: string): string {
    const begin = NAMES.exec(name)?.[0] ?? '';
    return begin + this.text(name.slice(begin.length));
  }

  head(head: ProgramHead): ProgramHead {
    const text = (each: string): string => this.text(each);
    const orNull = (each: string | null): string | null => (each === null ? null : this.text(each));
    return {
      ...head,
      main: orNull(head.main),
      cwd: this.text(head.cwd),
      root: orNull(head.root),
      own: head.own.map(([name, directory]) => [name, this.text(directory)] as const),
      nativeFiles: head.nativeFiles.map(text),
      packages: head.packages.map((each) => ({ ...each, directory: this.text(each.directory) })),
      records: head.records.map((each): RecordHead => ({
        ...each,
        key: this.text(each.key),
        filename: orNull(each.filename),
      })),
    };
  }
}

/** Or the directory itself. */
export function isBelow(text: string, directory: string, separator: string = sep): boolean {
  return (
    text.startsWith(directory) && (text.length === directory.length || text.startsWith(separator, directory.length))
  );
}

function urlOf(directory: string): string {
  return pathToFileURL(directory).href;
}
