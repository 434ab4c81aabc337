// Actors that only in-flight messages mention, in a replay from a cut. The recorded worker learned of each actor from
// such a message. Expecting an actor queues a message, so a replay expects the actor when the message that mentions it
// is taken, and not before.

import type { ActorCell } from '../actors/actor-cell.ts';
import { FarReference } from '../references/far-reference.ts';
import type { KnownActor } from '../actors/pending-actors.ts';
import type { InFlightMessage } from './worker-snapshot.ts';

export class ExpectedActors {
  readonly #actors: Map<number, KnownActor>;

  constructor(actors: readonly KnownActor[]) {
    this.#actors = new Map(actors.map((each) => [each.actor.id, each]));
  }

  /** Returns actors that no earlier message mentioned: the actors in its arguments, in order, then its recipient. */
  mentionedBy({ id, args }: Pick<InFlightMessage, 'id' | 'args'>): KnownActor[] {
    if (this.#actors.size === 0) return [];
    const found: KnownActor[] = [];
    const add = (id: number): void => {
      const known = this.#actors.get(id);
      if (known === undefined) return;
      this.#actors.delete(id);
      found.push(known);
    };
    for (const actor of actorsReachableFrom(args)) add(actor.id);
    add(id);
    return found;
  }
}

/** Yields the actors of all references that are reachable from a value. */
function* actorsReachableFrom(value: unknown, visited = new Set<unknown>()): Iterable<ActorCell> {
  if (typeof value !== 'object' || value === null || visited.has(value)) return;
  visited.add(value);
  if (FarReference.has(value)) return yield FarReference.actorOf(value);
  if (value instanceof Map || value instanceof Set)
    for (const entry of value) for (const each of [entry].flat()) yield* actorsReachableFrom(each, visited);
  if (ArrayBuffer.isView(value)) return;
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
    if (descriptor !== undefined && 'value' in descriptor) yield* actorsReachableFrom(descriptor.value, visited);
  }
}
