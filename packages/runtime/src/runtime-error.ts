// The error classes of this package: what cannot be, where, and what to do about it.

export type RuntimeErrorCode =
  /** A value that no other actor can be given. */
  | 'TT_NOT_PASSABLE'
  /** A message to an actor that has been stopped. */
  | 'TT_ACTOR_STOPPED'
  /** A message to an actor whose constructor has thrown. */
  | 'TT_ACTOR_FAILED'
  /** A message to an actor of a worker that has ended. */
  | 'TT_ACTOR_LOST'
  /** A method that the class of the actor does not have. */
  | 'TT_UNKNOWN_METHOD'
  /** A message to something that turned out to be no reference. */
  | 'TT_NOT_A_REFERENCE'
  /** A message to an object whose actor has released it. */
  | 'TT_RELEASED'
  /** Something only its own actor can do with an object. */
  | 'TT_NOT_OWNER'
  /** An answer that has not come in time. */
  | 'TT_DEADLINE'
  /** More messages wait for an actor than may. */
  | 'TT_MAILBOX_FULL'
  /** A class that another worker cannot find, or must not load. */
  | 'TT_UNKNOWN_CLASS'
  /** An actor is to live where there is no worker. */
  | 'TT_PLACEMENT'
  /** An option that says what cannot be. */
  | 'TT_OPTIONS'
  /** `start` comes too late, or twice. */
  | 'TT_STARTED'
  /** A run again is not what the first one was. */
  | 'TT_DIVERGED'
  /** The program is ending. */
  | 'TT_CLOSED'
  /** Bytes of another worker that are no message. */
  | 'TT_DAMAGED_MESSAGE'
  /** A snapshot was asked for and could not be had. */
  | 'TT_NO_SNAPSHOT'
  /** A query over a snapshot that could not be run, or whose answer could not be had. */
  | 'TT_QUERY'
  /** A process cannot go on from a snapshot in place. */
  | 'TT_IN_PLACE'
  /** What was read is no snapshot of a worker. */
  | 'TT_DAMAGED_SNAPSHOT';

export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  constructor(code: RuntimeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RuntimeError';
    this.code = code;
  }
}

/** The worker of an actor has ended; what was asked of it is not answered any more. */
export class ActorLostError extends RuntimeError {
  constructor(message: string, options?: ErrorOptions) {
    super('TT_ACTOR_LOST', message, options);
    this.name = 'ActorLostError';
  }
}
