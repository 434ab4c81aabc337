// Surveys that were made, in a directory of the user's own: a recording may be where nothing can be written, is not to change when somebody looks at it, and may be unpacked
// somewhere else each time; so a survey is found by what its recording has, wherever that is. What cannot be read or written there is not there, and what is
// damaged is made anew.
import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { bytesOfSurvey, keptSurvey, type Kept } from './kept-survey.ts';
import type { Survey } from './survey.ts';

const ENDING = '.survey';
/** Of a directory with what a survey has been given besides. */
const STATES = '.states';
/** Of more, those that nobody has looked at for longest are deleted. */
const MOST = 16;
/** Of which there are states: they are larger by far. */
const MOST_STATES = 4;
/** Bytes that are read at a time. */
const PIECE = 1 << 20;

/**
 * Of all that a survey is a function of: manifest and traces, the snapshot that it begins with, and what else the caller knows.
 * @param files of a recording's directory
 */
export function surveyKey(directory: string, files: readonly string[], ...others: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(others));
  const bytes = Buffer.allocUnsafe(PIECE);
  for (const name of files.toSorted()) {
    hash.update(`\0${name}\0`);
    const file = openSync(join(directory, name), 'r');
    try {
      for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes))
        hash.update(bytes.subarray(0, read));
    } finally {
      closeSync(file);
    }
  }
  return hash.digest('hex');
}

export class SurveyCache {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get(key: string): Kept | undefined {
    const file = join(this.#directory, key + ENDING);
    try {
      const kept = keptSurvey(readFileSync(file));
      const now = new Date();
      if (kept !== undefined) utimesSync(file, now, now);
      return kept;
    } catch {
      return undefined;
    }
  }

  /** @param about plain data that is to be had again with it */
  put(key: string, survey: Survey, about: unknown): void {
    const file = join(this.#directory, key + ENDING);
    const next = `${file}.${process.pid}`;
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      // Names of actors and errors of a program are in it.
      writeFileSync(next, bytesOfSurvey(survey, about), { mode: 0o600 });
      renameSync(next, file);
      this.#deleteOld();
    } catch {
      rmSync(next, { force: true });
    }
  }

  /** Where states are that have been put there, if they still are. */
  statesOf(key: string): string {
    return join(this.#directory, key + STATES);
  }

  /** A directory in which states for a survey are made; nothing, if there can be none. */
  roomForStates(key: string): string | undefined {
    const room = `${this.statesOf(key)}.${process.pid}`;
    try {
      mkdirSync(room, { recursive: true, mode: 0o700 });
      return room;
    } catch {
      return undefined;
    }
  }

  /** Behind the survey itself. @param directory in the room for them, which goes with it; nothing, if none have come of it */
  putStates(key: string, directory: string | undefined): void {
    const place = this.statesOf(key);
    try {
      if (directory !== undefined) {
        rmSync(place, { recursive: true, force: true });
        renameSync(directory, place);
      }
      this.#deleteOld();
    } catch {
      // There are none, then.
    }
    rmSync(`${place}.${process.pid}`, { recursive: true, force: true });
  }

  #deleteOld(): void {
    const names = readdirSync(this.#directory);
    const all = names
      .filter((name) => name.endsWith(ENDING))
      .map((name) => ({ name, time: statSync(join(this.#directory, name)).mtimeMs }))
      .toSorted((a, b) => b.time - a.time)
      .map(({ name }) => name.slice(0, -ENDING.length));
    for (const key of all.slice(MOST)) rmSync(join(this.#directory, key + ENDING), { force: true });
    const kept = new Set(all.slice(0, MOST_STATES).map((key) => key + STATES));
    for (const name of names)
      if ((name.endsWith(STATES) && !kept.has(name)) || isLeftBehind(name))
        rmSync(join(this.#directory, name), { recursive: true, force: true });
  }
}

/** A room for states of a process that has ended in the midst of making them. */
function isLeftBehind(name: string): boolean {
  const [, pid] = /\.states\.(\d+)$/.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
