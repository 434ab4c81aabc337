// Places that somebody wants to find again, with what they have to say of them: in a file beside the recording, which does not change when somebody looks at it. Who else looks at the same
// recording at the same time may write there as well, so it is read each time.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ERROR_CODES } from '../protocol.ts';
import { integer, array, object, validationError, string, type TypeOf } from '../protocol/schema.ts';
import { ProtocolError } from './protocol-error.ts';

/** Of one recording. */
const MAX_BOOKMARKS = 10_000;
const FILE_VERSION = 1;

const bookmarkFile = object({
  version: integer('of the form', FILE_VERSION, FILE_VERSION),
  bookmarks: array(
    object({ id: integer('', 1), position: string('', 100), note: string('', 4000) }),
    '',
    MAX_BOOKMARKS,
  ),
});

export type Bookmark = TypeOf<typeof bookmarkFile>['bookmarks'][number];

export class BookmarkStore {
  readonly #file: string | undefined;
  /** Where there is no file. */
  #all: readonly Bookmark[] = [];

  /** @param file where they are kept; otherwise they are gone with this */
  constructor(file?: string) {
    this.#file = file;
  }

  /** In the order in which they were made. */
  get all(): readonly Bookmark[] {
    return this.#file === undefined ? this.#all : readBookmarks(this.#file);
  }

  add(position: string, note: string): Bookmark {
    const { all } = this;
    if (all.length >= MAX_BOOKMARKS)
      throw new ProtocolError(ERROR_CODES.params, `there are ${MAX_BOOKMARKS} bookmarks: no more are kept`);
    const added = { id: Math.max(0, ...all.map(({ id }) => id)) + 1, position, note };
    this.#save([...all, added]);
    return added;
  }

  /** Another note, or another place; each stays as it is, if none is said. */
  update(id: number, position: string | undefined, note: string | undefined): Bookmark {
    const { all } = this;
    const previous = all.find((each) => each.id === id);
    if (previous === undefined) throw new ProtocolError(ERROR_CODES.params, `there is no bookmark ${id}`);
    const updated = { id, position: position ?? previous.position, note: note ?? previous.note };
    this.#save(all.map((each) => (each.id === id ? updated : each)));
    return updated;
  }

  /** Whether it was there. */
  remove(id: number): boolean {
    const { all } = this;
    const remaining = all.filter((each) => each.id !== id);
    if (remaining.length === all.length) return false;
    this.#save(remaining);
    return true;
  }

  #save(all: readonly Bookmark[]): void {
    this.#all = all;
    if (this.#file !== undefined) writeBookmarks(this.#file, all);
  }
}

function readBookmarks(file: string): readonly Bookmark[] {
  let json: string;
  try {
    json = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fileError(file, 'cannot be read', error);
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw fileError(file, 'is damaged: bookmarks are neither told nor made until it is mended or moved away', error);
  }
  const problem = validationError(bookmarkFile, value, 'it');
  if (problem !== undefined)
    throw new ProtocolError(ERROR_CODES.internal, `${file} is no file of bookmarks: ${problem}`);
  return (value as TypeOf<typeof bookmarkFile>).bookmarks;
}

/** Whole or not at all. */
function writeBookmarks(file: string, bookmarks: readonly Bookmark[]): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // Notes may say what a program has seen.
    writeFileSync(temporary, `${JSON.stringify({ version: FILE_VERSION, bookmarks }, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw fileError(file, 'cannot be written, so the bookmark is not kept', error);
  }
}

function fileError(file: string, problemText: string, error: unknown): ProtocolError {
  return new ProtocolError(ERROR_CODES.internal, `${file} ${problemText}: ${(error as Error).message}`);
}
