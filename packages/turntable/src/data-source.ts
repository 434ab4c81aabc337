// For packages that bring things in from outside by hand (`@turntable/fastify`): what the loader keeps for them in a thread that is recorded with traces, or
// runs again. Everywhere else there is nothing of it, and whoever is given a handle may take it for the thing.
import { DeadDeviceError } from '@turntable/loader';
import { installedLoader, isInstalled, currentReplay, threadActors, type TakenSnapshot } from '@turntable/replayer';
import type { DataSourceApi, SurrogateType } from '@turntable/boundary';
import { processApp } from './app.ts';

export type { SurrogateType, TakenSnapshot };

/** Whether there are snapshots of this program, or there were when it ran that runs again. */
export function isRecorded(): boolean {
  return threadActors.isRecorded || currentReplay() !== undefined;
}

/** `app.snapshot()`, for who has no app: what has been done so far is in it, and it is on the disk when this answers. Whoever asks meanwhile shares the next one. */
export function snapshot(): Promise<TakenSnapshot | undefined> {
  return processApp.snapshot();
}

/** Whether what the program has there is a handle of something outside of it: then a data source may make objects by hand. */
export function isHandle(value: unknown): boolean {
  return isInstalled() && installedLoader().dataSources?.isHandle(value) === true;
}

/** From now on, what stands below `prototype`, a handle, is met as an object that `made` makes. */
export function defineSurrogate(prototype: object, factory: SurrogateType): void {
  requireSources().defineSurrogate(prototype, factory);
}

/** A property of what a hand-made object stands for. */
export function getProperty(object: object, key: PropertyKey): unknown {
  return requireSources().getProperty(object, key);
}

/** Calls a method of it, which mostly answers the same object. */
export function invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown {
  return requireSources().invoke(object, key, args);
}

/** The outside has answered what it stands for by itself: for who looks at the requests of a run again. */
export function reportAnswered(object: object, status: unknown): void {
  findSources()?.reportAnswered(object, status);
}

/** Tells who waits outside how a promise has ended that was followed. Where the program has gone on nobody does any more. */
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
      'what this object stands for stayed behind in the process that was recorded; a request that was under way is not answered where the program goes on',
    );
  return found;
}
