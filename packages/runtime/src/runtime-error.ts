// The error classes of this package, and their codes.
import type { RUNTIME_ERRORS } from './error-table.ts';

/** Codes of errors that the runtime throws. `turntable explain CODE` describes each. */
export type RuntimeErrorCode = keyof typeof RUNTIME_ERRORS;

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
