// Node's permission model: only listed files can be read and written, no processes started and, from Node 25 on, no connections
// made. This prevents accidents, also in evaluated expressions. It is no sandbox against a hostile program.
import { fileURLToPath } from 'node:url';
import { programFileUrl } from '../program-file.ts';

export interface GrantedPermissions {
  /** Files and directories that the process may read. */
  readonly readable: readonly string[];
  /** Directories that the process may write to. */
  readonly writable: readonly string[];
  readonly allowsAddons: boolean;
}

/** Whether this version of Node has the permission model, and allows the inspector under it, for evaluations. */
export function supportsPermissions(): boolean {
  const { allowedNodeEnvironmentFlags: flags } = process;
  return flags.has('--permission') && flags.has('--allow-inspector');
}

export function permissionFlags({ readable, writable, allowsAddons }: GrantedPermissions): string[] {
  return [
    '--permission',
    // Before all other code. Unlike --import, it also applies to threads whose code is a text.
    `--require=${fileURLToPath(programFileUrl('restricted-thread'))}`,
    ...[...readable, ...writable].filter(hasNoWildcard).map((path) => `--allow-fs-read=${path}`),
    '--allow-worker',
    '--allow-inspector',
    ...(process.allowedNodeEnvironmentFlags.has('--disable-sigusr1') ? ['--disable-sigusr1'] : []),
    ...writable.filter(hasNoWildcard).map((path) => `--allow-fs-write=${path}`),
    ...(allowsAddons ? ['--allow-addons'] : []),
    // Node warns about the flags above.
    ...SUPPRESSED_WARNINGS.map((code) => `--disable-warning=${code}`),
  ];
}

/** Node grants all paths with the prefix before a wildcard. Some paths are from the manifest, which is untrusted. */
function hasNoWildcard(path: string): boolean {
  return !path.includes('*');
}

const SUPPRESSED_WARNINGS = ['PERM0001', 'PERM0004', 'PERM0006'];
