// Who has written what an expression leads to: what is asked of a process that notes writes, and what it answers.
import type { Position } from '../position.ts';
import type { StatementPlace } from './engine.ts';
import type { ThreadName } from './messages.ts';
import type { StateOf } from './state.ts';

export interface WriteAsked {
  /** A variable, a property, a private member, or what a Map or Set has: `total`, `this.sum`, `order.items[2].price`, `this.#name`, `stock.get("tea")`. */
  readonly text: string;
  /** Statements of the same call that have begun before, in order. */
  readonly earlier: readonly (readonly [list: number, statement: number])[];
  /** The actor that `this` is, whoever has the turn; otherwise it is what it is there. */
  readonly of?: StateOf | undefined;
  /** From this stretch on nobody has written it, but perhaps by making it. */
  readonly since?: number | undefined;
}

/** The thread whose writes a process notes. */
export interface WritesWish extends ThreadName {
  /** A stretch of it, counted from the beginning of the process, in which it is noted as well what objects get as they come into being, which takes long. */
  readonly closely?: number;
  /** Its process can go back over the last stretches, and is asked there as well. */
  readonly goesBack?: boolean;
}

export interface WriteWanted extends WriteAsked {
  /** Whether the process has seen all of the recording: what nobody has written then has come with what leads to it. */
  readonly isAll: boolean;
  /** In a process that is where it has been: the same is sought that was asked last, in the stretch that was run once more since. */
  readonly isSought?: boolean;
}

/** `passed`: it was so when the call began; `captured`: and when its function was made; `unwritten`: nobody has written it since the process began. */
export type WriteKind = 'written' | 'passed' | 'captured' | 'unwritten';

interface AnyWrite {
  readonly is: WriteKind;
  /** What of the expression it is about: another part, if nobody has written that by itself. */
  readonly part: string;
  /** Much was written at once, this among it or not. */
  readonly isWhole: boolean;
  /** Of what is written: the statement, which else is known to who goes there. */
  readonly place?: StatementPlace | undefined;
}

/**
 * `unwritten`: by none of the stretches from that one on, if there is one; `made`: it has come into being with its object in that stretch, in which nobody noted what it got; `earlier`: perhaps in that stretch, which is to be run once more for it to be known;
 * `later`: of a process that has gone back, nobody knows there: it was written behind where it stands, too, or is part of another object than it was.
 */
export interface NotedWrite extends Omit<AnyWrite, 'is'> {
  readonly is: WriteKind | 'made' | 'earlier' | 'later';
  /** Where it was written; of what was passed, where the call has begun, or has gone on as far back as is known. The stretch is counted among those of the process. */
  readonly at: readonly [stretch: number, list: number, statement: number] | undefined;
  /** Whether the program is as it was: nothing of it was run for the answer. */
  readonly isPure: boolean;
  /** What was run can be taken back. */
  readonly isTakenBack?: boolean;
}

/** Whether that is all that there is to be known. */
export function isAnswer(is: NotedWrite['is']): is is WriteKind {
  return is !== 'made' && is !== 'earlier' && is !== 'later';
}

export interface Wrote extends AnyWrite {
  /** Of what is unwritten, the stretch from which on it is so, if that is not the beginning. */
  readonly position: Position | undefined;
}
