// Reference of all settings: names, defaults and meanings. docs/guide/configuration.md is made from it
// (scripts/configuration-reference.ts), and a test compares it with the settings that the code accepts.
import type { TurntableConfig } from './config-file.ts';
import { DEFAULT_RETENTION, type RetentionLimits, type SnapshotTriggers } from './recording-settings.ts';

export interface SettingReference {
  /** Key in `turntable.config.ts`, with an example of its value; undefined if the setting has none. */
  readonly config?: string;
  /** Environment variable, with an example of its value. */
  readonly variable?: string;
  /** Command line flag. */
  readonly flag?: string;
  readonly defaultText: string;
  readonly meaning: string;
}

type ConfigKey = Exclude<keyof TurntableConfig, 'snapshots' | 'keep'>;

const GENERAL: Readonly<Record<ConfigKey, SettingReference>> = {
  trace: {
    config: "`trace: true`, `'later'`, `{ later: 'SIGUSR2' }`",
    variable: '`TURNTABLE_TRACE=1`, `=later`, `=later=SIGUSR2`',
    flag: '`--trace`, `--later`, `--later=SIGUSR2`',
    defaultText: 'off; on in `turntable record`',
    meaning:
      'record inputs, so that the run can be replayed; `later`: [on demand](record.md#record-later). Implies a recording',
  },
  recordings: {
    config: "`recordings: 'DIR'`, `false`",
    variable: '`TURNTABLE_RECORDINGS=DIR`, `=off`',
    flag: '`--recordings DIR`, `off`',
    defaultText: '`recordings` with `trace`, otherwise none',
    meaning: 'directory of recordings',
  },
  include: {
    config: "`include: ['lodash', './legacy/']`",
    variable: '`TURNTABLE_INCLUDE=lodash,./legacy/`',
    flag: '`--include LIST`',
    defaultText: 'none',
    meaning: 'packages, or parts of paths with a slash, that are always transformed',
  },
  exclude: {
    config: "`exclude: ['sharp']`",
    variable: '`TURNTABLE_EXCLUDE=sharp`',
    flag: '`--exclude LIST`',
    defaultText: 'none',
    meaning: 'the same: never transformed',
  },
  cache: {
    config: "`cache: 'DIR'`, `false`",
    variable: '`TURNTABLE_CACHE=DIR`, `=off`',
    flag: '`--cache DIR`, `off`',
    defaultText: '`node_modules/.cache/turntable` beside the nearest `package.json`; without one, none',
    meaning: 'directory of transformed code',
  },
  explain: {
    config: '`explain: true`',
    variable: '`TURNTABLE_EXPLAIN_CLASSIFICATION=1`',
    flag: '`--explain-classification`',
    defaultText: 'off',
    meaning: 'print at the end which code was transformed, and why, and the time of loading',
  },
  durability: {
    config: "`durability: 'reply'`, `'reply+fsync'`",
    variable: '`TURNTABLE_DURABILITY=reply`, `=reply+fsync`',
    flag: '`--durability reply`, `reply+fsync`',
    defaultText: '`none`',
    meaning: 'with traces: what [HTTP responses wait for](production.md#durable-responses)',
  },
  services: {
    config: '`services: false`',
    variable: '`TURNTABLE_SERVICES=off`, `=DIR`',
    flag: '`--services off`, `DIR`',
    defaultText: 'on',
    meaning:
      'whether [`turntable services`](live.md) can see the program; in variable and flag, the directory of sockets',
  },
};

const SNAPSHOTS: Readonly<Record<keyof SnapshotTriggers, readonly [example: string, meaning: string]>> = {
  every: ['30s', 'interval'],
  work: ['250ms', 'CPU time since the last snapshot'],
  turns: ['100000', 'messages that a thread has handled since'],
  requests: ['1000', 'HTTP requests that a thread has received since'],
  trace: ['64MB', 'size of the trace since'],
  signal: ['SIGUSR2', 'signal to the process'],
  end: ['', 'end of the program'],
};

const KEEP: Readonly<Record<keyof RetentionLimits, readonly [example: string, meaning: string]>> = {
  count: ['20', 'maximum number of snapshots of a recording'],
  age: ['1d', 'maximum age of snapshots'],
  bytes: ['2GB', 'maximum size of snapshots and traces of a recording'],
  recordings: ['10', 'maximum number of recordings in the directory'],
  total: ['20GB', 'maximum size of all recordings'],
  failed: ['', 'keep a recording only if its program fails'],
};

const OTHERS: readonly SettingReference[] = [
  {
    variable: '`TURNTABLE_KEY=FILE`',
    flag: '`--key FILE`',
    defaultText: 'none',
    meaning: 'file with the key that [seals recordings](secrets.md#sealed-recordings), and opens sealed ones',
  },
  {
    variable: '`TURNTABLE_REDACT=NAME,…`',
    flag: '`--no-redact`: `off`',
    defaultText: '[built-in rules](secrets.md#hidden-values)',
    meaning: 'further names and patterns of secrets that are hidden where a recording is shown; `off`: hide none',
  },
  {
    variable: '`TURNTABLE_CAPTURE=STATE`',
    flag: '`--capture STATE`',
    defaultText: 'none',
    meaning: 'run to a job boundary, [write the state](snapshots.md#a-state-without-a-recording) to a file and exit',
  },
  {
    variable: '`TURNTABLE_CAPTURE_AFTER=N`',
    flag: '`--capture-after N`',
    defaultText: '`0`',
    meaning: 'number of job boundaries before `--capture`',
  },
  {
    variable: '`TURNTABLE_HANDLES=dead`',
    flag: '`--handles dead`',
    defaultText: '`refuse`',
    meaning: 'with `--capture`: leave sockets and other handles behind',
  },
  {
    variable: '`TURNTABLE_DAP_TOKEN=TEXT`',
    defaultText: 'random',
    meaning: 'token that clients of [`turntable dap`](editors.md) need',
  },
  {
    variable: '`TURNTABLE_WINDOW=APPLICATION`',
    defaultText: '`turntable-debugger`',
    meaning: 'the application of `turntable debug --window`',
  },
];

/** Rows of a setting that consists of several parts. */
function rowsOfParts(
  setting: 'snapshots' | 'keep',
  parts: Readonly<Record<string, readonly [example: string, meaning: string]>>,
  meaning: string,
  defaults: Readonly<Record<string, string>> = {},
): SettingReference[] {
  const name = setting.toUpperCase();
  return Object.entries(parts).map(([key, [example, partMeaning]]) => {
    const configValue = example === '' ? 'true' : /^\d+$/.test(example) ? example : `'${example}'`;
    const text = example === '' ? key : `${key}=${example}`;
    return {
      config: `\`${setting}: { ${key}: ${configValue} }\``,
      variable: `\`TURNTABLE_${name}=${text}\``,
      flag: `\`--${setting} ${text}\``,
      defaultText: defaults[key] === undefined ? 'off' : `\`${defaults[key]}\``,
      meaning: `${meaning}: ${partMeaning}`,
    };
  });
}

/** All settings, in the order of the documentation. */
export const SETTINGS_REFERENCE: readonly SettingReference[] = [
  GENERAL.trace,
  GENERAL.recordings,
  ...rowsOfParts('snapshots', SNAPSHOTS, 'take [snapshots](record.md#snapshots)'),
  ...rowsOfParts('keep', KEEP, '[retention](record.md#retention)', DEFAULT_RETENTION),
  GENERAL.durability,
  GENERAL.services,
  GENERAL.include,
  GENERAL.exclude,
  GENERAL.cache,
  GENERAL.explain,
  ...OTHERS,
];
