// Shared dependencies of the request handlers of one open recording: the server's client and the DAP connection.
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
  /** Maximum number of values of a log point that are printed. */
  readonly maxLogPointHits: number;
  /** Returns a new id for a breakpoint, unique in this session. */
  nextBreakpointId(): number;
  emitEvent(event: string, body: object): void;
  /** Lets the client request the variables of the frames again. */
  variablesChanged(): void;
  /** Prints a line to the client's console. */
  printLine(text: string): void;
}
