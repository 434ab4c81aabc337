// Ends actors: an actor ends when it is stopped or could not be created. Nothing can be sent to it afterwards. Its
// watchers are notified: callers of `whenBroken`, on any worker, and the worker that would respawn the actor.

import type { ActorCell } from './actor-cell.ts';
import type { FarReference } from '../references/far-reference.ts';
import type { ReplyTo } from '../messaging/answer/forward-targets.ts';
import { RuntimeError } from '../runtime-error.ts';
import { ROLLBACK } from './supervision-policy.ts';

/** Observer of an actor's end. */
export type ActorWatcher =
  /** `asker` receives the answer; it is an actor of this worker, or the peer of another worker. */
  { readonly kind: 'reply'; readonly asker: ActorCell; readonly replyTo: ReplyTo } | SupervisorWatch;

/** Watch of the supervisor, the worker that spawned the actor. Keeps the reference while the actor exists. */
export interface SupervisorWatch {
  readonly kind: 'supervisor';
  readonly ref: FarReference;
  readonly supervisorWorker: number;
  readonly policy: number;
  /** The spawner, if it is on the actor's worker: the two are restored together. */
  readonly spawner: ActorCell | undefined;
}

export interface TerminationDeps {
  /** Called before an actor changes. */
  touch(actor: ActorCell): void;
  /** Clears the waiting timers of actors that have ended. */
  clearTimers(actors: ReadonlySet<ActorCell>): void;
  answer(actor: ActorCell, asker: ActorCell, replyTo: ReplyTo, failure: RuntimeError): void;
  /** Tells the supervising worker that the actor must not be respawned. */
  endSupervision(actor: ActorCell, ref: FarReference, supervisorWorker: number): void;
}

export class Termination {
  readonly #deps: TerminationDeps;
  /** Actors that have ended in this round. */
  readonly #ended = new Set<ActorCell>();
  /** Number of actors of this worker whose loss rolls the program back. */
  #rollbackCount = 0;
  /** Called with the new number when it changes. */
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
    this.#ended.add(actor);
    const watchers = watchersOf(actor);
    actor.watchers = undefined;
    for (const watcher of watchers) this.#notify(actor, watcher);
  }

  /** Clears the timers of actors that have ended in this round. Sweeps all timers once, however many actors ended. */
  endRound(): void {
    if (this.#ended.size === 0) return;
    this.#deps.clearTimers(this.#ended);
    this.#ended.clear();
  }

  /** Counts the watchers of restored actors. */
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

/** Shared failure of stopped actors. `failureOf` returns an error with the actor's name instead, which few need. */
export const STOPPED = new RuntimeError('TT_ACTOR_STOPPED', 'an actor has been stopped');

export function failureOf(actor: ActorCell): RuntimeError {
  // The cell itself does not change, since a snapshot may still have to write it.
  return actor.failure === STOPPED
    ? new RuntimeError('TT_ACTOR_STOPPED', `${actor.name} has been stopped; it takes no more messages`)
    : (actor.failure as RuntimeError);
}
