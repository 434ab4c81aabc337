// Which actors a worker has, for who asks: the first ones by themselves, later ones once they have had some turns. So an actor that is made for
// one message costs nothing here, however many there are. Nobody is kept alive by being known.

import type { Actor } from './actor.ts';

/** An actor of this worker, as `app.stats({ actors: true })` tells of it. */
export interface ActorStats {
  readonly actor: number;
  readonly name: string;
  readonly turns: number;
  /** Messages that wait for it. */
  readonly waiting: number;
  /** Milliseconds its turns have taken; an estimate as long as turns are short. */
  readonly busy: number;
}

export interface CensusState {
  /** So many were born here. Whom it knows is not said: whether the collector has come by is no state. */
  readonly born: number;
}

/** So many are known from their birth on. */
const FIRST = 1000;
/** The others from this turn on. */
export const KNOWN_TURN = 8;

/** Those that are gone are looked for when it knows so many, and twice as many as were left then. */
const FEWEST = 64;

export class Census {
  #known: WeakRef<Actor>[] = [];
  #limit = FEWEST;
  #born = 0;

  /** An actor has been made here. */
  born(actor: Actor): void {
    if (this.#born++ < FIRST) this.#add(actor, 0);
  }

  /** It has had `KNOWN_TURN` turns. */
  grown(actor: Actor): void {
    if (actor.knownFrom < 0) this.#add(actor, KNOWN_TURN);
  }

  #add(actor: Actor, from: number): void {
    actor.knownFrom = from;
    if (this.#known.length >= this.#limit) {
      this.#known = this.#known.filter((ref) => isAlive(ref.deref()));
      this.#limit = Math.max(FEWEST, this.#known.length * 2);
    }
    this.#known.push(new WeakRef(actor));
  }

  read(): CensusState {
    return { born: this.#born };
  }

  /** In the place of all that it knew. */
  write({ born }: CensusState): void {
    this.#known = [];
    this.#limit = FEWEST;
    this.#born = born;
  }

  /** These have been here before, or are still to be made: those will be told of. */
  again(actors: readonly Actor[]): void {
    let left = FIRST;
    for (const actor of actors) {
      if (actor.root !== undefined && left-- > 0) this.#add(actor, 0);
      else if (actor.turns >= KNOWN_TURN) this.#add(actor, KNOWN_TURN);
    }
  }

  /** In the order of their births. */
  known(): Actor[] {
    return this.#known
      .map((ref) => ref.deref())
      .filter(isAlive)
      .toSorted((a, b) => a.id - b.id);
  }

  stats(): ActorStats[] {
    return this.known().map(({ id, name, turns, waiting, busy }) => ({ actor: id, name, turns, waiting, busy }));
  }
}

function isAlive(actor: Actor | undefined): actor is Actor {
  return actor !== undefined && actor.failure === undefined;
}
