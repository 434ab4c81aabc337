// What all that answers for a recording stands on: the time machine, and the client's own counting.
import type { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import type { LineNumbering } from './connection.ts';
import type { ProgressReporter } from './progress-reporter.ts';

export type HelloResult = ResultOf<'hello'>;

export interface SessionContext {
  readonly client: Client;
  readonly hello: HelloResult;
  readonly numbering: LineNumbering;
  readonly progress: ProgressReporter;
  /** A number for a breakpoint, that no other has. */
  nextBreakpointId(): number;
  emitEvent(event: string, body: object): void;
  /** A line in the console. */
  printLine(text: string): void;
}
