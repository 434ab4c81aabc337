// What a client is told instead of an answer.

export type DapErrorCode =
  /** The bytes that come are no messages of this protocol. */
  | 'TT_DAP_FRAME'
  /** The arguments of a request are none. */
  | 'TT_DAP_ARGUMENTS'
  /** There is no such request, or not at this time. */
  | 'TT_DAP_REQUEST'
  /** What it asks for is not there. */
  | 'TT_DAP_NOT_THERE'
  /** It is not wanted any more. */
  | 'TT_DAP_CANCELLED'
  /** It has not said what only they know who may. */
  | 'TT_DAP_TOKEN';

export class DapError extends Error {
  readonly code: DapErrorCode;

  /** @param message a sentence without its full stop: what is wrong, and what would be right */
  constructor(code: DapErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DapError';
    this.code = code;
  }
}
