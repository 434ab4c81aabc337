// States of actors as they are told of, to be compared, and what an expression comes to while a recording goes on.
import type { Position } from '../position.ts';

/** Whose state. */
export interface StateOf {
  readonly worker: number;
  /** An actor's name; a worker's own, as a survey has it, for its program outside of actors. */
  readonly actor: string;
}

export type StatePart = readonly [path: string, text: string];

export interface StateParts {
  readonly parts: readonly StatePart[];
  /** There are more: those that are further from where it begins. */
  readonly isCut: boolean;
}

export interface ValueWish {
  /** An expression of `this`, which is the actor, and of the variables of a file's top scope. */
  readonly text: string;
  readonly actor: string;
  readonly file?: string | undefined;
}

export interface Change {
  /** The stretch in which it became another one. */
  readonly position: Position;
  readonly before: string;
  readonly after: string;
}
