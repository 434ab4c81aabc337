// API for packages that bring host objects into the program themselves (`@turntable/fastify`). It takes effect in
// threads that are recorded with traces or replayed. Elsewhere, handles are the host objects themselves, and reports do
// nothing.
import { DeadDeviceError } from '@turntable/loader';
import { installedLoader, isInstalled, currentReplay, threadActors, type TakenSnapshot } from '@turntable/replayer';
import type { DataSourceApi, SurrogateType } from '@turntable/boundary';
import { processApp } from './app.ts';

export type { SurrogateType, TakenSnapshot };

/** Whether the program is recorded with traces, or replayed. */
export function isTraced(): boolean {
  return findSources() !== undefined;
}

/** Whether the program takes snapshots or, in a replay, took some in the recorded run. */
export function isRecorded(): boolean {
  return threadActors.isRecorded || currentReplay() !== undefined;
}

/**
 * `app.snapshot()` for packages without the app. The snapshot includes everything done before the call. The promise
 * resolves when it is on disk. Concurrent callers share one snapshot.
 */
export function snapshot(): Promise<TakenSnapshot | undefined> {
  return processApp.snapshot();
}

/** Whether a value of the program is a handle, so that a data source can define a surrogate for it. */
export function isHandle(value: unknown): boolean {
  return isInstalled() && installedLoader().dataSources?.isHandle(value) === true;
}

/** Makes handles that inherit from the handle `prototype` reach the program as surrogates made by `factory`. */
export function defineSurrogate(prototype: object, factory: SurrogateType): void {
  requireSources().defineSurrogate(prototype, factory);
}

/** Reads a property of a surrogate's host object. */
export function getProperty(object: object, key: PropertyKey): unknown {
  return requireSources().getProperty(object, key);
}

/** Calls a method of a surrogate's host object. Such a method usually returns the host object. */
export function invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown {
  return requireSources().invoke(object, key, args);
}

/** Reports for the list of requests that the host has answered a request without the program. */
export function reportAnswered(object: object, status: unknown): void {
  findSources()?.reportAnswered(object, status);
}

/** Reports the outcome of a tracked promise to the host. It has no effect in a restored program. */
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
      'this request or response belongs to the captured process; a restored program cannot answer requests that were in progress',
    );
  return found;
}
