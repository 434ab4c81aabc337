// Linux namespaces, by bubblewrap. It needs no privileges where the system allows user namespaces.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

export interface Bubblewrap {
  readonly file: string;
  /** Arguments that this version supports and that do not depend on the process. */
  readonly args: readonly string[];
}

export interface SandboxView {
  /** Directory that the process sees as `/`. Default: an empty one. */
  readonly root?: string;
  /** Working directory. */
  readonly cwd: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

const NAMESPACES = ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
/** Also forbids user namespaces within, which the kernel's defects often need. Unknown to older versions. */
const NO_NESTED_NAMESPACES = ['--unshare-user', '--disable-userns'];
/** Files of the system that Node needs: its libraries and the time zones. */
export const SYSTEM_PATHS: readonly string[] = [
  '/lib',
  '/lib32',
  '/lib64',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/usr/share/zoneinfo',
];
const PROBE_TIMEOUT_MS = 5000;

type Search = { readonly bubblewrap: Bubblewrap } | { readonly problem: string };

let searched: Search | undefined;

/** Finds bubblewrap, or the reason why it cannot be used on this machine. */
export function searchBubblewrap(): Search {
  return (searched ??= search());
}

function search(): Search {
  if (process.platform !== 'linux') return { problem: `there are no namespaces on ${process.platform}` };
  const directories = (process.env['PATH'] ?? '/usr/bin').split(delimiter).filter((path) => isAbsolute(path));
  const file = directories.map((directory) => join(directory, 'bwrap')).find((path) => existsSync(path));
  if (file === undefined) return { problem: 'bubblewrap (bwrap) is not installed' };
  const bubblewrap = [[...NAMESPACES, ...NO_NESTED_NAMESPACES], NAMESPACES]
    .map((args): Bubblewrap => ({ file, args }))
    .find((each) => works(each));
  return bubblewrap === undefined ? { problem: `${file} may not create user namespaces here` } : { bubblewrap };
}

function works({ file, args }: Bubblewrap): boolean {
  const visible = bubblewrapArguments({ cwd: '/', readable: [process.execPath], writable: [] });
  const options = { stdio: 'ignore', timeout: PROBE_TIMEOUT_MS, env: {} } as const;
  return spawnSync(file, [...args, ...visible, '--', process.execPath, '--version'], options).status === 0;
}

/** Arguments that make only these paths visible, at the same place as outside. The paths contain no symbolic links. */
export function bubblewrapArguments({ root, cwd, readable, writable }: SandboxView): string[] {
  return [
    ...(root === undefined ? [] : ['--bind', root, '/']),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...bindArguments('--ro-bind-try', [...SYSTEM_PATHS, ...readable]),
    ...bindArguments('--bind-try', writable),
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    '--chdir',
    cwd,
  ];
}

/** A path below another one must be bound after it. */
function bindArguments(flag: string, paths: readonly string[]): string[] {
  return [...new Set(paths)].toSorted().flatMap((path) => [flag, path, path]);
}
