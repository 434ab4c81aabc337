// What a process may do that runs a recording again for somebody who looks into it: a recording is somebody's program, and what it asks of the outside is in its traces. So by Node's
// permission model it reads, and writes, starts and (where Node can forbid that, from 25 on) reaches nothing. That keeps away what happens by mistake, an expression that is evaluated among
// it; it is no prison for a program that wants to get out of it.

export interface Permissions {
  /** Directories that it may write to, besides. */
  readonly writablePaths: readonly string[];
  /** Where it keeps transformed code. */
  readonly codeCache: string;
}

/** Whether this Node can forbid anything and let an expression be evaluated all the same. */
export function supportsPermissions(): boolean {
  const { allowedNodeEnvironmentFlags: flags } = process;
  return flags.has('--permission') && flags.has('--allow-inspector');
}

/** Flags of Node that say so. All may be read: whoever looks for a file where none is would be told that it must not look. */
export function permissionFlags({ writablePaths, codeCache }: Permissions): string[] {
  return [
    '--permission',
    '--allow-fs-read=*',
    '--allow-worker',
    '--allow-inspector',
    ...[...writablePaths, codeCache].map((path) => `--allow-fs-write=${path}`),
    // What reads programs to transform them is one.
    '--allow-addons',
    // That some of these need care.
    ...SUPPRESSED_WARNINGS.map((code) => `--disable-warning=${code}`),
  ];
}

const SUPPRESSED_WARNINGS = ['PERM0001', 'PERM0004', 'PERM0006'];

/** Of the recorded run's flags those that may be had again: none that permits something, opens a port or writes a file. */
export function harmlessFlags(flags: readonly string[]): string[] {
  return flags.filter((flag) => !HARMFUL_FLAG.test(flag));
}

const HARMFUL_FLAG =
  /^--(?:no-)?(?:experimental-)?(?:permission|allow-(?:fs|addons|child|worker|wasi|net|inspector|ffi)|inspect|cpu-prof|heap-prof|heapsnapshot|report|diagnostic-dir|redirect-warnings|trace-event|tls-keylog|env-file|prof|logfile|perf)/;

/** Of the recorded run's environment what says nothing to Node or to what loads it. */
export function harmlessVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => name === 'NODE_ENV' || !RUNTIME_VARIABLE.test(name)),
  );
}

const RUNTIME_VARIABLE = /^(?:NODE|LD|DYLD|OPENSSL|SSL|SSLKEYLOG|TURNTABLE|UV)(?:_|FILE|$)/i;
