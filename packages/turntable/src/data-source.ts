// For packages that bring host objects into the program themselves (`@turntable/fastify`). Effective in threads that
// are recorded with traces or replayed; elsewhere every function does nothing and handles are the host objects
// themselves.
import { DeadDeviceError } from '@turntable/loader';
import { installedLoader, isInstalled, currentReplay, threadActors, type TakenSnapshot } from '@turntable/replayer';
import type { DataSourceApi, SurrogateType } from '@turntable/boundary';
import { processApp } from './app.ts';

export type { SurrogateType, TakenSnapshot };

/** Whether the program takes snapshots, or took some in the run that is replayed. */
export function isRecorded(): boolean {
  return threadActors.isRecorded || currentReplay() !== undefined;
}

/**
 * `app.snapshot()` without an app: includes everything done before, and is on disk when the promise resolves.
 * Concurrent callers share the next snapshot.
 */
export function snapshot(): Promise<TakenSnapshot | undefined> {
  return processApp.snapshot();
}

/** Whether a value of the program is a handle, for which a data source may define a surrogate. */
export function isHandle(value: unknown): boolean {
  return isInstalled() && installedLoader().dataSources?.isHandle(value) === true;
}

/** Objects whose prototype is below the handle `prototype` reach the program as surrogates made by `factory`. */
export function defineSurrogate(prototype: object, factory: SurrogateType): void {
  requireSources().defineSurrogate(prototype, factory);
}

/** A property of a surrogate's host object. */
export function getProperty(object: object, key: PropertyKey): unknown {
  return requireSources().getProperty(object, key);
}

/** Calls a method of a surrogate's host object, which usually returns that object. */
export function invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown {
  return requireSources().invoke(object, key, args);
}

/** Reports that the host has answered a request by itself, for the list of requests. */
export function reportAnswered(object: object, status: unknown): void {
  findSources()?.reportAnswered(object, status);
}

/** Reports the outcome of a tracked promise to the host; without effect in a restored program. */
export function reportSettled(number: number, isFulfilled: boolean, value: unknown): void {
  findSources()?.reportSettled(number, isFulfilled, value);
}

function findSources(): DataSourceApi | undefined {
  return isInstalled() ? installedLoader().dataSources : undefined;
}

function requireSources(): DataSourceApi {
  const found = findSources();
  if (found === undefined)
    throw new DeadDeviceError(
      'the host object of this surrogate stayed in the recorded process; a request in progress is not answered in a restored program',
    );
  return found;
}
