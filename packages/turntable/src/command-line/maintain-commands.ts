// Command lines of `pack`, `unpack`, `reseal`, `restore`, `doctor` and `completion`.
import { defineCommand, type Option } from './command-line.ts';
import { JSON_RESULT, KEY, OUTPUT, REDACT } from './options.ts';
import {
  CAPTURE_SETTINGS,
  EXCLUDE,
  INCLUDE,
  LATER,
  RESTORED_RECORDING_SETTINGS,
  TRACE,
  TRANSFORM_SETTINGS,
} from './settings.ts';

export const PACK = defineCommand({
  name: 'pack',
  summary: 'pack a recording into one file',
  operands: 'DIR',
  usage: ['[options] DIR'],
  description: [
    'debug, devtools, export, inspect, ls, replay and tasks accept the file. A recording contains all data of its program, secrets included.',
  ],
  optionGroups: [
    {
      title: 'Options',
      options: [
        {
          ...OUTPUT,
          description:
            'write to FILE, which must not exist (default: the name of the recording and .ttr, in the current directory)',
        },
        {
          ...REDACT,
          description:
            'remove secrets, the values of variables, fields and headers with these names, and all snapshots: the result can be inspected, but not replayed; /…/: matches of a regular expression; *: all strings and bytes; repeatable',
        },
        { flag: 'dry-run', description: 'with --redact: count what would be removed, by rule, and pack nothing' },
        {
          flag: 'for',
          argument: 'RECIPIENT',
          isRepeatable: true,
          description:
            'encrypt to this recipient of age (age1…), or to those in a file; FILE.ttr.age can be opened with turntable unpack or age; repeatable',
        },
        { ...JSON_RESULT, description: 'print a summary as JSON' },
        KEY,
      ],
    },
  ],
  examples: [
    'turntable pack recordings -o yesterday.ttr',
    'turntable pack recordings --for team.txt -o team.ttr.age',
    'turntable pack recordings --redact secrets --dry-run',
    'turntable pack recordings --redact x-internal-id,DATABASE_URL',
  ],
  exitCodes: [
    ['0', 'success'],
    ['1', 'the recording cannot be read, or the file cannot be written'],
  ],
  operandKind: 'recording',
});

export const UNPACK = defineCommand({
  name: 'unpack',
  summary: 'unpack a packed recording into a directory',
  operands: 'FILE',
  usage: ['[options] FILE [DIR]'],
  description: [
    'Unpack the recording into DIR (default: recordings), under its original name. Existing recordings are never changed.',
  ],
  optionGroups: [
    {
      title: 'Options',
      options: [
        {
          flag: 'identity',
          short: 'i',
          argument: 'FILE',
          isRepeatable: true,
          description: 'decrypt with the identities in FILE, as age-keygen writes it; repeatable',
        },
        { ...JSON_RESULT, description: 'print a summary as JSON' },
        {
          flag: 'max-size',
          argument: 'SIZE',
          description: 'write up to SIZE (default: 4GB, and 100 times the size of FILE if more than 64MB)',
        },
        { flag: 'max-files', argument: 'N', description: 'write up to N files (default: 100000)' },
      ],
    },
  ],
  examples: [
    'turntable unpack yesterday.ttr elsewhere && turntable replay elsewhere',
    'turntable unpack --max-size 10GB yesterday.ttr large',
    'turntable unpack --identity key.txt team.ttr.age received',
  ],
  exitCodes: [
    ['0', 'success'],
    ['1', 'the file cannot be unpacked'],
  ],
  operandKind: 'recording',
});

export const RESEAL = defineCommand({
  name: 'reseal',
  summary: 'copy recordings with another key',
  operands: 'DIR',
  usage: ['[options] DIR TARGET'],
  description: [
    'Copy a recording, or all recordings in DIR, into the directory TARGET. Verify all that is copied. The originals stay as they are: remove them when they are no longer needed. Run no program code.',
  ],
  optionGroups: [
    {
      title: 'Options',
      options: [
        KEY,
        { flag: 'new-key', argument: 'FILE', description: 'seal the copies with the key in FILE' },
        { flag: 'unseal', description: 'write the copies without a seal' },
        { ...JSON_RESULT, description: 'print a summary as JSON' },
      ],
    },
  ],
  examples: [
    'turntable reseal --new-key new.key recordings sealed',
    'turntable reseal --key new.key --unseal sealed opened',
  ],
  exitCodes: [
    ['0', 'success'],
    ['1', 'a recording could not be copied; the others are'],
  ],
  operandKind: 'recording',
});

/** Options that `restore` handles itself; the others are settings of the program. */
export const RESTORE_OPTIONS = [
  { flag: 'phase', argument: 'N', description: 'resume from this snapshot' },
  {
    flag: 'code',
    argument: 'CODE',
    choices: ['files', 'recorded'],
    description:
      'files: run the files on disk, which must be unchanged (the default); recorded: run the recorded sources',
  },
  { flag: 'root', argument: 'DIR', description: "use DIR as the program's directory" },
  {
    flag: 'yes',
    argument: 'HASH',
    description: 'restore without asking if the recording has this hash; a refusal prints it',
  },
  { flag: 'trusted', description: 'restore without asking: only for your own programs' },
] as const satisfies readonly Option[];

export const RESTORE = defineCommand({
  name: 'restore',
  summary: 'resume a program from a state or snapshot',
  operands: 'DIR',
  usage: ['[options] [settings] [flags of Node] STATE|DIR'],
  description: [
    'Resume from the last complete snapshot of a recording unless --phase names another. The program runs with all rights of the user and performs real I/O, so the command asks first. Where there is no terminal, it needs --yes or --trusted.',
  ],
  optionGroups: [
    { title: 'Options', options: [...RESTORE_OPTIONS, KEY] },
    RESTORED_RECORDING_SETTINGS,
    TRANSFORM_SETTINGS,
    CAPTURE_SETTINGS,
  ],
  examples: [
    'turntable restore recordings',
    'turntable restore recordings --phase 1 --code recorded',
    'turntable restore --trusted --recordings again recordings',
  ],
  exitCodes: [['N', 'the exit code of the program; 128 and its number after a signal']],
  operandKind: 'recording',
});

export const DOCTOR = defineCommand({
  name: 'doctor',
  summary: 'show which code is transformed or stays native, and why',
  operands: '[FILE]',
  usage: ['[options] [FILE]'],
  description: [
    'Show which packages and builtins are on which side of the boundary and why, and which code cannot be transformed. Run no program code. FILE defaults to the entry point of package.json.',
  ],
  optionGroups: [
    {
      title: 'Settings',
      options: [
        { ...TRACE, description: 'classify for a program recorded with traces' },
        { ...LATER, description: 'classify for a program that is recorded later' },
        INCLUDE,
        EXCLUDE,
      ],
    },
    { title: 'Output', options: [JSON_RESULT] },
  ],
  examples: ['turntable doctor app.ts', 'turntable doctor --trace app.ts --json'],
  exitCodes: [
    ['0', 'the program can be transformed'],
    ['1', 'some files cannot be transformed'],
  ],
  operandKind: 'file',
});

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const COMPLETION = defineCommand({
  name: 'completion',
  summary: 'print a completion script for a shell',
  operands: 'SHELL',
  usage: ['bash|zsh|fish'],
  description: [
    'Complete commands, flags, their values, and paths of recordings. Load the script in ~/.bashrc or ~/.zshrc (after compinit), or save it as ~/.config/fish/completions/turntable.fish.',
  ],
  optionGroups: [],
  examples: ['source <(turntable completion bash)', 'turntable completion fish > turntable.fish'],
  exitCodes: [['0', 'success']],
  operandKind: SHELLS,
});
