// The sandbox of a process that runs recorded code. Recordings are untrusted, and a replay needs nothing but to read
// Node, Turntable, the recorded packages and the recording. On Linux, namespaces hide everything else; elsewhere Node's
// permission model restricts what the process may do.
import { isAbsolute } from 'node:path';
import { findNamespaces } from './find-namespaces.ts';
import { SYSTEM_PATHS, type SandboxCommand, type Namespaces } from './namespaces.ts';
import { permissionFlags, supportsPermissions } from './permissions.ts';
import { confinedVariables } from './confined-variables.ts';
import { followLinks } from './links.ts';
import { readablePaths, type ReadableRecording } from './readable-paths.ts';
import { machineLimits, type ProcessLimits } from './process-limits.ts';
import { rootDirectory } from './root-directory.ts';

/**
 * What a sandbox guarantees. `isolated`: no network, no other process and no other files can be seen. `restricted`: no
 * files can be written, no processes started, and no connections made. `restricted, network open`: Node before 25.
 */
export type IsolationLevel = 'isolated' | 'restricted' | 'restricted, network open';

/** What a process in the sandbox may use. */
export interface SandboxAccess extends ReadableRecording {
  /** Further files and directories that the process may read. */
  readonly readable: readonly string[];
  /** Directories that the process may write to. */
  readonly writable: readonly string[];
  /** Whether the process may load native code. Default: no. */
  readonly allowsAddons?: boolean;
}

/** A process that is about to be started. */
export interface Launch extends SandboxCommand {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Limits of a process in namespaces, which expects the descriptor of `processKiller`. */
  readonly limits?: ProcessLimits;
}

/** Node flags, then the main program and its arguments. */
export interface NodeLaunch extends Omit<Launch, 'file' | 'args' | 'limits'> {
  readonly flags: readonly string[];
  readonly args: readonly string[];
}

export interface Isolation {
  /** The strongest level that this machine and this version of Node support; null if there is none. */
  readonly level: IsolationLevel | null;
  /** The program that creates the namespaces of level `isolated`. */
  readonly program?: Namespaces['program'];
  /** Why the level is not `isolated`. */
  readonly problem?: string;
}

export function isolation(): Isolation {
  const search = findNamespaces();
  if ('namespaces' in search) return { level: 'isolated', program: search.namespaces.program };
  const { problem } = search;
  if (!supportsPermissions()) return { level: null, problem };
  const hasNetworkRule = process.allowedNodeEnvironmentFlags.has('--allow-net');
  return { level: hasNetworkRule ? 'restricted' : 'restricted, network open', problem };
}

/**
 * Returns the launch of the same process in the sandbox.
 * @param namespaces null for Node's permission model only
 * @param limits of the process in namespaces
 */
export function confine(
  { flags, args, cwd, env }: NodeLaunch,
  access: SandboxAccess,
  namespaces: Namespaces | null = availableNamespaces(),
  limits: ProcessLimits = machineLimits(access.manifest.workers + 1),
): Launch {
  const variables = confinedVariables(env);
  const shown = readablePaths(access);
  const links = new Map<string, string>();
  const withoutLinks = (paths: readonly string[]): string[] => paths.map((path) => followLinks(path, links));
  const readable = withoutLinks([...shown.existing, ...access.readable]);
  const writable = withoutLinks(access.writable);
  if (namespaces === null) {
    const { allowsAddons = false } = access;
    const paths = [
      ...new Set([...shown.existing, ...shown.missing, ...shown.sourceFiles, ...access.readable, ...readable]),
    ];
    const confinedFlags = [...permissionFlags({ readable: paths, writable, allowsAddons }), ...flags];
    return { file: process.execPath, args: [...confinedFlags, ...args], cwd, env: variables };
  }
  const directories = withoutLinks(shown.emptyDirectories);
  const files = withoutLinks(shown.emptyFiles);
  withoutLinks(shown.links);
  for (const path of SYSTEM_PATHS) links.delete(path);
  const root = rootDirectory(access.recording, { directories, files, links });
  const addonFlags = access.allowsAddons === true ? [] : ['--no-addons'];
  const command = { file: process.execPath, args: [...addonFlags, ...flags, ...args] };
  const view = { root, cwd: isAbsolute(cwd) ? cwd : '/', readable, writable };
  return { ...namespaces.isolate(command, view, limits), cwd: '/', env: variables, limits };
}

function availableNamespaces(): Namespaces | null {
  const search = findNamespaces();
  return 'namespaces' in search ? search.namespaces : null;
}
