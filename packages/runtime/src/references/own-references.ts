// References to what belongs to actors of this worker, by the objects themselves. An actor's root is known by the actor, since nobody but itself can
// meet it and most of what passes by reference is that: a table of them would be a good part of what an actor costs.

import type { Actor } from '../actors/actor.ts';
import { FarRef } from './far-ref.ts';

export class OwnReferences {
  readonly #others = new WeakMap<object, FarRef>();

  /** The reference to an object of an actor's, if it has one. */
  of(actor: Actor, object: object): FarRef | undefined {
    return actor.root === object ? FarRef.toRootOf(actor) : this.#others.get(object);
  }

  add(object: object, ref: FarRef): void {
    this.#others.set(object, ref);
  }

  delete(object: object): void {
    this.#others.delete(object);
  }
}
