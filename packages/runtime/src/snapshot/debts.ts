// Parts of an actor that are written because others mention them: objects it has lent, and its eventuals that others will settle. A mention is a name, and the
// thing itself a debt of its actor: to follow mentions would write all actors of a busy worker at once. Debts of an actor that is written already are
// written at once, before anything can change them (docs/snapshots.md, "Why it is right").

import type { Eventual } from '@turntable/core';
import type { Actor } from '../actors/actor.ts';
import { FarRef } from '../references/far-ref.ts';

/** What an actor owes. */
export interface Owed {
  /** References to objects of it. */
  readonly lent: FarRef[];
  /** With their tickets, in turn. */
  readonly eventuals: (number | Eventual)[];
}

export class Debts {
  readonly #here: number;
  readonly #isWritten: (actor: Actor) => boolean;
  readonly #owed = new Map<Actor, Owed>();
  readonly #tickets = new Map<Eventual, number>();
  readonly #known = new Set<FarRef | Actor>();
  /** Actors that have been mentioned and are not written, as they were found. */
  readonly #found: Actor[] = [];
  /** Those of them that have been written owe again. */
  #late = new Set<Actor>();

  constructor(here: number, isWritten: (actor: Actor) => boolean) {
    this.#here = here;
    this.#isWritten = isWritten;
  }

  /** An actor is mentioned. */
  meet(actor: Actor): void {
    if (actor.worker !== this.#here || this.#isWritten(actor) || this.#known.has(actor)) return;
    this.#known.add(actor);
    this.#found.push(actor);
  }

  /** A reference is mentioned. */
  meetReference(ref: FarRef): void {
    const actor = FarRef.actorOf(ref);
    this.meet(actor);
    if (actor.worker !== this.#here || FarRef.numberOf(ref) === 0 || this.#known.has(ref)) return;
    this.#known.add(ref);
    this.#owedBy(actor).lent.push(ref);
  }

  /** The name of an eventual that somebody else than its actor mentions. */
  ticketOf(eventual: Eventual, owner: Actor): number {
    let ticket = this.#tickets.get(eventual);
    if (ticket === undefined) {
      ticket = this.#tickets.size + 1;
      this.#tickets.set(eventual, ticket);
      this.meet(owner);
      this.#owedBy(owner).eventuals.push(ticket, eventual);
    }
    return ticket;
  }

  #owedBy(actor: Actor): Owed {
    let owed = this.#owed.get(actor);
    if (owed === undefined) this.#owed.set(actor, (owed = { lent: [], eventuals: [] }));
    if (this.#isWritten(actor)) this.#late.add(actor);
    return owed;
  }

  /** What an actor owes, which is paid with the answer. */
  settle(actor: Actor): Owed | undefined {
    const owed = this.#owed.get(actor);
    this.#owed.delete(actor);
    this.#late.delete(actor);
    return owed;
  }

  /** One that is written already and owes again. */
  nextLate(): Actor | undefined {
    for (const actor of this.#late) return actor;
    return undefined;
  }

  /** One that has been found and is not written. */
  nextFound(): Actor | undefined {
    for (let actor = this.#found.pop(); actor !== undefined; actor = this.#found.pop())
      if (!this.#isWritten(actor)) return actor;
    return undefined;
  }
}
