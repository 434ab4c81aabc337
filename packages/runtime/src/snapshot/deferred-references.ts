// Parts of an actor that are written because others mention them: objects it has lent, and its eventuals that others will settle. A mention is a name, and the
// thing itself a debt of its actor: to follow mentions would write all actors of a busy worker at once. Debts of an actor that is written already are
// written at once, before anything can change them (docs/snapshots.md, "Why it is right").

import type { Eventual } from '@turntable/core';
import type { ActorCell } from '../actors/actor-cell.ts';
import { FarReference } from '../references/far-reference.ts';

/** What an actor owes. */
export interface DeferredParts {
  /** References to objects of it. */
  readonly lent: FarReference[];
  /** With their tickets, in turn. */
  readonly eventuals: (number | Eventual)[];
}

export class DeferredReferences {
  readonly #ownWorker: number;
  readonly #isWritten: (actor: ActorCell) => boolean;
  readonly #deferred = new Map<ActorCell, DeferredParts>();
  readonly #tickets = new Map<Eventual, number>();
  readonly #mentioned = new Set<FarReference | ActorCell>();
  /** Actors that have been mentioned and are not written, as they were found. */
  readonly #unwritten: ActorCell[] = [];
  /** Those of them that have been written owe again. */
  #writtenWithDeferred = new Set<ActorCell>();

  constructor(ownWorker: number, isWritten: (actor: ActorCell) => boolean) {
    this.#ownWorker = ownWorker;
    this.#isWritten = isWritten;
  }

  /** An actor is mentioned. */
  mentionActor(actor: ActorCell): void {
    if (actor.worker !== this.#ownWorker || this.#isWritten(actor) || this.#mentioned.has(actor)) return;
    this.#mentioned.add(actor);
    this.#unwritten.push(actor);
  }

  /** A reference is mentioned. */
  mentionReference(ref: FarReference): void {
    const actor = FarReference.actorOf(ref);
    this.mentionActor(actor);
    if (actor.worker !== this.#ownWorker || FarReference.exportIdOf(ref) === 0 || this.#mentioned.has(ref)) return;
    this.#mentioned.add(ref);
    this.#deferredOf(actor).lent.push(ref);
  }

  /** The name of an eventual that somebody else than its actor mentions. */
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

  /** What an actor owes, which is paid with the answer. */
  takeDeferred(actor: ActorCell): DeferredParts | undefined {
    const deferred = this.#deferred.get(actor);
    this.#deferred.delete(actor);
    this.#writtenWithDeferred.delete(actor);
    return deferred;
  }

  /** One that is written already and owes again. */
  nextWrittenWithDeferred(): ActorCell | undefined {
    for (const actor of this.#writtenWithDeferred) return actor;
    return undefined;
  }

  /** One that has been found and is not written. */
  nextUnwritten(): ActorCell | undefined {
    for (let actor = this.#unwritten.pop(); actor !== undefined; actor = this.#unwritten.pop())
      if (!this.#isWritten(actor)) return actor;
    return undefined;
  }
}
