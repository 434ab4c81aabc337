// Places that somebody wants to find again, with what they have to say of them: in a file beside the recording, which does not change when somebody looks at it. Who else looks at the same
// recording at the same time may write there as well, so it is read each time.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ERRORS } from '../protocol.ts';
import { integer, list, object, problemOf, text, type TypeOf } from '../protocol/schema.ts';
import { Refusal } from './refusal.ts';

/** Of one recording. */
const MOST = 10_000;
const VERSION = 1;

const kept = object({
  version: integer('of the form', VERSION, VERSION),
  bookmarks: list(object({ id: integer('', 1), position: text('', 100), note: text('', 4000) }), '', MOST),
});

export type Bookmark = TypeOf<typeof kept>['bookmarks'][number];

export class Bookmarks {
  readonly #file: string | undefined;
  /** Where there is no file. */
  #all: readonly Bookmark[] = [];

  /** @param file where they are kept; otherwise they are gone with this */
  constructor(file?: string) {
    this.#file = file;
  }

  /** In the order in which they were made. */
  get all(): readonly Bookmark[] {
    return this.#file === undefined ? this.#all : bookmarksIn(this.#file);
  }

  add(position: string, note: string): Bookmark {
    const { all } = this;
    if (all.length >= MOST) throw new Refusal(ERRORS.params, `there are ${MOST} bookmarks: no more are kept`);
    const made = { id: Math.max(0, ...all.map(({ id }) => id)) + 1, position, note };
    this.#put([...all, made]);
    return made;
  }

  /** Another note, or another place; each stays as it is, if none is said. */
  change(id: number, position: string | undefined, note: string | undefined): Bookmark {
    const { all } = this;
    const before = all.find((each) => each.id === id);
    if (before === undefined) throw new Refusal(ERRORS.params, `there is no bookmark ${id}`);
    const after = { id, position: position ?? before.position, note: note ?? before.note };
    this.#put(all.map((each) => (each.id === id ? after : each)));
    return after;
  }

  /** Whether it was there. */
  remove(id: number): boolean {
    const { all } = this;
    const others = all.filter((each) => each.id !== id);
    if (others.length === all.length) return false;
    this.#put(others);
    return true;
  }

  #put(all: readonly Bookmark[]): void {
    this.#all = all;
    if (this.#file !== undefined) write(this.#file, all);
  }
}

function bookmarksIn(file: string): readonly Bookmark[] {
  let read: string;
  try {
    read = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw refused(file, 'cannot be read', error);
  }
  let value: unknown;
  try {
    value = JSON.parse(read);
  } catch (error) {
    throw refused(file, 'is damaged: bookmarks are neither told nor made until it is mended or moved away', error);
  }
  const problem = problemOf(kept, value, 'it');
  if (problem !== undefined) throw new Refusal(ERRORS.internal, `${file} is no file of bookmarks: ${problem}`);
  return (value as TypeOf<typeof kept>).bookmarks;
}

/** Whole or not at all. */
function write(file: string, bookmarks: readonly Bookmark[]): void {
  const next = `${file}.${process.pid}.tmp`;
  try {
    // Notes may say what a program has seen.
    writeFileSync(next, `${JSON.stringify({ version: VERSION, bookmarks }, null, 2)}\n`, { mode: 0o600 });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw refused(file, 'cannot be written, so the bookmark is not kept', error);
  }
}

function refused(file: string, what: string, error: unknown): Refusal {
  return new Refusal(ERRORS.internal, `${file} ${what}: ${(error as Error).message}`);
}
