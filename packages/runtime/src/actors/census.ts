// The actors of a worker that stats list: the first actors from their creation, later ones after some turns, so that an
// actor that handles a single message costs nothing here. References are weak: the census keeps no actor alive.
import type { ActorCell } from './actor-cell.ts';

/** Stats of an actor, as `app.stats({ actors: true })` reports them. */
export interface ActorStats {
  readonly actor: number;
  readonly name: string;
  readonly turns: number;
  /** Number of queued messages. */
  readonly waiting: number;
  /** Time spent in turns, in milliseconds; an estimate while turns are short. */
  readonly busy: number;
}

export interface CensusState {
  /** Number of actors created. The listed actors are not saved, since they depend on garbage collection. */
  readonly created: number;
}

/** Number of actors that are listed from their creation. */
const MAX_KNOWN_FROM_CREATION = 1000;
/** Number of turns after which any other actor is listed. */
export const CENSUS_TURN = 8;

/** Dead entries are removed at this size, and then whenever the size has doubled. */
const MIN_SWEEP_SIZE = 64;

export class Census {
  #actors: WeakRef<ActorCell>[] = [];
  #sweepSize = MIN_SWEEP_SIZE;
  #created = 0;

  actorCreated(actor: ActorCell): void {
    if (this.#created++ < MAX_KNOWN_FROM_CREATION) this.#add(actor, 0);
  }

  /** Adds an actor to the census unless it is listed. Called when the actor has had `CENSUS_TURN` turns. */
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

  setState({ created }: CensusState): void {
    this.#actors = [];
    this.#sweepSize = MIN_SWEEP_SIZE;
    this.#created = created;
  }

  /** Adds restored actors. An actor without a root is added when its root is constructed. */
  restore(actors: readonly ActorCell[]): void {
    let remaining = MAX_KNOWN_FROM_CREATION;
    for (const actor of actors) {
      if (actor.root !== undefined && remaining-- > 0) this.#add(actor, 0);
      else if (actor.turns >= CENSUS_TURN) this.#add(actor, CENSUS_TURN);
    }
  }

  /** Returns the listed actors that are still alive, by id. */
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
