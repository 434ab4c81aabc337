// The error of a DAP response.

export type DapErrorCode =
  /** The input is no DAP message. */
  | 'TT_DAP_FRAME'
  /** The arguments of a request are invalid. */
  | 'TT_DAP_ARGUMENTS'
  /** The request is unknown, or not allowed at this stage. */
  | 'TT_DAP_REQUEST'
  /** The requested object does not exist. */
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
