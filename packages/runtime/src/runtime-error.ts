// The error classes of this package, and their codes.

/** The codes of `RuntimeError`. */
export type RuntimeErrorCode =
  /** A value that cannot be passed to another actor. */
  | 'TT_NOT_PASSABLE'
  /** A message to an actor that has been stopped. */
  | 'TT_ACTOR_STOPPED'
  /** A message to an actor whose constructor has thrown. */
  | 'TT_ACTOR_FAILED'
  /** A message to an actor of a worker that has ended. */
  | 'TT_ACTOR_LOST'
  /** A call of a method that the actor's class does not have. */
  | 'TT_UNKNOWN_METHOD'
  /** A message to a value that turned out not to be a reference. */
  | 'TT_NOT_A_REFERENCE'
  /** A message to an object whose actor has released it. */
  | 'TT_RELEASED'
  /** An operation that only the owner of an object may perform. */
  | 'TT_NOT_OWNER'
  /** A call that was not answered before its deadline. */
  | 'TT_DEADLINE'
  /** A message to an actor whose mailbox has reached its limit. */
  | 'TT_MAILBOX_FULL'
  /** A class that another worker cannot find, or must not load. */
  | 'TT_UNKNOWN_CLASS'
  /** A placement on a worker that does not exist. */
  | 'TT_PLACEMENT'
  /** An invalid option. */
  | 'TT_OPTIONS'
  /** A call of `start` that is too late, or not the first one. */
  | 'TT_STARTED'
  /** A replay that differs from the recorded run. */
  | 'TT_DIVERGED'
  /** A request to a program that is ending. */
  | 'TT_CLOSED'
  /** Bytes received from another worker that are not a message. */
  | 'TT_DAMAGED_MESSAGE'
  /** A requested snapshot could not be taken. */
  | 'TT_NO_SNAPSHOT'
  /** A query over a snapshot could not be run, or its result could not be returned. */
  | 'TT_QUERY'
  /** An in-place restore that is impossible in this process. */
  | 'TT_IN_PLACE'
  /** Bytes that are not a snapshot of a worker. */
  | 'TT_DAMAGED_SNAPSHOT';

/** Error of the actor system and of snapshots. `code` says what is wrong. */
export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RuntimeError';
    this.code = code;
  }
}

/** Error of a call to an actor whose worker has ended, so that the call will never be answered. */
export class ActorLostError extends RuntimeError {
  constructor(message: string, options?: ErrorOptions) {
    super('TT_ACTOR_LOST', message, options);
    this.name = 'ActorLostError';
  }
}
