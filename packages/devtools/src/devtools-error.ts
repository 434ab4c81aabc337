// The error of a CDP response, with a stable code.

export type DevtoolsErrorCode =
  /** The message is not JSON. */
  | 'TT_CDP_JSON'
  /** The message is not a request. */
  | 'TT_CDP_REQUEST'
  /** The method does not exist in this server. */
  | 'TT_CDP_METHOD'
  /** The parameters do not match the method's schema. */
  | 'TT_CDP_PARAMS'
  /** The request names a session, but targets here have none. */
  | 'TT_CDP_SESSION'
  /** The requested object does not exist or is unavailable, or the command failed for any other reason. */
  | 'TT_CDP_NOT_THERE';

export class DevtoolsError extends Error {
  readonly code: DevtoolsErrorCode;
  /** Details for the `data` of the response. */
  readonly data: string | undefined;

  /** @param message in V8's own wording if V8 has such an error: clients compare messages */
  constructor(code: DevtoolsErrorCode, message: string, data?: string) {
    super(message);
    this.name = 'DevtoolsError';
    this.code = code;
    this.data = data;
  }
}
