// What a client is told instead of an answer.
import { ERROR_CODES } from '../protocol.ts';

export class ProtocolError extends Error {
  /** Of `ERROR_CODES`. */
  readonly code: number;

  /** @param message a sentence without its full stop: what is wrong, and what would be right */
  constructor(code: number, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
  }
}

export function steppingUnavailable(): ProtocolError {
  return new ProtocolError(ERROR_CODES.replay, 'this recording is not run again statement by statement here');
}
