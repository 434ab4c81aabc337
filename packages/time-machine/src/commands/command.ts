// Type of the commands of the debugger, and their subjects.
import type { Direction } from '../moves/move.ts';

export const COMMAND_SUBJECTS = {
  run: 'run forward',
  reverse: 'run backward',
  travel: 'go to an event, a message or a position',
  breakpoints: 'stop at places, events and changes',
  stack: 'look at the stack and at source code',
  data: 'look at values and at who wrote them',
  recording: 'list what is in the recording',
  debugger: 'use the debugger',
} as const;
export type CommandSubject = keyof typeof COMMAND_SUBJECTS;

export interface DebuggerCommand {
  readonly name: string;
  /** Short name, as in gdb or rr. */
  readonly letter?: string;
  /** Other names that users of gdb and rr know. */
  readonly aliases?: readonly string[];
  readonly subject: CommandSubject;
  /** Arguments as help shows them. */
  readonly arguments?: string;
  /** What the command does, in the imperative. */
  readonly summary: string;
  readonly example: string;
  /** More lines of help. */
  readonly details?: readonly string[];
  /** The move that the command makes. */
  readonly move?: {
    readonly id: string;
    readonly direction?: Direction;
    readonly arguments?: Readonly<Record<string, string>>;
  };
  /** The request of the Debug Adapter Protocol that does the same. */
  readonly dapRequest?: string;
  /** Key in the window, as in `KeyboardEvent.key`. */
  readonly key?: string;
  /** Whether the command needs a recording that can be replayed statement by statement. */
  readonly needsStatements?: boolean;
  /** Whether Enter repeats the command on a terminal. */
  readonly isRepeatable?: boolean;
}

/** Explains LOCATION in the help of a command. */
export const LOCATION_HELP = 'LOCATION is LINE, FILE:LINE[:COLUMN], FUNCTION or Class.method.';
