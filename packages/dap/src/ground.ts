// What all that answers for a recording stands on: the time machine, and the client's own counting.
import type { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import type { Counting } from './conversation.ts';
import type { Works } from './works.ts';

export type Hello = ResultOf<'hello'>;

export interface Ground {
  readonly client: Client;
  readonly hello: Hello;
  readonly counting: Counting;
  readonly works: Works;
  /** A number for a breakpoint, that no other has. */
  number(): number;
  tell(event: string, body: object): void;
  /** A line in the console. */
  say(text: string): void;
}
