// The actors of a paused thread: their states and mailboxes.
import type { Value } from './inspected-values.ts';

export type StatePart = readonly [path: string, text: string];

/** State of an actor, or of the program outside of actors, in a comparable form. */
export interface StateParts {
  readonly parts: readonly StatePart[];
  /** Whether parts far from the root are left out. */
  readonly isTruncated: boolean;
}

export interface ActorKey {
  readonly worker: number;
  readonly id: number;
}

export interface ActorInfo extends ActorKey {
  readonly name: string;
  readonly turns: number;
  /** Number of messages in the mailbox. */
  readonly waitingCount: number;
  /** The actor's root object; undefined until it is constructed. */
  readonly value: Value | undefined;
}

/** A message in a mailbox. */
export interface WaitingMessage {
  /** A method, or another subject of a turn: construct, fulfil, reject, stop. */
  readonly subject: string;
  /** Undefined for a message that was sent with `tell`. */
  readonly sender: string | undefined;
  /** Undefined while the message is in flight between workers. */
  readonly values: readonly Value[] | undefined;
}

/** The owner of a state: an actor, or the program outside of actors. */
export interface StateOwner {
  readonly worker: number;
  /** Name of the actor; for the program outside of actors, the name of the worker in run indexes. */
  readonly actor: string;
}
