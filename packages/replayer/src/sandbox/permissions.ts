// Node's permission model: files can be read but not written, no processes started and, from Node 25 on, no connections
// made. This prevents accidents, also in evaluated expressions. It is no sandbox against a hostile program.

export interface GrantedPermissions {
  /** Directories that the process may write to. */
  readonly writable: readonly string[];
  readonly allowsAddons: boolean;
}

/** Whether this version of Node has the permission model, and allows the inspector under it, for evaluations. */
export function supportsPermissions(): boolean {
  const { allowedNodeEnvironmentFlags: flags } = process;
  return flags.has('--permission') && flags.has('--allow-inspector');
}

/** Node's permission flags. All files may be read: a program that looks for a missing file must get that error. */
export function permissionFlags({ writable, allowsAddons }: GrantedPermissions): string[] {
  return [
    '--permission',
    '--allow-fs-read=*',
    '--allow-worker',
    '--allow-inspector',
    ...writable.map((path) => `--allow-fs-write=${path}`),
    ...(allowsAddons ? ['--allow-addons'] : []),
    // Node warns about the flags above.
    ...SUPPRESSED_WARNINGS.map((code) => `--disable-warning=${code}`),
  ];
}

const SUPPRESSED_WARNINGS = ['PERM0001', 'PERM0004', 'PERM0006'];
