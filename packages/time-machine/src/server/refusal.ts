// What a client is told instead of an answer.
import { ERRORS } from '../protocol.ts';

export class Refusal extends Error {
  /** Of `ERRORS`. */
  readonly code: number;

  /** @param message a sentence without its full stop: what is wrong, and what would be right */
  constructor(code: number, message: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}

export function notInside(): Refusal {
  return new Refusal(ERRORS.engine, 'this recording is not run again statement by statement here');
}
