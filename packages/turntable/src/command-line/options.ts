// Options that several commands share.
import type { Option } from './command-line.ts';

/** Key of a recording that is read. `cli.ts` handles it for all commands. */
export const KEY = {
  flag: 'key',
  argument: 'FILE',
  description: 'open sealed recordings with the key in FILE (TURNTABLE_KEY)',
} as const satisfies Option;

export const JSON_RESULT = { flag: 'json', description: 'print the result as JSON' } as const satisfies Option;

export const FORCE = {
  flag: 'force',
  description: 'continue even if the replay may differ',
} as const satisfies Option;

export const REBUILD = { flag: 'rebuild', description: 'build the run index again' } as const satisfies Option;

export const START_PHASE = {
  flag: 'phase',
  argument: 'PHASE',
  description: 'start from this snapshot',
} as const satisfies Option;

export const OUTPUT = {
  flag: 'output',
  short: 'o',
  argument: 'FILE',
  description: 'write to FILE instead of standard output',
} as const satisfies Option;

export const REDACT = {
  flag: 'redact',
  argument: 'secrets|NAME,…',
  isRepeatable: true,
  description:
    'remove secrets, and the values of variables, fields and headers with these names; /…/: matches of a regular expression; *: all strings and bytes; repeatable',
} as const satisfies Option;

/** `cli.ts` handles it for all commands. */
export const NO_REDACT = {
  flag: 'no-redact',
  description: 'show secrets, which are redacted otherwise (TURNTABLE_REDACT=off)',
} as const satisfies Option;

/** The recording or running program that `debug` and `devtools` open. */
export const PID = {
  flag: 'pid',
  argument: 'PID',
  description: 'open the recording of a running program, which keeps running (see turntable services)',
} as const satisfies Option;

export const PORT = {
  flag: 'port',
  argument: 'N',
  description: 'listen on this port (default: any free one)',
} as const satisfies Option;

export const TRUSTED = {
  flag: 'trusted',
  description: 'do not restrict replay processes: only for recordings of your own programs',
} as const satisfies Option;

export const REQUIRE_ISOLATION = {
  flag: 'require-isolation',
  description: 'run nothing unless replay processes are isolated (see turntable doctor)',
} as const satisfies Option;
