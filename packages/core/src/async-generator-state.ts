// The state of an async generator. It is the `result` of the frame. The program's object only refers to it.

import { Stamp } from './stamp.ts';
import type { Eventual } from './eventual.ts';
import type { Frame } from './frame.ts';

export const SUSPENDED_START = 0;
export const SUSPENDED_YIELD = 1;
export const EXECUTING = 2;
/** The body has finished, but requests remain to be settled (a `return` awaits its value). */
export const DRAINING = 3;
export const COMPLETED = 4;

export interface AsyncGeneratorRequest {
  how: number;
  value: unknown;
  eventual: Eventual;
}

export class AsyncGeneratorState {
  status = SUSPENDED_START;
  frame: Frame;
  /** Requests not settled yet, oldest first. */
  queue: AsyncGeneratorRequest[] = [];
  /** Whether the frame is suspended at a yield, and waits for the value of a `return` request. */
  returning = false;
  /** Whether the last step ended in a yield, and not in an await. */
  yielded = false;
  constructor(frame: Frame) {
    this.frame = frame;
  }
}

export class AsyncGeneratorObject extends Stamp {
  #state: AsyncGeneratorState;
  constructor(object: object, state: AsyncGeneratorState) {
    super(object);
    this.#state = state;
  }
  static state(value: unknown): AsyncGeneratorState | undefined {
    return typeof value === 'object' && value !== null && #state in value
      ? (value as AsyncGeneratorObject).#state
      : undefined;
  }
  static setState(generator: object, state: AsyncGeneratorState): void {
    (generator as AsyncGeneratorObject).#state = state;
  }
}
