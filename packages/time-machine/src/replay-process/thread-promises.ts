// The awaited promises of a paused thread.
import type { Page, Value } from './inspected-values.ts';

/** A place in a source file. Lines and columns count from 1. */
export interface PromiseLocation {
  readonly file: string;
  readonly line: number;
  /** Unknown for the start of a handler. */
  readonly column?: number | undefined;
}

/** A function or handler that waits for a promise. */
export interface PromiseWaiter {
  /** Text that follows "awaited by". */
  readonly description: string;
  /** The actor or main program of the waiter. */
  readonly actor: string;
  /** Location of the `await`, or of the start of the handler. */
  readonly location?: PromiseLocation | undefined;
  /** Id of the promise that the waiter's outcome settles, if any. */
  readonly promise?: number | undefined;
}

/** A promise that something waits for, from the view of its thread. */
export interface ThreadPromise {
  /** The promise as a value, whose id can be expanded. */
  readonly value: Value;
  /** Description of the promise's origin. */
  readonly description: string;
  /** Location at which the function that settles the promise waits. */
  readonly location?: PromiseLocation | undefined;
  /** Ids of the promises that must be settled before this one. */
  readonly waitsFor: readonly number[];
  /** Why the promise is pending, if the reason is known and is not in `waitsFor`. */
  readonly reason?: string | undefined;
  readonly waiters: readonly PromiseWaiter[];
  /** Number of all waiters. */
  readonly waiterCount: number;
  /** Number of the task in which the wait began; undefined if the wait is older than the process. */
  readonly waitingSinceTask?: number | undefined;
  /** The call to another worker whose answer settles the promise. */
  readonly remoteCall?: RemoteCall | undefined;
}

/** A call to an actor on another worker. */
export interface RemoteCall {
  /** The calling worker. */
  readonly caller: number;
  /** Number of the call among all calls from the calling worker to the other one. */
  readonly callNumber: number;
  readonly actor: number;
  /** The worker of the actor. */
  readonly worker: number;
}

export interface PromisesQuery extends Page {
  /** Pattern for the names of the waiting actors; `*` matches anything. */
  readonly actor?: string | undefined;
  /** The result is only this promise and the chain of promises that it waits for, the nearest first. */
  readonly promise?: number | RemoteCall | undefined;
}

export interface ThreadPromises {
  readonly promises: readonly ThreadPromise[];
  /** Number of all promises. */
  readonly total: number;
  /** Why a requested call has no answer yet, if no promise represents the call. */
  readonly reason?: string | undefined;
}
