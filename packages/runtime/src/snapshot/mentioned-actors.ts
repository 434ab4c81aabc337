// Actors that a worker's part of a snapshot mentions, each once, with the references to them and to their objects.

import { ActorCell, displayId, ORDINALS_PER_EPOCH, ENDED_EPOCH, createBrokenActor } from '../actors/actor-cell.ts';
import { FarReference, type FarReferenceClass } from '../references/far-reference.ts';
import { ActorLostError } from '../runtime-error.ts';

export interface MentionedActorsOptions {
  /** The worker that reads the part, and its epoch. */
  readonly worker: number;
  readonly epoch: number;
  /** Actors that exist already. */
  readonly knownActors: readonly ActorCell[];
  /** Whether a mentioned worker or actor belongs to an epoch that has ended. */
  isEnded(id: number, epoch: number): boolean;
}

export class MentionedActors {
  readonly #options: MentionedActorsOptions;
  readonly #actors = new Map<number, ActorCell>();
  readonly #roots = new Map<ActorCell, FarReference>();

  constructor(options: MentionedActorsOptions) {
    this.#options = options;
    for (const actor of options.knownActors) this.#actors.set(actor.id, actor);
  }

  /** Mentioned actors of the reading worker. */
  get ownActors(): ActorCell[] {
    return [...this.#actors.values()].filter(({ worker }) => worker === this.#options.worker);
  }

  /** Returns the reference to the root of an actor, if it was mentioned. */
  rootReferenceOf(actor: ActorCell): FarReference | undefined {
    return this.#roots.get(actor);
  }

  actor(id: number, worker: number, epoch: number, type = 'actor'): ActorCell {
    if (this.#options.isEnded(id, epoch)) return createEndedActor(id, worker);
    let actor = this.#actors.get(id);
    if (actor === undefined || actor.epoch < epoch) {
      actor = new ActorCell(id, worker, `${type}#${displayId(id)}`);
      actor.epoch = epoch;
      this.#actors.set(id, actor);
    }
    return actor;
  }

  reference(type: FarReferenceClass, id: number, worker: number, epoch: number, exportId: number): FarReference {
    const { name } = type.interface;
    const isOwnWorker = worker === this.#options.worker;
    // Objects lent in an earlier epoch no longer exist.
    if (isOwnWorker && exportId !== 0 && exportId <= this.#options.epoch * ORDINALS_PER_EPOCH) {
      const reason = new ActorLostError(
        `this object, a ${name}, belonged to an earlier epoch of actor ${displayId(id)}: its worker has ended since`,
      );
      return new type(createBrokenActor(id, worker, reason), exportId, undefined);
    }
    const ref = new type(this.actor(id, worker, epoch, name), exportId, undefined);
    if (isOwnWorker && exportId === 0) this.#roots.set(FarReference.actorOf(ref), ref);
    return ref;
  }
}

/** Returns an actor that represents a worker of an ended epoch. */
export function createEndedActor(id: number, worker: number): ActorCell {
  return Object.assign(new ActorCell(id, worker, `worker ${worker}`), {
    epoch: ENDED_EPOCH,
  } satisfies Partial<ActorCell>);
}
