// Core's own error class: misuse of the ABI, or something the host does not offer. What the language itself prescribes is
// thrown as the language's errors (TypeError, ReferenceError), never as this one.

export type CoreErrorCode =
  | 'TT_NO_TICKS'
  /** An outcome is forwarded, and nobody takes it. */
  | 'TT_NO_FORWARDING'
  | 'TT_DYNAMIC_CODE'
  | 'TT_UNKNOWN_STATE'
  | 'TT_FOREIGN_STATE'
  /** There is a core in this thread already. */
  | 'TT_SECOND_COPY'
  /** The host has no view of what the engine keeps inside objects. */
  | 'TT_ENGINE_CLOSED'
  /** Methods of an object are intercepted, and the table of their modes is not complete. */
  | 'TT_CALL_MODE';

export class CoreError extends Error {
  readonly code: CoreErrorCode;
  constructor(code: CoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CoreError';
    this.code = code;
  }
}
