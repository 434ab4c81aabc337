// The error of a DAP response, with a stable code.

export type DapErrorCode =
  /** The input is not a DAP message. */
  | 'TT_DAP_FRAME'
  /** The arguments of a request are invalid. */
  | 'TT_DAP_ARGUMENTS'
  /** The request is unknown, or not allowed at this stage of the session. */
  | 'TT_DAP_REQUEST'
  /** The requested object, position or move does not exist, or is unavailable here. */
  | 'TT_DAP_NOT_THERE'
  /** The client cancelled the request. */
  | 'TT_DAP_CANCELLED'
  /** The token is missing or wrong. */
  | 'TT_DAP_TOKEN';

export class DapError extends Error {
  readonly code: DapErrorCode;

  /** @param message the problem and the remedy, without a full stop */
  constructor(code: DapErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DapError';
    this.code = code;
  }
}
