// Where the sockets of recorded processes stand: in a directory that belongs to this user and that nobody else may enter. So nobody else can ask, and what stands there is nobody else's.
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { DIRECTORY_MODE } from '../atomic-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SERVICES_VARIABLE = 'TURNTABLE_SERVICES';
/** What a socket of Unix takes for a path, in bytes, on the system that takes the least. */
const MAX_SOCKET_PATH_BYTES = 103;

/** The directories that come into question, the best one first. None, where there are no such sockets, or where the environment wants none. */
export function serviceDirectories(environment: Environment): string[] {
  const { [SERVICES_VARIABLE]: configured = '', XDG_RUNTIME_DIR: runtimeDirectory = '' } = environment;
  const user = process.getuid?.();
  if (user === undefined || configured === 'off' || configured === '0') return [];
  if (configured !== '') return [resolve(configured)];
  const runtimeDirectories = [...new Set([runtimeDirectory, `/run/user/${user}`])].filter(
    (each) => isAbsolute(each) && isOwnedBy(user, each),
  );
  return [...runtimeDirectories.map((parent) => join(parent, 'turntable')), join(tmpdir(), `turntable-${user}`)];
}

function isOwnedBy(user: number, directory: string): boolean {
  try {
    return lstatSync(directory).uid === user;
  } catch {
    return false;
  }
}

/** Makes the directory, if it is not there. Throws, if it is not for this user alone. */
export function createServiceDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: DIRECTORY_MODE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (!isPrivateDirectory(directory))
    throw new Error(
      `${directory} is not a directory of this user's that nobody else may enter; remove it, or chmod 700 it`,
    );
}

export function isPrivateDirectory(directory: string): boolean {
  try {
    const { mode, uid } = lstatSync(directory);
    return (mode & 0o170_000) === 0o040_000 && uid === process.getuid?.() && (mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/** `nonce`: of this recording alone, since numbers of processes are used again, and by containers at the same time. */
export function socketName(pid: number, nonce: string): string {
  return `${pid}-${nonce}.sock`;
}

/** Of one that does not listen yet. */
export function pendingSocketName(name: string): string {
  return `.${name}`;
}

export function isSocketPathTooLong(path: string): boolean {
  return Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES;
}

export interface ServiceSocket {
  readonly path: string;
  readonly pid: number;
}

/** None, if the directory is not for this user alone. */
export function listSockets(directory: string): ServiceSocket[] {
  if (!isPrivateDirectory(directory)) return [];
  return readdirSync(directory).flatMap((name) => {
    const [, pid] = /^(\d{1,10})-[0-9a-f]{8}\.sock$/.exec(name) ?? [];
    return pid === undefined ? [] : [{ path: join(directory, name), pid: Number(pid) }];
  });
}
