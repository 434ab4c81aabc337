// Which recordings were opened lately, and with which code: that one may be opened again without a question, as long as its code is the same. Pages are told of places only.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Beginning } from '../bridge.ts';

interface Known {
  readonly place: string;
  readonly time: number;
  /** What `codeOf` answered when somebody agreed to run it again. */
  readonly code: string | undefined;
}

const MOST = 20;

export class Recent {
  readonly #file: string;

  /** @param file in which the list is kept */
  constructor(file: string) {
    this.#file = file;
  }

  #list(): Known[] {
    try {
      const all: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return Array.isArray(all) ? all.filter(isKnown).slice(0, MOST) : [];
    } catch {
      // There is none yet, or somebody has put something else there.
      return [];
    }
  }

  told(): Beginning['recent'] {
    return this.#list().map(({ place, time }) => ({ place, name: basename(place), time, isThere: existsSync(place) }));
  }

  has(place: string): boolean {
    return this.#list().some((each) => each.place === place);
  }

  /** Whether somebody has agreed to run this very code again. */
  isAgreed(place: string, code: string | undefined): boolean {
    return code !== undefined && this.#list().some((each) => each.place === place && each.code === code);
  }

  note(place: string, code: string | undefined): void {
    this.#keep([{ place, time: Date.now(), code }, ...this.#list().filter((each) => each.place !== place)]);
  }

  forget(place: string): void {
    this.#keep(this.#list().filter((each) => each.place !== place));
  }

  #keep(all: readonly Known[]): void {
    const written = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      writeFileSync(written, JSON.stringify(all.slice(0, MOST)), { mode: 0o600 });
      renameSync(written, this.#file);
    } catch {
      // A list of what was opened is no reason not to open it.
    }
  }
}

function isKnown(each: unknown): each is Known {
  const { place, time } = (each ?? {}) as Partial<Known>;
  return typeof place === 'string' && typeof time === 'number';
}

/**
 * Which code would be run: a manifest names all texts of its recording by their digests; of a packed recording it is all of the file. Undefined, where that is not known: of a directory with several
 * recordings, and of what is none.
 */
export async function codeOf(place: string): Promise<string | undefined> {
  try {
    const file = statSync(place).isDirectory() ? join(place, 'manifest.json') : place;
    // What is no file might never end.
    if (!statSync(file).isFile()) return undefined;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}
