// What a client is told instead of an answer.

export type DevtoolsErrorCode =
  /** The text is no JSON. */
  | 'TT_CDP_JSON'
  /** The message is no request. */
  | 'TT_CDP_REQUEST'
  /** There is no such method. */
  | 'TT_CDP_METHOD'
  /** Its parameters are none. */
  | 'TT_CDP_PARAMS'
  /** There is no such session. */
  | 'TT_CDP_SESSION'
  /** What it asks for is not there, or not to be had. */
  | 'TT_CDP_NOT_THERE';

export class DevtoolsError extends Error {
  readonly code: DevtoolsErrorCode;
  /** More than its sentence. */
  readonly data: string | undefined;

  /** @param message as V8 has it, where V8 has one: clients compare them */
  constructor(code: DevtoolsErrorCode, message: string, data?: string) {
    super(message);
    this.name = 'DevtoolsError';
    this.code = code;
    this.data = data;
  }
}
