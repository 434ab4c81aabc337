// Which actors a worker has, for who asks: the first ones by themselves, later ones once they have had some turns. So an actor that is made for
// one message costs nothing here, however many there are. Nobody is kept alive by being known.

import type { ActorCell } from './actor-cell.ts';

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
  readonly created: number;
}

/** So many are known from their birth on. */
const MAX_KNOWN_FROM_CREATION = 1000;
/** The others from this turn on. */
export const CENSUS_TURN = 8;

/** Those that are gone are looked for when it knows so many, and twice as many as were left then. */
const MIN_SWEEP_SIZE = 64;

export class Census {
  #actors: WeakRef<ActorCell>[] = [];
  #sweepSize = MIN_SWEEP_SIZE;
  #created = 0;

  /** An actor has been made here. */
  actorCreated(actor: ActorCell): void {
    if (this.#created++ < MAX_KNOWN_FROM_CREATION) this.#add(actor, 0);
  }

  /** It has had `KNOWN_TURN` turns. */
  actorMatured(actor: ActorCell): void {
    if (actor.censusTurn < 0) this.#add(actor, CENSUS_TURN);
  }

  #add(actor: ActorCell, turn: number): void {
    actor.censusTurn = turn;
    if (this.#actors.length >= this.#sweepSize) {
      this.#actors = this.#actors.filter((ref) => isAlive(ref.deref()));
      this.#sweepSize = Math.max(MIN_SWEEP_SIZE, this.#actors.length * 2);
    }
    this.#actors.push(new WeakRef(actor));
  }

  getState(): CensusState {
    return { created: this.#created };
  }

  /** In the place of all that it knew. */
  setState({ created }: CensusState): void {
    this.#actors = [];
    this.#sweepSize = MIN_SWEEP_SIZE;
    this.#created = created;
  }

  /** These have been here before, or are still to be made: those will be told of. */
  restore(actors: readonly ActorCell[]): void {
    let remaining = MAX_KNOWN_FROM_CREATION;
    for (const actor of actors) {
      if (actor.root !== undefined && remaining-- > 0) this.#add(actor, 0);
      else if (actor.turns >= CENSUS_TURN) this.#add(actor, CENSUS_TURN);
    }
  }

  /** In the order of their births. */
  actors(): ActorCell[] {
    return this.#actors
      .map((ref) => ref.deref())
      .filter(isAlive)
      .toSorted((a, b) => a.id - b.id);
  }

  stats(): ActorStats[] {
    return this.actors().map(({ id, name, turns, waiting, busy }) => ({ actor: id, name, turns, waiting, busy }));
  }
}

function isAlive(actor: ActorCell | undefined): actor is ActorCell {
  return actor !== undefined && actor.failure === undefined;
}
