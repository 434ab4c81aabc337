// References to what belongs to actors of this worker, by the objects themselves. An actor's root is known by the actor, since nobody but itself can
// meet it and most of what passes by reference is that: a table of them would be a good part of what an actor costs.

import type { ActorCell } from '../actors/actor-cell.ts';
import { FarReference } from './far-reference.ts';

export class LocalReferences {
  readonly #references = new WeakMap<object, FarReference>();

  /** The reference to an object of an actor's, if it has one. */
  find(actor: ActorCell, object: object): FarReference | undefined {
    return actor.root === object ? FarReference.rootReferenceOf(actor) : this.#references.get(object);
  }

  add(object: object, ref: FarReference): void {
    this.#references.set(object, ref);
  }

  delete(object: object): void {
    this.#references.delete(object);
  }
}
