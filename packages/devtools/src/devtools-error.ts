// The error of a CDP response.

export type DevtoolsErrorCode =
  /** The message is not JSON. */
  | 'TT_CDP_JSON'
  /** The message is not a request. */
  | 'TT_CDP_REQUEST'
  /** The method does not exist. */
  | 'TT_CDP_METHOD'
  /** The parameters are invalid. */
  | 'TT_CDP_PARAMS'
  /** The session does not exist. */
  | 'TT_CDP_SESSION'
  /** The requested object does not exist or is unavailable. */
  | 'TT_CDP_NOT_THERE';

export class DevtoolsError extends Error {
  readonly code: DevtoolsErrorCode;
  /** Details beyond the message. */
  readonly data: string | undefined;

  /** @param message V8's own wording where it has one: clients compare it */
  constructor(code: DevtoolsErrorCode, message: string, data?: string) {
    super(message);
    this.name = 'DevtoolsError';
    this.code = code;
    this.data = data;
  }
}
