import { ERROR_CODES } from '../protocol.ts';

/** An error that is the answer to a request. */
export class ProtocolError extends Error {
  /** One of `ERROR_CODES`. */
  readonly code: number;

  /** @param message the problem and the expected form, without a full stop */
  constructor(code: number, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
  }
}

/** Error for parameters that are valid by their schema, but not for this recording. */
export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.params, message);
}

export function steppingUnavailable(): ProtocolError {
  return new ProtocolError(ERROR_CODES.replay, 'this recording is not replayed statement by statement');
}
