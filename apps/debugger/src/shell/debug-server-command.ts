// The Node and Turntable of debug servers: the user's own Node, and the Turntable of the recording's project, since
// another version might not be able to replay the recording. It runs with all rights of the user, so the user must have
// chosen or confirmed it, and no other user may be able to change it.
import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface DebugServerCommand {
  readonly node: string;
  readonly cli: string;
}

export interface FoundCommand extends DebugServerCommand {
  /** Whether the Turntable was found above the recording, and not named by the user. */
  readonly isFromProject: boolean;
}

/** Returns the Node and Turntable to run; undefined if no directory above the recording has Turntable. */
export function findDebugServerCommand(path: string, environment: NodeJS.ProcessEnv): FoundCommand | undefined {
  const node = environment['TURNTABLE_NODE'] ?? 'node';
  const cliPath = environment['TURNTABLE_CLI'];
  if (cliPath !== undefined) return { node, cli: cliPath, isFromProject: false };
  for (let directory = resolve(path); ; directory = dirname(directory)) {
    const cli = join(directory, 'node_modules/turntable/dist/cli.js');
    if (existsSync(cli)) return { node, cli, isFromProject: true };
    if (dirname(directory) === directory) return undefined;
  }
}

/** The first directory or file on the way to a file that another user can change; undefined if there is none. */
export function changeableByOthers(file: string): string | undefined {
  const { getuid, getgid } = process;
  // Windows has no such modes.
  if (getuid === undefined || getgid === undefined) return undefined;
  const paths = [resolve(file), realpathSync(file)].flatMap(withParents);
  return paths.find((path) => {
    const { uid, gid, mode } = statSync(path);
    // In a directory with the sticky bit, only owners can replace their files.
    const isShared = (mode & 0o1000) === 0 && ((mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== getgid()));
    return (uid !== 0 && uid !== getuid()) || isShared;
  });
}

function withParents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...withParents(parent), path];
}

/** The Turntables that the user has confirmed, in a file. */
export class ConfirmedCommands {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  has(cli: string): boolean {
    return this.#paths.includes(cli);
  }

  add(cli: string): void {
    if (!this.has(cli)) writeFileSync(this.#file, JSON.stringify([...this.#paths, cli]), { mode: 0o600 });
  }

  /** None if the file is missing or damaged. */
  get #paths(): readonly unknown[] {
    try {
      const paths = JSON.parse(readFileSync(this.#file, 'utf8')) as unknown;
      return Array.isArray(paths) ? paths : [];
    } catch {
      return [];
    }
  }
}
