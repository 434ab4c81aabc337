// Linux namespaces, by bubblewrap. It needs no privileges where the system allows user namespaces.
import { findProgram, SYSTEM_PATHS, type Namespaces, type NamespaceSearch, type SandboxView } from './namespaces.ts';
import { probeFailure } from './probe.ts';
import { INFO_DESCRIPTOR } from './process-killer.ts';
import { memoryLimitCommands, taskLimitCommands, type ProcessLimits } from './process-limits.ts';

const NAMESPACES = ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
/** Also forbids user namespaces within, which the kernel's defects often need. Unknown to older versions. */
const NO_NESTED_NAMESPACES = ['--unshare-user', '--disable-userns'];

/** Arguments that a version supports and that do not depend on the process. */
interface Variant {
  readonly namespaceArgs: readonly string[];
  /** Whether a shell in the namespaces limits the number of processes. Some shells work only under their own name. */
  readonly hasInnerShell: boolean;
}

export function searchBubblewrap(): NamespaceSearch {
  const file = findProgram('bwrap');
  if (file === undefined) return { problem: 'bubblewrap (bwrap) is not installed' };
  const variants = [[...NAMESPACES, ...NO_NESTED_NAMESPACES], NAMESPACES].flatMap((namespaceArgs): Variant[] =>
    [true, false].map((hasInnerShell) => ({ namespaceArgs, hasInnerShell })),
  );
  const namespaces = variants
    .map((variant) => bubblewrap(file, variant))
    .find((each) => probeFailure(each) === undefined);
  return namespaces === undefined ? { problem: `${file} may not create user namespaces here` } : { namespaces };
}

const SHELL = '/bin/sh';
/** Starts bubblewrap. The open file of the shell is not visible in the namespaces. */
const outerCommands = (limits: ProcessLimits): string => `${memoryLimitCommands(limits)}
exec 9<${SHELL}
exec "$@"`;
const innerCommands = (limits: ProcessLimits): string => `${taskLimitCommands(limits)}
exec "$@" 9<&-`;

function bubblewrap(program: string, { namespaceArgs, hasInnerShell }: Variant): Namespaces {
  return {
    program: 'bubblewrap',
    isolate: ({ file, args }, view, limits) => ({
      file: SHELL,
      args: [
        '-c',
        outerCommands(limits),
        'sandbox',
        program,
        ...namespaceArgs,
        '--info-fd',
        String(INFO_DESCRIPTOR),
        ...viewArguments(view),
        '--',
        ...(hasInnerShell ? ['/proc/self/fd/9', '-c', innerCommands(limits), 'sandbox'] : []),
        file,
        ...args,
      ],
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
