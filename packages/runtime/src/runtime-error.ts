// The one error class of this package: what cannot be, where, and what to do about it.

export type RuntimeErrorCode =
  /** A value that no other actor can be given. */
  | 'TT_NOT_PASSABLE'
  /** A message to an actor that has been stopped. */
  | 'TT_ACTOR_STOPPED'
  /** A message to an actor whose constructor has thrown. */
  | 'TT_ACTOR_FAILED';

export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RuntimeError';
    this.code = code;
  }
}
