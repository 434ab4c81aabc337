// Store of bookmarks, in a file beside the recording, which must not change when it is opened. Another server for the
// same recording may write the file as well, so it is read for each request.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ERROR_CODES } from '../protocol.ts';
import { integer, array, object, validationError, string, type TypeOf } from '../protocol/schema.ts';
import { invalidParams, ProtocolError } from './protocol-error.ts';

const MAX_BOOKMARKS = 10_000;
const FILE_VERSION = 1;

const bookmarkFile = object({
  version: integer('version of the format', FILE_VERSION, FILE_VERSION),
  bookmarks: array(
    object({ id: integer('', 1), position: string('', 100), note: string('', 4000) }),
    '',
    MAX_BOOKMARKS,
  ),
});

export type Bookmark = TypeOf<typeof bookmarkFile>['bookmarks'][number];

export class BookmarkStore {
  readonly #file: string | undefined;
  /** The bookmarks, if the store has no file. */
  #all: readonly Bookmark[] = [];

  constructor(file?: string) {
    this.#file = file;
  }

  /** All bookmarks in the order of their creation. */
  get all(): readonly Bookmark[] {
    return this.#file === undefined ? this.#all : readBookmarks(this.#file);
  }

  add(position: string, note: string): Bookmark {
    const { all } = this;
    if (all.length >= MAX_BOOKMARKS)
      throw invalidParams(`there are already ${MAX_BOOKMARKS} bookmarks, the maximum; delete one first`);
    const added = { id: Math.max(0, ...all.map(({ id }) => id)) + 1, position, note };
    this.#save([...all, added]);
    return added;
  }

  /** Changes the position and the note of a bookmark. An undefined value is kept as it is. */
  update(id: number, position: string | undefined, note: string | undefined): Bookmark {
    const { all } = this;
    const previous = all.find((each) => each.id === id);
    if (previous === undefined) throw invalidParams(`there is no bookmark ${id}`);
    const updated = { id, position: position ?? previous.position, note: note ?? previous.note };
    this.#save(all.map((each) => (each.id === id ? updated : each)));
    return updated;
  }

  /** Removes a bookmark; false if it does not exist. */
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
    throw fileError(file, 'is damaged; repair or remove it to use bookmarks', error);
  }
  const problem = validationError(bookmarkFile, value, 'it');
  if (problem !== undefined)
    throw new ProtocolError(ERROR_CODES.internal, `${file} is not a bookmarks file: ${problem}`);
  return (value as TypeOf<typeof bookmarkFile>).bookmarks;
}

/** Writes the whole file, or leaves it unchanged if that fails. */
function writeBookmarks(file: string, bookmarks: readonly Bookmark[]): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // Only the user may read the file, since notes may contain data of the program.
    writeFileSync(temporary, `${JSON.stringify({ version: FILE_VERSION, bookmarks }, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw fileError(file, 'cannot be written; the bookmark is not saved', error);
  }
}

function fileError(file: string, problemText: string, error: unknown): ProtocolError {
  return new ProtocolError(ERROR_CODES.internal, `${file} ${problemText}: ${(error as Error).message}`);
}
