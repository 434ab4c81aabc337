// What a process may do that runs a recording again for somebody who looks into it: a recording is somebody's program, and what it asks of the outside is in its traces. So by Node's
// permission model it reads, and writes, starts and (where Node can forbid that, from 25 on) reaches nothing. That keeps away what happens by mistake, an expression that is evaluated among
// it; it is no prison for a program that wants to get out of it.

export interface Permissions {
  /** Directories that it may write to, besides. */
  readonly writes: readonly string[];
  /** Where it keeps transformed code. */
  readonly cache: string;
}

/** Whether this Node can forbid anything and let an expression be evaluated all the same. */
export function canForbid(): boolean {
  const { allowedNodeEnvironmentFlags: flags } = process;
  return flags.has('--permission') && flags.has('--allow-inspector');
}

/** Flags of Node that say so. All may be read: whoever looks for a file where none is would be told that it must not look. */
export function permissionFlags({ writes, cache }: Permissions): string[] {
  return [
    '--permission',
    '--allow-fs-read=*',
    '--allow-worker',
    '--allow-inspector',
    ...[...writes, cache].map((place) => `--allow-fs-write=${place}`),
    // What reads programs to transform them is one.
    '--allow-addons',
    // That some of these need care.
    ...WARNINGS.map((code) => `--disable-warning=${code}`),
  ];
}

const WARNINGS = ['PERM0001', 'PERM0004', 'PERM0006'];

/** Of the recorded run's flags those that may be had again: none that permits something, opens a port or writes a file. */
export function harmlessFlags(flags: readonly string[]): string[] {
  return flags.filter((flag) => !HARMFUL.test(flag));
}

const HARMFUL =
  /^--(?:no-)?(?:experimental-)?(?:permission|allow-(?:fs|addons|child|worker|wasi|net|inspector|ffi)|inspect|cpu-prof|heap-prof|heapsnapshot|report|diagnostic-dir|redirect-warnings|trace-event|tls-keylog|env-file|prof|logfile|perf)/;

/** Of the recorded run's environment what says nothing to Node or to what loads it. */
export function harmlessVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => name === 'NODE_ENV' || !TELLING.test(name)));
}

const TELLING = /^(?:NODE|LD|DYLD|OPENSSL|SSL|SSLKEYLOG|TURNTABLE|UV)(?:_|FILE|$)/i;
