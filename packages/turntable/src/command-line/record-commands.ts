// Command lines of `run`, `record` and `services`.
import { defineCommand } from './command-line.ts';
import { JSON_RESULT } from './options.ts';
import { CAPTURE_SETTINGS, RECORDING_SETTINGS, TRANSFORM_SETTINGS } from './settings.ts';

const PROGRAM_USAGE = '[settings] [flags of Node] FILE [arguments…]';
const PROGRAM_EXIT_CODE = ['N', 'the exit code of the program; 128 and its number after a signal'] as const;
const SETTINGS_NOTE =
  'All settings can also be environment variables (in parentheses), and most can be set in turntable.config.ts. Flags take precedence over variables, and variables over the file.';

export const RUN = defineCommand({
  name: 'run',
  summary: 'run a program transformed',
  operands: 'FILE',
  usage: [PROGRAM_USAGE],
  description: [
    'Do what node --import turntable/register FILE does: the program can be captured, and is recorded if settings say so.',
    SETTINGS_NOTE,
  ],
  optionGroups: [RECORDING_SETTINGS, TRANSFORM_SETTINGS, CAPTURE_SETTINGS],
  examples: ['turntable run app.ts', 'turntable run --recordings recordings --snapshots end app.ts'],
  exitCodes: [PROGRAM_EXIT_CODE],
  operandKind: 'file',
});

export const RECORD = defineCommand({
  name: 'record',
  summary: 'run and record a program',
  operands: 'FILE',
  usage: [PROGRAM_USAGE, '[settings] -- node [flags of Node] FILE [arguments…]'],
  description: [
    'Record all inputs, so that the run can be replayed. The recording is stored in recordings/ unless --recordings names another directory.',
    SETTINGS_NOTE,
  ],
  optionGroups: [RECORDING_SETTINGS, TRANSFORM_SETTINGS],
  examples: [
    'turntable record app.ts',
    'turntable record --snapshots every=30s,end --keep failed,age=5m app.ts',
    'turntable record --later=SIGUSR2 app.ts',
    'turntable record -- node --stack-trace-limit=50 app.ts',
  ],
  exitCodes: [PROGRAM_EXIT_CODE],
  operandKind: 'file',
});

export const SERVICE_REQUESTS = ['flush', 'start', 'stop', 'snapshot'] as const;

export const SERVICES = defineCommand({
  name: 'services',
  summary: 'list running recorded programs, or send one a command',
  operands: '[PID]',
  usage: ['[--json]', 'PID start|stop|snapshot|flush [--json]'],
  description: [
    'List the running programs of this user that are recorded or can be, or send one a command: start recording (if it runs with --later), stop recording, take a snapshot, or flush all events so far to disk.',
    'turntable debug --pid PID opens the recording of a running program. Start a program with --services off to keep it off the list.',
  ],
  optionGroups: [{ title: 'Options', options: [JSON_RESULT] }],
  examples: ['turntable services', 'turntable services 4711 snapshot'],
  exitCodes: [
    ['0', 'success'],
    ['1', 'there is no such program, or it refuses'],
  ],
  operandKind: SERVICE_REQUESTS,
});
