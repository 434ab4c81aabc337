// How an actor ends: stopped, or unable to be made. Nothing can be sent to it from then on, and who wanted to know of it is told: those who have
// asked, here and elsewhere, and the worker that would have made it anew.

import type { ActorCell } from './actor-cell.ts';
import type { FarReference } from '../references/far-reference.ts';
import type { ReplyTo } from '../messaging/answer/forward-targets.ts';
import { RuntimeError } from '../runtime-error.ts';
import { ROLLBACK } from './supervision-policy.ts';

/** Who wants to know of the end of an actor. */
export type ActorWatcher =
  /** An actor here, or a worker by its peer. */
  { readonly kind: 'reply'; readonly asker: ActorCell; readonly replyTo: ReplyTo } | SupervisorWatch;

/** The worker that has spawned it, which supervises it in this way. It has the reference until then. */
export interface SupervisorWatch {
  readonly kind: 'supervisor';
  readonly ref: FarReference;
  readonly supervisorWorker: number;
  readonly policy: number;
  /** Who has spawned it, if that lives on its worker: it is restored with that one. */
  readonly spawner: ActorCell | undefined;
}

export interface TerminationDeps {
  /** Something of an actor is about to change. */
  touch(actor: ActorCell): void;
  answer(actor: ActorCell, asker: ActorCell, replyTo: ReplyTo, failure: RuntimeError): void;
  /** One that was supervised by a worker is not to be made anew. */
  endSupervision(actor: ActorCell, ref: FarReference, supervisorWorker: number): void;
}

export class Termination {
  readonly #deps: TerminationDeps;
  /** Actors here with which everybody goes back if they are lost. */
  #rollbackCount = 0;
  /** Is told whenever there are more or fewer of them. */
  onRollbackCount: ((count: number) => void) | undefined;

  constructor(deps: TerminationDeps) {
    this.#deps = deps;
  }

  watch(actor: ActorCell, watcher: ActorWatcher): void {
    this.#deps.touch(actor);
    this.#count(watcher, 1);
    if (actor.failure !== undefined) this.#notify(actor, watcher);
    else (actor.watchers ??= []).push(watcher);
  }

  end(actor: ActorCell, failure: RuntimeError): void {
    if (actor.failure !== undefined) return;
    actor.failure = failure;
    const watchers = watchersOf(actor);
    actor.watchers = undefined;
    for (const watcher of watchers) this.#notify(actor, watcher);
  }

  /** These have been here before. */
  restore(actors: readonly ActorCell[]): void {
    for (const actor of actors) for (const watcher of watchersOf(actor)) this.#count(watcher, 1);
  }

  #count(watcher: ActorWatcher, change: number): void {
    if (watcher.kind !== 'supervisor' || watcher.policy !== ROLLBACK) return;
    this.#rollbackCount += change;
    this.onRollbackCount?.(this.#rollbackCount);
  }

  #notify(actor: ActorCell, watcher: ActorWatcher): void {
    this.#count(watcher, -1);
    if (watcher.kind === 'reply') this.#deps.answer(actor, watcher.asker, watcher.replyTo, failureOf(actor));
    else this.#deps.endSupervision(actor, watcher.ref, watcher.supervisorWorker);
  }
}

export function watchersOf(actor: ActorCell): readonly ActorWatcher[] {
  return (actor.watchers ?? []) as ActorWatcher[];
}

/** Stands for the error until somebody asks: its stack would cost more than all else in the life of an actor that is stopped in time. */
export const STOPPED = new RuntimeError('TT_ACTOR_STOPPED', 'an actor has been stopped');

export function failureOf(actor: ActorCell): RuntimeError {
  if (actor.failure === STOPPED)
    actor.failure = new RuntimeError('TT_ACTOR_STOPPED', `${actor.name} has been stopped; it takes no more messages`);
  return actor.failure as RuntimeError;
}
