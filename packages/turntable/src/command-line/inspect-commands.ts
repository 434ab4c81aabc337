// Command lines of `ls`, `inspect`, `export` and `explain`.
import { defineCommand } from './command-line.ts';
import { JSON_RESULT, KEY, NO_REDACT, OUTPUT, REDACT } from './options.ts';

export const LS = defineCommand({
  name: 'ls',
  summary: 'list recordings',
  operands: '[DIR]',
  usage: ['[--json] [DIR|FILE.ttr]'],
  description: [
    'List the recordings in DIR (default: recordings), packed ones included: program, size, snapshots, and whether they can be replayed. Run no program code.',
  ],
  optionGroups: [{ title: 'Options', options: [JSON_RESULT, KEY] }],
  examples: ['turntable ls', 'turntable ls recordings --json'],
  exitCodes: [
    ['0', 'success'],
    ['1', 'the directory or the key cannot be read'],
    ['4', 'parts of the named recording are missing or damaged'],
  ],
  operandKind: 'recording',
});

export const INSPECT = defineCommand({
  name: 'inspect',
  summary: 'show the contents of a recording, snapshot or state',
  operands: 'DIR',
  usage: ['[options] STATE|DIR|FILE.ttr'],
  description: ['Run nothing but the function of --eval.'],
  optionGroups: [
    {
      title: 'Snapshot',
      options: [
        { flag: 'phase', argument: 'N', description: 'show this snapshot (default: the last one)' },
        {
          flag: 'eval',
          argument: 'FUNCTION',
          description:
            "evaluate a function of the snapshot, which has .actors, .classes, .actorsOf('Cart'), .pathTo(object)",
        },
      ],
    },
    {
      title: 'Trace',
      options: [
        { flag: 'trace', description: 'summarise the trace of each thread' },
        {
          flag: 'worker',
          argument: 'N[.EPOCH]',
          description: 'show only this thread; 0 is the main thread',
        },
        {
          flag: 'from',
          argument: 'EVENT',
          description: 'list events from this one on; with --phase N, counted from that phase on',
        },
        { flag: 'count', argument: 'N', description: 'list at most N events (default: 100)' },
      ],
    },
    {
      title: 'Output',
      options: [{ flag: 'json', description: 'print JSON; events one a line' }, NO_REDACT, KEY],
    },
  ],
  examples: [
    'turntable inspect recordings --eval "s => s.actorsOf(\'Cart\').length"',
    'turntable inspect recordings --trace',
    'turntable inspect recordings --trace --worker 0 --from 2 --count 50',
    'turntable inspect recordings --phase 1 --json',
  ],
  exitCodes: [
    ['0', 'success'],
    ['1', 'the recording or state cannot be read, or the function of --eval failed'],
  ],
  operandKind: 'recording',
});

export const EXPORT = defineCommand({
  name: 'export',
  summary: 'export the timeline, as JSON or for Perfetto',
  operands: 'DIR',
  usage: ['[options] DIR|FILE.ttr'],
  description: [
    'Export the events of all threads in the order of time. Run no program code. Traces have no clock: the times are the ones that the program has read, and interpolated between them.',
  ],
  optionGroups: [
    {
      title: 'Format',
      options: [
        {
          flag: 'as',
          argument: 'FORMAT',
          choices: ['json', 'chrome'],
          description:
            'json: an object with one event a line, see docs/guide/record.md (the default); chrome: a trace for ui.perfetto.dev or chrome://tracing',
        },
        REDACT,
        NO_REDACT,
        KEY,
      ],
    },
    {
      title: 'Output',
      options: [OUTPUT, { flag: 'json', description: 'with -o: print a summary as JSON' }],
    },
  ],
  examples: [
    'turntable export recordings --as chrome -o run.json',
    `turntable export recordings | grep '"type":"entry"'`,
  ],
  exitCodes: [
    ['0', 'success'],
    ['1', 'the recording cannot be read, or is damaged'],
  ],
  operandKind: 'recording',
});

export const EXPLAIN = defineCommand({
  name: 'explain',
  summary: 'explain an error code or message',
  operands: 'CODE',
  usage: ['[--json] CODE|MESSAGE…', '--list [--json]'],
  description: [
    'Show the meaning, the cause and the remedy of an error. Without arguments, read a message or a stack from standard input.',
  ],
  optionGroups: [
    {
      title: 'Options',
      options: [{ flag: 'list', description: 'list all error codes by package' }, JSON_RESULT],
    },
  ],
  examples: [
    'turntable explain TT_UNCAPTURABLE',
    'turntable explain "app has no complete snapshot"',
    'node app.ts 2>&1 | turntable explain',
  ],
  exitCodes: [
    ['0', 'success'],
    ['1', 'unknown code or message'],
  ],
  operandKind: 'none',
});
