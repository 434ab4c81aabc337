// Where the sockets of recorded processes stand: in a directory that belongs to this user and that nobody else may enter. So nobody else can ask, and what stands there is nobody else's.
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { DIRECTORY_MODE } from '../whole-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE = 'TURNTABLE_SERVICES';
/** What a socket of Unix takes for a path, in bytes, on the system that takes the least. */
const LONGEST_PATH = 103;

/** The directories that come into question, the best one first. None, where there are no such sockets, or where the environment wants none. */
export function servicePlaces(environment: Environment): string[] {
  const { [VARIABLE]: said = '', XDG_RUNTIME_DIR: runtime = '' } = environment;
  const user = process.getuid?.();
  if (user === undefined || said === 'off' || said === '0') return [];
  if (said !== '') return [resolve(said)];
  const rooms = [...new Set([runtime, `/run/user/${user}`])].filter((each) => isAbsolute(each) && isOf(user, each));
  return [...rooms.map((room) => join(room, 'turntable')), join(tmpdir(), `turntable-${user}`)];
}

function isOf(user: number, directory: string): boolean {
  try {
    return lstatSync(directory).uid === user;
  } catch {
    return false;
  }
}

/** Makes the directory, if it is not there. Throws, if it is not for this user alone. */
export function makeServicePlace(place: string): void {
  try {
    mkdirSync(place, { mode: DIRECTORY_MODE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (!isForUsAlone(place))
    throw new Error(
      `${place} is not a directory of this user's that nobody else may enter; remove it, or chmod 700 it`,
    );
}

export function isForUsAlone(place: string): boolean {
  try {
    const { mode, uid } = lstatSync(place);
    return (mode & 0o170_000) === 0o040_000 && uid === process.getuid?.() && (mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/** `mark`: of this recording alone, since numbers of processes are used again, and by containers at the same time. */
export function socketName(pid: number, mark: string): string {
  return `${pid}-${mark}.sock`;
}

/** Of one that does not listen yet. */
export function unreadyName(name: string): string {
  return `.${name}`;
}

export function isTooLong(path: string): boolean {
  return Buffer.byteLength(path) > LONGEST_PATH;
}

export interface ServiceSocket {
  readonly path: string;
  readonly pid: number;
}

/** None, if the directory is not for this user alone. */
export function socketsIn(place: string): ServiceSocket[] {
  if (!isForUsAlone(place)) return [];
  return readdirSync(place).flatMap((name) => {
    const [, pid] = /^(\d{1,10})-[0-9a-f]{8}\.sock$/.exec(name) ?? [];
    return pid === undefined ? [] : [{ path: join(place, name), pid: Number(pid) }];
  });
}
