// Settings as options of the commands that run a program. Each becomes an environment variable, which the program and
// its workers inherit.
import { DURABILITY_LEVELS } from '@turntable/loader/durability';
import type { Option, OptionGroup } from './command-line.ts';

export const INCLUDE = {
  flag: 'include',
  argument: 'LIST',
  variable: 'TURNTABLE_INCLUDE',
  description: 'transform these packages or paths',
} as const satisfies Option;

export const EXCLUDE = {
  flag: 'exclude',
  argument: 'LIST',
  variable: 'TURNTABLE_EXCLUDE',
  description: 'never transform these packages or paths',
} as const satisfies Option;

export const TRACE = {
  flag: 'trace',
  variable: 'TURNTABLE_TRACE',
  variableValue: '1',
  description: 'record all inputs, as turntable record does',
} as const satisfies Option;

export const LATER = {
  flag: 'later',
  optionalArgument: 'SIGNAL',
  variable: 'TURNTABLE_TRACE',
  variableValue: 'later',
  description: 'record from app.record() to app.endRecording(), or from one SIGNAL to the next',
} as const satisfies Option;

export const TRANSFORM_SETTINGS = {
  title: 'Transform settings',
  options: [
    INCLUDE,
    EXCLUDE,
    {
      flag: 'cache',
      argument: 'DIR',
      variable: 'TURNTABLE_CACHE',
      description: 'keep transformed code in DIR; off: keep none',
    },
    {
      flag: 'explain-classification',
      variable: 'TURNTABLE_EXPLAIN_CLASSIFICATION',
      variableValue: '1',
      description: 'print which code was transformed, and why, when the process exits',
    },
  ],
} as const satisfies OptionGroup;

const RECORDINGS = {
  flag: 'recordings',
  argument: 'DIR',
  variable: 'TURNTABLE_RECORDINGS',
  description: 'store recordings in DIR (default with traces: recordings); off: store none',
} as const satisfies Option;

const SNAPSHOTS = {
  flag: 'snapshots',
  argument: 'WHEN',
  variable: 'TURNTABLE_SNAPSHOTS',
  description:
    'take snapshots, from which a replay can start: every=30s, work=250ms, turns=100000, requests=1000, trace=64MB, signal=SIGUSR2, end; several, separated by commas',
} as const satisfies Option;

const KEEP = {
  flag: 'keep',
  argument: 'LIMITS',
  variable: 'TURNTABLE_KEEP',
  description:
    'limit snapshots and traces: count=20, age=1d, bytes=2GB; all recordings: recordings=10, total=20GB; failed: keep recordings of failures only',
} as const satisfies Option;

const DURABILITY = {
  flag: 'durability',
  argument: 'LEVEL',
  choices: DURABILITY_LEVELS,
  variable: 'TURNTABLE_DURABILITY',
  description:
    'delay HTTP responses until the events that they depend on survive a kill (reply) or a loss of power (reply+fsync)',
} as const satisfies Option;

const SERVICES = {
  flag: 'services',
  argument: 'DIR',
  variable: 'TURNTABLE_SERVICES',
  description: 'keep the socket for turntable services in DIR; off: hide the program from it',
} as const satisfies Option;

const SEAL_KEY = {
  flag: 'key',
  argument: 'FILE',
  variable: 'TURNTABLE_KEY',
  description: 'seal recordings with the key in FILE, and open sealed ones: 32 bytes, 64 hexadecimal digits or base64',
} as const satisfies Option;

export const RECORDING_SETTINGS = {
  title: 'Recording settings',
  options: [TRACE, LATER, RECORDINGS, SNAPSHOTS, KEEP, DURABILITY, SERVICES, SEAL_KEY],
} as const satisfies OptionGroup;

/** For a restored program, which has the key of its recording. */
export const RESTORED_RECORDING_SETTINGS = {
  title: 'Recording settings',
  options: [TRACE, LATER, RECORDINGS, SNAPSHOTS, KEEP, SERVICES],
} as const satisfies OptionGroup;

export const CAPTURE_SETTINGS = {
  title: 'Capture settings',
  options: [
    {
      flag: 'capture',
      argument: 'STATE',
      variable: 'TURNTABLE_CAPTURE',
      description: 'run a program without actors to a job boundary, write its state to the file STATE, and exit',
    },
    {
      flag: 'capture-after',
      argument: 'N',
      variable: 'TURNTABLE_CAPTURE_AFTER',
      description: 'pass N job boundaries before the capture (default: 0)',
    },
    {
      flag: 'handles',
      argument: 'MODE',
      choices: ['refuse', 'dead'],
      variable: 'TURNTABLE_HANDLES',
      description:
        'refuse: do not capture a program with open sockets or other handles (the default); dead: leave handles behind',
    },
  ],
} as const satisfies OptionGroup;

/** All settings, for finding where the flags end and the program begins. */
export const ALL_SETTINGS: readonly Option[] = [
  ...TRANSFORM_SETTINGS.options,
  ...RECORDING_SETTINGS.options,
  ...CAPTURE_SETTINGS.options,
];
