// Actors that a worker's part of a snapshot mentions, each once, and references to them and to what they have lent.

import { Actor, displayed, LIFE, OVER, standIn } from '../actors/actor.ts';
import { FarRef, type FarRefClass } from '../references/far-ref.ts';
import { ActorLostError } from '../runtime-error.ts';

export interface MentionedIn {
  /** The worker that reads it, and in which life. */
  readonly worker: number;
  readonly life: number;
  /** Actors that are there already. */
  readonly known: readonly Actor[];
  /** Whether what stands for a worker, or an actor, is of a life that has ended. */
  isOver(id: number, life: number): boolean;
}

export class Mentioned {
  readonly #in: MentionedIn;
  readonly #actors = new Map<number, Actor>();
  readonly #roots = new Map<Actor, FarRef>();

  constructor(where: MentionedIn) {
    this.#in = where;
    for (const actor of where.known) this.#actors.set(actor.id, actor);
  }

  /** Those of the worker that reads this. */
  get here(): Actor[] {
    return [...this.#actors.values()].filter(({ worker }) => worker === this.#in.worker);
  }

  /** The reference to the root of an actor here, if there is any. */
  rootOf(actor: Actor): FarRef | undefined {
    return this.#roots.get(actor);
  }

  actor(id: number, worker: number, life: number, type = 'actor'): Actor {
    if (this.#in.isOver(id, life)) return overActor(id, worker);
    let actor = this.#actors.get(id);
    if (actor === undefined || actor.life < life) {
      actor = new Actor(id, worker, `${type}#${displayed(id)}`);
      actor.life = life;
      this.#actors.set(id, actor);
    }
    return actor;
  }

  reference(type: FarRefClass, id: number, worker: number, life: number, number: number): FarRef {
    const { name } = type.interface;
    const isHere = worker === this.#in.worker;
    // What was lent in a life before this one is gone.
    if (isHere && number !== 0 && number <= this.#in.life * LIFE) {
      const why = new ActorLostError(
        `this object, a ${name}, belonged to an earlier life of actor ${displayed(id)}: its worker has ended since`,
      );
      return new type(standIn(id, worker, why), number, undefined);
    }
    const ref = new type(this.actor(id, worker, life, name), number, undefined);
    if (isHere && number === 0) this.#roots.set(FarRef.actorOf(ref), ref);
    return ref;
  }
}

/** Stands for a worker whose life has ended. */
export function overActor(id: number, worker: number): Actor {
  return Object.assign(new Actor(id, worker, `worker ${worker}`), { life: OVER } satisfies Partial<Actor>);
}
