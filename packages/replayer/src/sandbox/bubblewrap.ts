// Linux namespaces, by bubblewrap. It needs no privileges where the system allows user namespaces.
import { findProgram, SYSTEM_PATHS, type Namespaces, type NamespaceSearch, type SandboxView } from './namespaces.ts';
import { probeFailure } from './probe.ts';
import { INFO_DESCRIPTOR } from './process-killer.ts';

const NAMESPACES = ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
/** Also forbids user namespaces within, which the kernel's defects often need. Unknown to older versions. */
const NO_NESTED_NAMESPACES = ['--unshare-user', '--disable-userns'];

export function searchBubblewrap(): NamespaceSearch {
  const file = findProgram('bwrap');
  if (file === undefined) return { problem: 'bubblewrap (bwrap) is not installed' };
  const namespaces = [[...NAMESPACES, ...NO_NESTED_NAMESPACES], NAMESPACES]
    .map((args) => bubblewrap(file, args))
    .find((each) => probeFailure(each) === undefined);
  return namespaces === undefined ? { problem: `${file} may not create user namespaces here` } : { namespaces };
}

/** @param namespaceArgs arguments that this version supports and that do not depend on the process */
function bubblewrap(program: string, namespaceArgs: readonly string[]): Namespaces {
  return {
    program: 'bubblewrap',
    isolate: ({ file, args }, view) => ({
      file: program,
      args: [...namespaceArgs, '--info-fd', String(INFO_DESCRIPTOR), ...viewArguments(view), '--', file, ...args],
    }),
  };
}

function viewArguments({ root, cwd, readable, writable }: SandboxView): string[] {
  return [
    '--bind',
    root,
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...bindArguments('--ro-bind-try', [...SYSTEM_PATHS, ...readable]),
    ...bindArguments('--bind-try', writable),
    // Some files of /proc change settings of the machine, and obey root even without capabilities.
    '--remount-ro',
    '/proc',
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
