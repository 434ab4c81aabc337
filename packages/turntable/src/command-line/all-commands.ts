// All commands, in the groups of `turntable --help`.
import type { CommandGroup, CommandLine } from './command-line.ts';
import { DAP, DEBUG, DEVTOOLS } from './debug-commands.ts';
import { EXPLAIN, EXPORT, INSPECT, LS } from './inspect-commands.ts';
import { COMPLETION, DOCTOR, PACK, RESEAL, RESTORE, UNPACK } from './maintain-commands.ts';
import { RECORD, RUN, SERVICES } from './record-commands.ts';
import { REPLAY, TASKS } from './replay-commands.ts';

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: 'Record', commands: [RUN, RECORD, SERVICES] },
  { title: 'Replay', commands: [REPLAY, TASKS] },
  { title: 'Debug', commands: [DEBUG, DAP, DEVTOOLS] },
  { title: 'Inspect', commands: [LS, INSPECT, EXPORT, EXPLAIN] },
  { title: 'Maintain', commands: [PACK, UNPACK, RESEAL, RESTORE, DOCTOR, COMPLETION] },
];

export const ALL_COMMANDS: readonly CommandLine[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);

export const COMMAND_NAMES: readonly string[] = ALL_COMMANDS.map(({ name }) => name);

/** Old names of commands, which work for one release. */
export const RENAMED_COMMANDS: Readonly<Record<string, string>> = { turns: 'tasks' };
