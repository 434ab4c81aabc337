// Linux namespaces, by bubblewrap. It needs no privileges where the system allows user namespaces.
import { spawnSync } from 'node:child_process';
import { existsSync, readlinkSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';

export interface Bubblewrap {
  readonly file: string;
  /** Arguments that this version supports and that do not depend on the process. */
  readonly args: readonly string[];
}

export interface SandboxView {
  /** Working directory. */
  readonly cwd?: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly emptyDirectories?: readonly string[];
  readonly emptyFiles?: readonly string[];
}

const NAMESPACES = ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
/** Also forbids user namespaces within, which the kernel's defects often need. Unknown to older versions. */
const NO_NESTED_NAMESPACES = ['--unshare-user', '--disable-userns'];
/** Files of the system that Node needs: its libraries and the time zones. */
const SYSTEM_PATHS = [
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
/** A directory in memory. */
const SCRATCH_DIRECTORY = '/tmp';
const SCRATCH_BYTES = 256 << 20;
const PROBE_TIMEOUT_MS = 5000;

type Search = { readonly bubblewrap: Bubblewrap } | { readonly problem: string };

let searched: Search | undefined;

/** Finds bubblewrap, or the reason why it cannot be used on this machine. */
export function searchBubblewrap(): Search {
  return (searched ??= search());
}

function search(): Search {
  if (process.platform !== 'linux') return { problem: `there are no namespaces on ${process.platform}` };
  const directories = ['/usr/bin', '/usr/local/bin', ...(process.env['PATH'] ?? '').split(delimiter)];
  const file = directories.map((directory) => join(directory, 'bwrap')).find((path) => existsSync(path));
  if (file === undefined) return { problem: 'bubblewrap (bwrap) is not installed' };
  const bubblewrap = [[...NAMESPACES, ...NO_NESTED_NAMESPACES], NAMESPACES]
    .map((args): Bubblewrap => ({ file, args }))
    .find((each) => works(each));
  return bubblewrap === undefined ? { problem: `${file} may not create user namespaces here` } : { bubblewrap };
}

function works({ file, args }: Bubblewrap): boolean {
  const visible = bubblewrapArguments({ readable: [process.execPath], writable: [] });
  const options = { stdio: 'ignore', timeout: PROBE_TIMEOUT_MS, env: {} } as const;
  return spawnSync(file, [...args, ...visible, '--', process.execPath, '--version'], options).status === 0;
}

/** Arguments that make only these paths visible, at the same place as outside. */
export function bubblewrapArguments({
  cwd = SCRATCH_DIRECTORY,
  readable,
  writable,
  emptyDirectories = [],
  emptyFiles = [],
}: SandboxView): string[] {
  const links = new Map<string, string>();
  const withoutLinks = (paths: readonly string[]): string[] => paths.map((path) => followLinks(path, links));
  // A manifest of another system, or a hostile one, may have others.
  const directories = withoutLinks(emptyDirectories.filter((path) => isAbsolute(path)));
  const files = withoutLinks(emptyFiles);
  const binds = [
    ...bindArguments('--ro-bind-try', withoutLinks(readable)),
    ...bindArguments('--bind', withoutLinks(writable)),
  ];
  return [
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...SYSTEM_PATHS.flatMap((path) => ['--ro-bind-try', path, path]),
    '--size',
    String(SCRATCH_BYTES),
    '--tmpfs',
    SCRATCH_DIRECTORY,
    ...[...links].flatMap(([path, target]) => (SYSTEM_PATHS.includes(path) ? [] : ['--symlink', target, path])),
    ...directories.flatMap((path) => ['--dir', path]),
    ...files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...binds,
    '--chdir',
    isAbsolute(cwd) ? cwd : SCRATCH_DIRECTORY,
  ];
}

/** A path below another one must be bound after it. */
function bindArguments(flag: string, paths: readonly string[]): string[] {
  return [...new Set(paths)].toSorted().flatMap((path) => [flag, path, path]);
}

/** Maximum number of symbolic links in one path, as in Linux. */
const MAX_LINKS = 40;

/** Resolves the symbolic links of a path, and adds them to `links`. */
function followLinks(path: string, links: Map<string, string>, depth = 0): string {
  const names = path.split('/');
  for (let count = 2; count <= names.length; count++) {
    const part = names.slice(0, count).join('/');
    const target = linkTarget(part);
    if (target === undefined || depth === MAX_LINKS) continue;
    links.set(part, target);
    return followLinks(resolve(dirname(part), target, ...names.slice(count)), links, depth + 1);
  }
  return path;
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // A file or directory, or nothing.
    return undefined;
  }
}
