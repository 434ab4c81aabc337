// All commands of the debugger, by subject. Help, completion, documentation, key bindings and the palette of the window
// are made from this table. Names and letters follow gdb and rr.
import type { DebuggerCommand } from './command.ts';
import { BREAKPOINTS, DATA, STACK } from './inspecting-commands.ts';
import { DEBUGGER, RECORDING } from './listing-commands.ts';
import { REVERSE, RUN, TRAVEL } from './moving-commands.ts';

export const COMMANDS: readonly DebuggerCommand[] = [
  ...RUN,
  ...REVERSE,
  ...TRAVEL,
  ...BREAKPOINTS,
  ...STACK,
  ...DATA,
  ...RECORDING,
  ...DEBUGGER,
];
