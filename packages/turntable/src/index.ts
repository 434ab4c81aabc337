// The public API: actors, messages to them, the app, and the loader's settings.
import {
  DeadDeviceError,
  DURABILITY_EXPECTED,
  isDurability,
  type Durability,
  type TurntableConfig,
} from '@turntable/loader';
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
  checkOptionNames,
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
  Durability,
  FarRef,
  InPlaceOptions,
  RestoreOptions,
  SendOptions,
  SpawnOptions,
  StartOptions,
  TakenSnapshot,
  TurntableConfig,
};

const START_OPTIONS = ['workers', 'placement', 'resourceLimits'] as const satisfies readonly (keyof StartOptions)[];
const RESTORE_OPTIONS = ['phase', 'code', 'root'] as const satisfies readonly (keyof RestoreOptions)[];
const SPAWN_OPTIONS = ['on', 'name', 'mailbox', 'supervise'] as const satisfies readonly (keyof SpawnOptions)[];

/** Checks the types of a `turntable.config.ts`: `export default defineConfig({ … })`. */
export function defineConfig(config: TurntableConfig): TurntableConfig {
  return config;
}

/**
 * Declares a host object. `make` is called now, and again when the program is restored: then its result replaces the
 * object everywhere. It may return a promise.
 */
export function device<T extends object>(make: () => T, options: { readonly name?: string } = {}): T {
  checkOptionNames('device()', options, ['name']);
  return (isInstalled() ? installedLoader().devices.declare(make, options.name) : make()) as T;
}

/**
 * Makes an HTTP response wait until the events that it depends on are written: `'reply'`: they survive a kill of the
 * process; `'reply+fsync'`: also a loss of power. Overrides the setting `durability` for this response, and must be
 * called before its first byte is sent. Has no effect in a program that is not recorded with traces.
 */
export function durable(response: object, level: Durability = 'reply'): void {
  if (!isDurability(level))
    throw new RuntimeError('TT_OPTIONS', `the level must be ${DURABILITY_EXPECTED}, not ${String(level)}`);
  if (isInstalled()) Reflect.set(response, Symbol.for('turntable.durability'), level);
}

/** Sets how the actors of this program run, which is optional. It must be called before the first actor is created. */
export function start(options: StartOptions = {}): App {
  checkOptionNames('start()', options, START_OPTIONS);
  threadActors.start(options);
  return processApp;
}

/**
 * Resumes a program from a state or a recording; in a directory of recordings, from the last one. This process becomes
 * the program, and its own state is lost. It never returns; if it rejects, nothing has changed. Where a process cannot
 * be replaced (Windows, the permission model), the program is a child with this process's terminal, signals and exit
 * code.
 */
export async function restore(path: string, options: RestoreOptions = {}): Promise<never> {
  checkOptionNames('restore()', options, RESTORE_OPTIONS);
  const { restoreAs } = await import('./commands/restore.ts');
  return restoreAs(path, options);
}

/** Creates an actor on the worker with the fewest actors, and returns its reference at once. */
export const spawn: Spawn = (type, ...args) => {
  const { scheduler, chooseWorker } = threadActors;
  return scheduler.actorApi.spawn(type as never, args, chooseWorker(undefined)) as never;
};

/** Creates an actor with options: its place, name, mailbox and supervision. Returns its reference at once. */
export const spawnWith: SpawnWith = (options, type, ...args) => {
  checkOptionNames('spawnWith()', options, SPAWN_OPTIONS);
  const { scheduler, chooseWorker } = threadActors;
  return scheduler.actorApi.spawn(
    type as never,
    args,
    chooseWorker(options.on as Placement | undefined),
    options,
  ) as never;
};

/** Sends messages whose results are ignored. */
export const tell: Tell = (target) => threadActors.scheduler.actorApi.tell(target) as never;

/** Sends messages to a reference, or to a promise of one. */
export const send: Send = (target) => threadActors.scheduler.actorApi.send(target) as never;

/** Sends messages with a deadline or an abort signal. */
export const sendWith: SendWith = (options, target) =>
  threadActors.scheduler.actorApi.sendWith(options, target) as never;

/** Creates a reference to an object, for other actors. */
export const far: MakeFar = (object: object) => {
  if (!isObject(object))
    throw new RuntimeError('TT_NOT_PASSABLE', `far(…) must be given an object, not ${String(object)}`);
  return threadActors.scheduler.actorApi.far(object) as never;
};

/** The object of a reference. Only the actor that owns the object can get it. */
export const near: Near = (ref) => threadActors.scheduler.actorApi.near(requireReference(ref, 'near')) as never;

/** Whether a value is a reference to an object of some actor. */
export const isFar: IsFar = (value): value is FarRef<unknown> => FarReference.has(value);

/** A string that is equal for all references to the same object, in all actors. */
export function identityOf(ref: FarRef<unknown>): string {
  return threadActors.scheduler.actorApi.identityOf(requireReference(ref, 'identityOf'));
}

/** Stops an actor after it has handled all earlier messages. An actor stops itself with `stop(this)`. */
export function stop(actor: FarRef<unknown> | Actor): void {
  const { scheduler } = threadActors;
  scheduler.actorApi.stop(
    isObject(actor) && Actor.has(actor) ? scheduler.actorApi.far(actor) : requireReference(actor, 'stop'),
  );
}

/** Revokes a reference to an object of this actor: later messages to it are rejected. */
export function release(ref: FarRef<unknown>): void {
  threadActors.scheduler.actorApi.release(requireReference(ref, 'release'));
}

/** Resolves with the reason when messages can no longer reach the actor of a reference. */
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
    `${call}(…) was given ${description}, which is not a far reference; await a promise first`,
  );
}
