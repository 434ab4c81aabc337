// What users import: actors, what is sent to them, the app they live in, and the settings of the loader.
import { DeadDeviceError, type TurntableConfig } from '@turntable/loader';
import {
  Actor,
  type InPlaceOptions,
  installedLoader,
  isInstalled,
  type RestoreOptions,
  type StartOptions,
  type TakenSnapshot,
  threadActors,
} from '@turntable/replayer';
import {
  ActorLostError,
  type AppStats,
  type FarRef,
  FarReference,
  type IsFar,
  type MakeFar,
  type Near,
  type Placement,
  RuntimeError,
  type Send,
  type SendOptions,
  type SendWith,
  type Spawn,
  type SpawnOptions,
  type SpawnWith,
  type Tell,
} from '@turntable/runtime';
import { processApp, type App } from './app.ts';
import type { QueryOptions } from './query/query-runner.ts';
import type {
  ActorView,
  ClassView,
  MailboxView,
  ModuleView,
  SnapshotView,
  UnderWayView,
  WorkerView,
} from './query/snapshot-view.ts';

export { Actor, ActorLostError, DeadDeviceError, RuntimeError };
export { version } from '@turntable/replayer/entry';
export type { ActorView, ClassView, MailboxView, ModuleView, QueryOptions, SnapshotView, UnderWayView, WorkerView };
export type {
  App,
  AppStats,
  FarRef,
  InPlaceOptions,
  RestoreOptions,
  SendOptions,
  SpawnOptions,
  StartOptions,
  TakenSnapshot,
  TurntableConfig,
};

/** For `turntable.config.ts`: `export default defineConfig({ … })`. */
export function defineConfig(config: TurntableConfig): TurntableConfig {
  return config;
}

/**
 * Something of outside, and how it is made: `make` is called at once, and again where the program goes on from a state; what it answers
 * then stands wherever this one stood. It may answer a promise.
 */
export function device<T extends object>(make: () => T, options: { readonly name?: string } = {}): T {
  return (isInstalled() ? installedLoader().devices.declare(make, options.name) : make()) as T;
}

/** Says how the actors of this program live, before there are any. A program that does not call it gets the defaults. */
export function start(options: StartOptions = {}): App {
  threadActors.start(options);
  return processApp;
}

/**
 * Goes on from a recording, the last one of a directory of them, or a state: this process becomes the program, so that nothing of who calls
 * reaches into it. Answers only by failing. Where a process cannot become another (Windows, the permission model) it is a child, with the
 * terminal, signals and exit code of this one.
 */
export async function restore(path: string, options: RestoreOptions = {}): Promise<never> {
  const { restoreAs } = await import('./commands/restore.ts');
  return restoreAs(path, options);
}

/** An actor with an instance of the class, at once; it lives on whichever worker has the fewest. */
export const spawn: Spawn = (type, ...args) => {
  const { scheduler, chooseWorker } = threadActors;
  return scheduler.actorApi.spawn(type as never, args, chooseWorker(undefined)) as never;
};

export const spawnWith: SpawnWith = (options, type, ...args) => {
  const { scheduler, chooseWorker } = threadActors;
  return scheduler.actorApi.spawn(
    type as never,
    args,
    chooseWorker(options.on as Placement | undefined),
    options,
  ) as never;
};

/** For messages that need no answer. */
export const tell: Tell = (target) => threadActors.scheduler.actorApi.tell(target) as never;

/** For messages to what may not be there yet: a reference, or a promise of one. */
export const send: Send = (target) => threadActors.scheduler.actorApi.send(target) as never;

/** For messages whose answer is wanted in time. */
export const sendWith: SendWith = (options, target) =>
  threadActors.scheduler.actorApi.sendWith(options, target) as never;

/** A reference to an object, for other actors. */
export const far: MakeFar = (object: object) => {
  if (!isObject(object))
    throw new RuntimeError(
      'TT_NOT_PASSABLE',
      `far(…) was given ${String(object)}, which passes as it is; give it an object`,
    );
  return threadActors.scheduler.actorApi.far(object) as never;
};

/** The object of a reference, for the actor it belongs to. */
export const near: Near = (ref) => threadActors.scheduler.actorApi.near(requireReference(ref, 'near')) as never;

export const isFar: IsFar = (value): value is FarRef<unknown> => FarReference.has(value);

/** Equal for references to one object, in all actors. */
export function identityOf(ref: FarRef<unknown>): string {
  return threadActors.scheduler.actorApi.identityOf(requireReference(ref, 'identityOf'));
}

/** Ends an actor when it has handled what was sent to it before; of itself an actor may say `this`. */
export function stop(actor: FarRef<unknown> | Actor): void {
  const { scheduler } = threadActors;
  scheduler.actorApi.stop(
    isObject(actor) && Actor.has(actor) ? scheduler.actorApi.far(actor) : requireReference(actor, 'stop'),
  );
}

/** Takes back a reference to an object of this actor's: what is sent to it from now on is rejected. */
export function release(ref: FarRef<unknown>): void {
  threadActors.scheduler.actorApi.release(requireReference(ref, 'release'));
}

/** Settled with the reason when nothing can be sent to the actor any more. */
export function whenBroken(ref: FarRef<unknown>): Promise<RuntimeError> {
  return threadActors.scheduler.actorApi.whenBroken(requireReference(ref, 'whenBroken')) as never;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function requireReference(value: unknown, call: string): FarReference {
  if (FarReference.has(value)) return value;
  const description = isObject(value) ? 'an object' : String(value);
  throw new RuntimeError(
    'TT_NOT_A_REFERENCE',
    `${call}(…) was given ${description}, which is no far reference; of a promise of one, await it first`,
  );
}
