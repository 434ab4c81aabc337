// Command lines of `replay` and `tasks`.
import { defineCommand } from './command-line.ts';
import { FORCE, JSON_RESULT, KEY, NO_REDACT, REBUILD, REQUIRE_ISOLATION, START_PHASE, TRUSTED } from './options.ts';

export const REPLAY = defineCommand({
  name: 'replay',
  summary: 'replay a recording and report the first divergence',
  operands: 'DIR',
  usage: ['[options] DIR|FILE.ttr'],
  description: [
    'Compare all events with the recorded ones. All inputs come from the traces: the replay performs no I/O.',
  ],
  optionGroups: [
    {
      title: 'Range',
      options: [
        { flag: 'from', argument: 'PHASE', description: 'start from this snapshot' },
        {
          flag: 'until',
          argument: 'WHERE',
          description:
            'stop at a snapshot (7), turn (turn=12, or turn=12,worker=2), event (event=340), turn of an actor (actor=Cart#12, or actor=Cart#12,turn=40), time (time=2026-11-22T12:00:03Z, time=+3.5s), or error',
        },
      ],
    },
    {
      title: 'Code',
      options: [
        {
          flag: 'code',
          argument: 'CODE',
          choices: ['recorded', 'current'],
          description:
            'recorded: run the recorded sources (the default); current: run the files on disk until they behave differently',
        },
        { flag: 'debug', description: 'run code with probes, as turntable debug does' },
        FORCE,
        TRUSTED,
        REQUIRE_ISOLATION,
        NO_REDACT,
        KEY,
      ],
    },
    {
      title: 'Output',
      options: [
        {
          flag: 'turns',
          argument: 'ACTORS',
          description: "print each turn of these actors ('Cart#*,Stock#1')",
        },
        {
          flag: 'console',
          argument: 'MODE',
          choices: ['show', 'mute', 'capture'],
          description: "show the program's output (the default), mute it, or capture it in the result of --json",
        },
        { ...JSON_RESULT, description: 'print the result as one line of JSON' },
        {
          flag: 'strict',
          description: 'exit code 3 unless the recording is complete and everything was compared',
        },
      ],
    },
  ],
  examples: [
    'turntable record app.ts && turntable replay recordings',
    'turntable replay recordings --code current --console mute',
    'turntable replay recordings --until event=2 --json',
    "turntable replay recordings --until actor=Cart#12 --turns 'Cart#12,Stock*'",
  ],
  exitCodes: [
    ['0', 'same, or the same up to where the process was killed'],
    ['1', 'the recording cannot be replayed'],
    ['3', 'divergence'],
    ['4', 'the same, but parts of the recording are missing, damaged or not compared'],
  ],
  operandKind: 'recording',
});

export const TASKS = defineCommand({
  name: 'tasks',
  summary: 'list all tasks of a recording, with their senders',
  operands: 'DIR',
  usage: ['[options] DIR|FILE.ttr'],
  description: [
    'List module evaluations, turns of actors and callbacks from Node in the one order of all workers, with time, sender and output. The recording is replayed once to build its run index.',
  ],
  optionGroups: [
    {
      title: 'Selection',
      options: [
        { flag: 'actor', argument: 'NAMES', description: "list only these actors ('Cart#12,Stock*')" },
        { flag: 'worker', argument: 'N', description: 'list only this worker; 0 is the main thread' },
        { flag: 'from', argument: 'NUMBER', description: 'list from this task on' },
        { flag: 'to', argument: 'NUMBER', description: 'list up to this task' },
      ],
    },
    { title: 'Replay', options: [START_PHASE, FORCE, REBUILD, TRUSTED, REQUIRE_ISOLATION, NO_REDACT, KEY] },
    { title: 'Output', options: [{ flag: 'json', description: 'print JSON: one task a line, and a summary' }] },
  ],
  examples: ['turntable tasks recordings', "turntable tasks recordings --actor 'Cart#12,Stock*' --from 100 --to 200"],
  exitCodes: [
    ['0', 'success'],
    ['1', 'the recording cannot be replayed'],
    ['3', 'divergence: the list ends there'],
    ['4', 'parts of the recording are missing or damaged'],
  ],
  operandKind: 'recording',
});
