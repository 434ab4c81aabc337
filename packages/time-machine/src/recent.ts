// Which recordings were opened lately, the last first, for whoever asks which one to open: a list of places in a file, and nothing of what is in them.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface RecentPlace {
  /** The directory of a recording, or a packed one. */
  readonly place: string;
  /** When it was opened: milliseconds since 1970. */
  readonly time: number;
  /** A digest of the code that somebody has agreed to run again. */
  readonly code?: string;
}

const MOST = 20;

export class RecentPlaces {
  readonly #file: string | undefined;

  /** @param file in which the list is kept; undefined: nothing is kept */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  list(): RecentPlace[] {
    if (this.#file === undefined) return [];
    try {
      const all: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return Array.isArray(all) ? all.filter(isRecentPlace).slice(0, MOST) : [];
    } catch {
      // There is none yet, or somebody has put something else there.
      return [];
    }
  }

  /** It was opened now. */
  note(place: string, code?: string): void {
    const noted = { place, time: Date.now(), ...(code !== undefined && { code }) };
    this.#keep([noted, ...this.#without(place)]);
  }

  forget(place: string): void {
    this.#keep(this.#without(place));
  }

  #without(place: string): RecentPlace[] {
    return this.list().filter((each) => each.place !== place);
  }

  #keep(all: readonly RecentPlace[]): void {
    if (this.#file === undefined) return;
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

function isRecentPlace(each: unknown): each is RecentPlace {
  const { place, time } = (each ?? {}) as Partial<RecentPlace>;
  return typeof place === 'string' && typeof time === 'number';
}
