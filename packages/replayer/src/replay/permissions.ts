// Permissions of a process that replays an untrusted recording. Traces answer all host calls, so Node's permission
// model allows it to read files, but not to write them, to start processes, or to use the network (from Node 25 on).
// This prevents accidents, also in evaluated expressions. It is no sandbox against a hostile program.

export interface Permissions {
  /** Directories that the process may write to, in addition to the code cache. */
  readonly writablePaths: readonly string[];
  readonly codeCache: string;
}

/** Whether this version of Node has the permission model, and allows the inspector under it, for evaluations. */
export function supportsPermissions(): boolean {
  const { allowedNodeEnvironmentFlags: flags } = process;
  return flags.has('--permission') && flags.has('--allow-inspector');
}

/** Node's permission flags. All files may be read: a program that looks for a missing file must get that error. */
export function permissionFlags({ writablePaths, codeCache }: Permissions): string[] {
  return [
    '--permission',
    '--allow-fs-read=*',
    '--allow-worker',
    '--allow-inspector',
    ...[...writablePaths, codeCache].map((path) => `--allow-fs-write=${path}`),
    // The parser of the transform is an addon.
    '--allow-addons',
    // Node warns about the flags above.
    ...SUPPRESSED_WARNINGS.map((code) => `--disable-warning=${code}`),
  ];
}

const SUPPRESSED_WARNINGS = ['PERM0001', 'PERM0004', 'PERM0006'];

/** Recorded flags that a replay may use: none that grants a permission, opens a port or writes a file. */
export function harmlessFlags(flags: readonly string[]): string[] {
  return flags.filter((flag) => !HARMFUL_FLAG.test(flag));
}

const HARMFUL_FLAG =
  /^--(?:no-)?(?:experimental-)?(?:permission|allow-(?:fs|addons|child|worker|wasi|net|inspector|ffi)|inspect|cpu-prof|heap-prof|heapsnapshot|report|diagnostic-dir|redirect-warnings|trace-event|tls-keylog|env-file|prof|logfile|perf)/;

/** Recorded environment variables that affect neither Node nor its loaders. */
export function harmlessVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => name === 'NODE_ENV' || !RUNTIME_VARIABLE.test(name)),
  );
}

const RUNTIME_VARIABLE = /^(?:NODE|LD|DYLD|OPENSSL|SSL|SSLKEYLOG|TURNTABLE|UV)(?:_|FILE|$)/i;
