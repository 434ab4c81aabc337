// The references to objects of this worker, by object. Roots are not in the table, because a table entry would be a
// large part of an actor's memory. An actor keeps the reference to its root, which only the actor itself can pass.

import type { ActorCell } from '../actors/actor-cell.ts';
import { FarReference } from './far-reference.ts';

export class LocalReferences {
  readonly #references = new WeakMap<object, FarReference>();

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
