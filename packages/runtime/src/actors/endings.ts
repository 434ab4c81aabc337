// How an actor ends: stopped, or unable to be made. Nothing can be sent to it from then on, and who wanted to know of it is told: those who have
// asked, here and elsewhere, and the worker that would have made it anew.

import type { Actor } from './actor.ts';
import type { FarRef } from '../references/far-ref.ts';
import type { Settles } from '../messaging/answer/outcomes.ts';
import { RuntimeError } from '../runtime-error.ts';
import { ROLLBACK } from './supervise.ts';

/** Who wants to know of the end of an actor. */
export type Watcher =
  /** An actor here, or a worker by its peer. */
  { readonly what: 'asked'; readonly to: Actor; readonly settles: Settles } | Supervisor;

/** The worker that has spawned it, which supervises it in this way. It has the reference until then. */
export interface Supervisor {
  readonly what: 'supervised';
  readonly ref: FarRef;
  readonly supervisor: number;
  readonly way: number;
  /** Who has spawned it, if that lives on its worker: it is restored with that one. */
  readonly by: Actor | undefined;
}

export interface EndingPorts {
  /** Something of an actor is about to change. */
  touch(actor: Actor): void;
  answer(actor: Actor, to: Actor, settles: Settles, failure: RuntimeError): void;
  /** One that was supervised by a worker is not to be made anew. */
  unsupervised(actor: Actor, ref: FarRef, supervisor: number): void;
}

export class Endings {
  readonly #ports: EndingPorts;
  /** Actors here with which everybody goes back if they are lost. */
  #rollbacks = 0;
  /** Is told whenever there are more or fewer of them. */
  onRollbacks: ((count: number) => void) | undefined;

  constructor(ports: EndingPorts) {
    this.#ports = ports;
  }

  watch(actor: Actor, watcher: Watcher): void {
    this.#ports.touch(actor);
    this.#count(watcher, 1);
    if (actor.failure !== undefined) this.#tell(actor, watcher);
    else (actor.watchers ??= []).push(watcher);
  }

  end(actor: Actor, failure: RuntimeError): void {
    if (actor.failure !== undefined) return;
    actor.failure = failure;
    const watchers = watchersOf(actor);
    actor.watchers = undefined;
    for (const watcher of watchers) this.#tell(actor, watcher);
  }

  /** These have been here before. */
  again(actors: readonly Actor[]): void {
    for (const actor of actors) for (const watcher of watchersOf(actor)) this.#count(watcher, 1);
  }

  #count(watcher: Watcher, by: number): void {
    if (watcher.what !== 'supervised' || watcher.way !== ROLLBACK) return;
    this.#rollbacks += by;
    this.onRollbacks?.(this.#rollbacks);
  }

  #tell(actor: Actor, watcher: Watcher): void {
    this.#count(watcher, -1);
    if (watcher.what === 'asked') this.#ports.answer(actor, watcher.to, watcher.settles, failureOf(actor));
    else this.#ports.unsupervised(actor, watcher.ref, watcher.supervisor);
  }
}

export function watchersOf(actor: Actor): readonly Watcher[] {
  return (actor.watchers ?? []) as Watcher[];
}

/** Stands for the error until somebody asks: its stack would cost more than all else in the life of an actor that is stopped in time. */
export const STOPPED = new RuntimeError('TT_ACTOR_STOPPED', 'an actor has been stopped');

export function failureOf(actor: Actor): RuntimeError {
  if (actor.failure === STOPPED)
    actor.failure = new RuntimeError('TT_ACTOR_STOPPED', `${actor.name} has been stopped; it takes no more messages`);
  return actor.failure as RuntimeError;
}
