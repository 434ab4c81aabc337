// Who has written what an expression leads to: what is asked of a process that notes writes, and what it answers.
import type { Position } from '../position.ts';

export interface WriteAsked {
  /** A variable, a property, a private member, or what a Map or Set has: `total`, `this.sum`, `order.items[2].price`, `this.#name`, `stock.get("tea")`. */
  readonly text: string;
  /** Statements of the same call that have begun before, in order. */
  readonly earlier: readonly (readonly [list: number, statement: number])[];
}

export interface WriteWanted extends WriteAsked {
  /** Whether the process has seen all of the recording: what nobody has written then has come with what leads to it. */
  readonly isAll: boolean;
}

/** `passed`: it was so when the call began; `captured`: and when its function was made; `unwritten`: nobody has written it since the process began. */
export type WriteKind = 'written' | 'passed' | 'captured' | 'unwritten';

interface AnyWrite {
  readonly is: WriteKind;
  /** What of the expression it is about: another part, if nobody has written that by itself. */
  readonly part: string;
  /** Much was written at once, this among it or not. */
  readonly isWhole: boolean;
}

export interface NotedWrite extends AnyWrite {
  /** Where it was written; of what was passed, where the call has begun, or has gone on as far back as is known. The stretch is counted among those of the process. */
  readonly at: readonly [stretch: number, list: number, statement: number] | undefined;
  /** Whether the program is as it was: nothing of it was run for the answer. */
  readonly isPure: boolean;
}

export interface Wrote extends AnyWrite {
  readonly position: Position | undefined;
}
