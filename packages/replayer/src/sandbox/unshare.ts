// Linux namespaces, by the programs of util-linux, which nearly all distributions have. A shell script makes the view
// of the process and drops all privileges before it starts the process.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TemporaryDirectory } from '../paths/recording-directory.ts';
import { escapeMountPath, isBelow, mountOf, readMounts, type Mount } from './mounts.ts';
import {
  findProgram,
  SYSTEM_PATHS,
  type SandboxCommand,
  type Namespaces,
  type NamespaceSearch,
  type SandboxView,
} from './namespaces.ts';
import { probeFailure } from './probe.ts';
import { INFO_DESCRIPTOR } from './process-killer.ts';
import {
  memoryLimitCommands,
  namespaceLimitCommands,
  taskLimitCommands,
  type ProcessLimits,
} from './process-limits.ts';

const PROGRAMS = ['unshare', 'setpriv', 'setsid', 'mount', 'umount', 'pivot_root', 'sh'] as const;
const SYSTEM_DIRECTORIES = ['/usr/sbin', '/sbin'];

type Programs = Readonly<Record<(typeof PROGRAMS)[number], string>>;

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`);
const DEVICE_LINKS = {
  fd: '/proc/self/fd',
  stdin: '/proc/self/fd/0',
  stdout: '/proc/self/fd/1',
  stderr: '/proc/self/fd/2',
};
/** Where the script has the machine's root directory until it unmounts it. */
const HOST = '/.host';

const UNSHARE_ARGUMENTS = [
  '--user',
  // The programs below work for root only. They have its rights only in the namespaces.
  '--map-root-user',
  '--pid',
  '--mount',
  '--net',
  '--ipc',
  '--uts',
  '--cgroup',
  '--fork',
  '--kill-child=SIGKILL',
];

/**
 * Runs as the first process in the namespaces. The number of user namespaces is limited first, because they would give
 * privileges again. /proc is still that of the machine, so it names the process by its id outside.
 */
const setup = (limits: ProcessLimits): string => `set -eu
root=$1 table=$2 cwd=$3 mount=$4 umount=$5 pivot_root=$6
exec 8<"$7" 9<"$8"
shift 8
fail() {
  printf '%s\\n' "$1" >&2
  exit 1
}
read -r pid rest </proc/self/stat
printf '"child-pid": %s\\n' "$pid" >&${INFO_DESCRIPTOR}
exec ${INFO_DESCRIPTOR}>&-
echo 0 >/proc/sys/user/max_user_namespaces
${memoryLimitCommands(limits)}
${taskLimitCommands(limits)}
${namespaceLimitCommands(limits)}
errors=$("$mount" --all --fstab "$table" 2>&1) || fail "$errors"
while [ "$1" != -- ]; do
  "$mount" -o "$1" "$2" "$3"
  shift 3
done
shift
cd "$root"
"$pivot_root" . .${HOST}
"${HOST}$umount" --lazy ${HOST}
cd "$cwd"
unset OLDPWD
exec /proc/self/fd/8 --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- /proc/self/fd/9 "$@"`;

/**
 * The first process in the namespaces once it has no privileges. Node must not be this process, which no signal from
 * within ends. It keeps no descriptors, so that a pipe closes when Node closes it.
 */
const INIT = `exec 7<&0
"$@" <&7 7<&- 8<&- 9<&- &
exec <&- >&- 2>&- 3>&- 4>&- 5>&- 6>&- 7<&- 8<&- 9<&-
wait $!`;

export function searchUnshare(): NamespaceSearch {
  const found = PROGRAMS.map((name) => [name, findProgram(name, SYSTEM_DIRECTORIES)] as const);
  const missing = found.filter(([, path]) => path === undefined).map(([name]) => name);
  if (missing.length > 0) return { problem: `${missing.join(', ')} of util-linux cannot be found` };
  const programs = Object.fromEntries(found.map(([name, path]) => [name, realpathSync(path as string)])) as Programs;
  const namespaces = unshare(programs);
  const failure = probeFailure(namespaces);
  return failure === undefined
    ? { namespaces }
    : { problem: `${programs.unshare} cannot create namespaces here (${failure})` };
}

function unshare(programs: Programs): Namespaces {
  return { program: 'unshare', isolate: (command, view, limits) => isolate(programs, command, view, limits) };
}

function isolate(
  programs: Programs,
  { file, args }: SandboxCommand,
  view: SandboxView,
  limits: ProcessLimits,
): SandboxCommand {
  const { root, cwd, writable } = view;
  const mounts = readMounts();
  const readable = [...new Set([...SYSTEM_PATHS, ...view.readable])].toSorted().filter((path) => existsSync(path));
  const written = [...new Set(writable)].toSorted().filter((path) => existsSync(path));
  const devices = DEVICES.filter((path) => existsSync(path));
  for (const path of [...readable, ...written, ...devices]) makeMountPoint(root, path);
  for (const path of ['/proc', HOST]) mkdirSync(join(root, path), { recursive: true });
  for (const [name, target] of Object.entries(DEVICE_LINKS)) makeLink(join(root, 'dev', name), target);
  const table = [
    bindEntry(root, root, readOnlyOptions(root, mounts)),
    ...readable.map((path) => bindEntry(path, root + path, readOnlyOptions(path, mounts))),
    ...devices.map((path) => bindEntry(path, root + path, readOnlyOptions(path, mounts, ''))),
    tableEntry('proc', `${root}/proc`, 'proc', 'ro,nosuid,nodev,noexec'),
  ];
  const further = [
    ...readable.flatMap((path) => submounts(path, mounts).map(remount(root))),
    ...written.map((path) => ['rbind', path, root + path]),
  ];
  const { mount, umount, pivot_root: pivotRoot, setpriv, setsid, sh } = programs;
  const script = [
    setup(limits),
    'sandbox',
    root,
    tableFile(table.join('')),
    cwd,
    mount,
    umount,
    pivotRoot,
    setpriv,
    sh,
  ];
  const process = [...further.flat(), '--', '-c', INIT, 'sandbox', file, ...args];
  return {
    file: setpriv,
    args: [
      '--pdeathsig=KILL',
      '--',
      programs.unshare,
      ...UNSHARE_ARGUMENTS,
      '--',
      setsid,
      sh,
      '-c',
      ...script,
      ...process,
    ],
  };
}

function bindEntry(source: string, target: string, options: string): string {
  return tableEntry(realpathSync(source), target, 'none', options);
}

function tableEntry(source: string, target: string, type: string, options: string): string {
  return `${escapeMountPath(source)} ${escapeMountPath(target)} ${type} ${options} 0 0\n`;
}

/** A mount that forbids the execution of files cannot be bound without that. */
function readOnlyOptions(path: string, mounts: readonly Mount[], nodev = ',nodev'): string {
  const forbidsExecution = mountOf(realpathSync(path), mounts)?.options.has('noexec') === true;
  return `rbind,ro,nosuid${nodev}${forbidsExecution ? ',noexec' : ''}`;
}

interface Submount {
  /** Path in the sandbox. */
  readonly path: string;
  readonly mount: Mount;
}

/** The writable mounts in a directory, which are bound with it but do not become read-only with it. */
function submounts(directory: string, mounts: readonly Mount[]): Submount[] {
  const source = realpathSync(directory);
  return mounts
    .filter(({ path, options }) => path !== source && isBelow(path, source) && !options.has('ro'))
    .map((mount) => ({ path: directory + mount.path.slice(source.length), mount }));
}

const remount =
  (root: string) =>
  ({ path, mount }: Submount): string[] => {
    const options = [...mount.options].filter((option) => option !== 'rw');
    return [['remount,bind,ro', ...options].join(','), 'none', root + path];
  };

/** Creates an empty directory or file. Symbolic links in the root directory may lead out of it, so none is followed. */
function makeMountPoint(root: string, path: string): void {
  const target = root + path;
  makeDirectories(root, dirname(path));
  if (statSync(path).isDirectory()) makeDirectories(root, path);
  else if (lstatSync(target, { throwIfNoEntry: false }) === undefined) writeFileSync(target, '', { flag: 'wx' });
}

function makeDirectories(root: string, path: string): void {
  if (path === '/') return;
  const stats = lstatSync(root + path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return;
  makeDirectories(root, dirname(path));
  mkdirSync(root + path);
}

function makeLink(path: string, target: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) symlinkSync(target, path);
}

let tables: TemporaryDirectory | undefined;

/** Writes a table of mounts, which mount(8) reads only from a file. It is deleted when this process ends. */
function tableFile(text: string): string {
  tables ??= new TemporaryDirectory();
  const file = join(tables.path, createHash('sha256').update(text).digest('hex'));
  if (!existsSync(file)) writeFileSync(file, text);
  return file;
}
