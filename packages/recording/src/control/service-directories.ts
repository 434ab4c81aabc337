// Directories of control sockets. Each belongs to this user and is closed to others: only this user can send requests,
// and every socket there is the user's.
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { DIRECTORY_MODE } from '../atomic-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SERVICES_VARIABLE = 'TURNTABLE_SERVICES';
/** Maximum length in bytes of a Unix socket path, on the strictest system. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Returns candidate directories, best first; none if the platform or the environment rules sockets out. */
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

/** Creates the directory if it is missing. Throws if other users have access. */
export function createServiceDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: DIRECTORY_MODE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (!isPrivateDirectory(directory))
    throw new Error(`${directory} must be a directory of this user with mode 700; remove it, or run chmod 700`);
}

export function isPrivateDirectory(directory: string): boolean {
  try {
    const { mode, uid } = lstatSync(directory);
    return (mode & 0o170_000) === 0o040_000 && uid === process.getuid?.() && (mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/** @param nonce unique to the recording, because process ids are reused, and shared between containers */
export function socketName(pid: number, nonce: string): string {
  return `${pid}-${nonce}.sock`;
}

/** Returns the temporary name of a socket that does not listen yet. `listSockets` ignores this name. */
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

/** Lists the sockets of a directory; none if other users have access to it. */
export function listSockets(directory: string): ServiceSocket[] {
  if (!isPrivateDirectory(directory)) return [];
  return readdirSync(directory).flatMap((name) => {
    const [, pid] = /^(\d{1,10})-[0-9a-f]{8}\.sock$/.exec(name) ?? [];
    return pid === undefined ? [] : [{ path: join(directory, name), pid: Number(pid) }];
  });
}
