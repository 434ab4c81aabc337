// Parts of an actor that are written because other actors mention them: objects it has lent, and eventuals that others
// will settle. A mention is written as a name, and the part itself is deferred to its actor: following mentions would
// write all actors of a busy worker at once. Deferred parts of an actor that is already written are written at once,
// before they can change (docs/internals/snapshots.md, "Correctness").

import type { Eventual } from '@turntable/core';
import type { ActorCell } from '../actors/actor-cell.ts';
import { FarReference } from '../references/far-reference.ts';

/** Parts of one actor that are still to be written. */
export interface DeferredParts {
  /** References to objects of the actor. */
  readonly lent: FarReference[];
  /** Tickets and eventuals, alternating. */
  readonly eventuals: (number | Eventual)[];
}

export class DeferredReferences {
  readonly #ownWorker: number;
  readonly #isWritten: (actor: ActorCell) => boolean;
  readonly #deferred = new Map<ActorCell, DeferredParts>();
  readonly #tickets = new Map<Eventual, number>();
  readonly #mentioned = new Set<FarReference | ActorCell>();
  /** Mentioned actors that are not written, in the order of their first mention. */
  readonly #unwritten: ActorCell[] = [];
  /** Written actors that have deferred parts again. */
  #writtenWithDeferred = new Set<ActorCell>();

  constructor(ownWorker: number, isWritten: (actor: ActorCell) => boolean) {
    this.#ownWorker = ownWorker;
    this.#isWritten = isWritten;
  }

  mentionActor(actor: ActorCell): void {
    if (actor.worker !== this.#ownWorker || this.#isWritten(actor) || this.#mentioned.has(actor)) return;
    this.#mentioned.add(actor);
    this.#unwritten.push(actor);
  }

  mentionReference(ref: FarReference): void {
    const actor = FarReference.actorOf(ref);
    this.mentionActor(actor);
    if (actor.worker !== this.#ownWorker || FarReference.exportIdOf(ref) === 0 || this.#mentioned.has(ref)) return;
    this.#mentioned.add(ref);
    this.#deferredOf(actor).lent.push(ref);
  }

  /** Returns the ticket that names an eventual outside its actor. */
  ticketOf(eventual: Eventual, owner: ActorCell): number {
    let ticket = this.#tickets.get(eventual);
    if (ticket === undefined) {
      ticket = this.#tickets.size + 1;
      this.#tickets.set(eventual, ticket);
      this.mentionActor(owner);
      this.#deferredOf(owner).eventuals.push(ticket, eventual);
    }
    return ticket;
  }

  #deferredOf(actor: ActorCell): DeferredParts {
    let deferred = this.#deferred.get(actor);
    if (deferred === undefined) this.#deferred.set(actor, (deferred = { lent: [], eventuals: [] }));
    if (this.#isWritten(actor)) this.#writtenWithDeferred.add(actor);
    return deferred;
  }

  /** Returns and clears the deferred parts of an actor. */
  takeDeferred(actor: ActorCell): DeferredParts | undefined {
    const deferred = this.#deferred.get(actor);
    this.#deferred.delete(actor);
    this.#writtenWithDeferred.delete(actor);
    return deferred;
  }

  /** Returns an actor that is already written and has deferred parts again; undefined if there is none. */
  nextWrittenWithDeferred(): ActorCell | undefined {
    for (const actor of this.#writtenWithDeferred) return actor;
    return undefined;
  }

  /** Returns a mentioned actor that is not written; undefined if there is none. */
  nextUnwritten(): ActorCell | undefined {
    for (let actor = this.#unwritten.pop(); actor !== undefined; actor = this.#unwritten.pop())
      if (!this.#isWritten(actor)) return actor;
    return undefined;
  }
}
