// Core's own error class, for misuse of the ABI, and for features that the host lacks. Errors that the language
// prescribes are thrown as such (TypeError, ReferenceError), never as this class.

export type CoreErrorCode =
  | 'TT_NO_TICKS'
  /** An outcome was forwarded without a receiver. */
  | 'TT_NO_FORWARDING'
  | 'TT_DYNAMIC_CODE'
  | 'TT_UNKNOWN_STATE'
  | 'TT_FOREIGN_STATE'
  /** The thread has loaded a core already. */
  | 'TT_SECOND_COPY'
  /** The host gives no access to the internals of native objects. */
  | 'TT_ENGINE_CLOSED'
  /** The table of call modes of an intercepted object is incomplete. */
  | 'TT_CALL_MODE';

export class CoreError extends Error {
  readonly code: CoreErrorCode;
  constructor(code: CoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CoreError';
    this.code = code;
  }
}
