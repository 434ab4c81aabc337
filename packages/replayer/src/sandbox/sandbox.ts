// The sandbox of a process that runs recorded code. Recordings are untrusted, and a replay needs nothing but to read
// Node, Turntable, the recorded packages and the recording. On Linux, namespaces hide everything else; elsewhere Node's
// permission model restricts what the process may do.
import { isAbsolute } from 'node:path';
import type { Manifest } from '@turntable/recording';
import { findNamespaces } from './find-namespaces.ts';
import { SYSTEM_PATHS, type SandboxCommand, type Namespaces } from './namespaces.ts';
import { permissionFlags, supportsPermissions } from './permissions.ts';
import { confinedVariables } from './confined-variables.ts';
import { followLinks } from './links.ts';
import { readablePaths, type ReadablePaths, type ReadableRecording } from './readable-paths.ts';
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
  const shown = shownPaths(access);
  const links = new Map(shown.links);
  const readable = [...shown.readable, ...withoutLinks(access.readable, links)];
  const writable = withoutLinks(access.writable, links);
  if (namespaces === null) {
    const { allowsAddons = false } = access;
    const { existing, missing, sourceFiles } = shown.paths;
    const paths = [...new Set([...existing, ...missing, ...sourceFiles, ...access.readable, ...readable])];
    const confinedFlags = [...permissionFlags({ readable: paths, writable, allowsAddons }), ...flags];
    return { file: process.execPath, args: [...confinedFlags, ...args], cwd, env: variables };
  }
  for (const path of SYSTEM_PATHS) links.delete(path);
  const root = rootDirectory(access.recording, { directories: shown.directories, files: shown.files, links });
  const addonFlags = access.allowsAddons === true ? [] : ['--no-addons'];
  const command = { file: process.execPath, args: [...addonFlags, ...flags, ...args] };
  const view = { root, cwd: isAbsolute(cwd) ? cwd : '/', readable, writable };
  return { ...namespaces.isolate(command, view, limits), cwd: '/', env: variables, limits };
}

/** The paths of a recording, without the links in them. */
interface ShownPaths {
  readonly paths: ReadablePaths;
  readonly readable: readonly string[];
  readonly directories: readonly string[];
  readonly files: readonly string[];
  /** Targets of symbolic links, by path. */
  readonly links: ReadonlyMap<string, string>;
}

/** Paths by manifest. A debugger starts many processes for one recording. */
const knownPaths = new WeakMap<Manifest, Map<string, ShownPaths>>();

function shownPaths(access: ReadableRecording): ShownPaths {
  const key = `${access.readsProgram} ${access.recording}`;
  const known = knownPaths.get(access.manifest) ?? new Map<string, ShownPaths>();
  knownPaths.set(access.manifest, known);
  let shown = known.get(key);
  if (shown === undefined) known.set(key, (shown = findShownPaths(access)));
  return shown;
}

function findShownPaths(access: ReadableRecording): ShownPaths {
  const paths = readablePaths(access);
  const links = new Map<string, string>();
  const readable = withoutLinks(paths.existing, links);
  const directories = withoutLinks(paths.emptyDirectories, links);
  const files = withoutLinks(paths.emptyFiles, links);
  withoutLinks(paths.links, links);
  return { paths, readable, directories, files, links };
}

function withoutLinks(paths: readonly string[], links: Map<string, string>): string[] {
  return paths.map((path) => followLinks(path, links));
}

function availableNamespaces(): Namespaces | null {
  const search = findNamespaces();
  return 'namespaces' in search ? search.namespaces : null;
}
