// A run again that goes on from a cut: actors that only messages under way speak of. The worker did not know of them before these came, and being expected
// is a message of its own that waits, so that they are expected when they were, not before.

import type { Actor } from '../actors/actor.ts';
import { FarRef } from '../references/far-ref.ts';
import type { Known } from '../actors/unborn.ts';
import type { UnderWay } from './worker-snapshot.ts';

export class KnownInTime {
  readonly #known: Map<number, Known>;

  constructor(known: readonly Known[]) {
    this.#known = new Map(known.map((each) => [each.actor.id, each]));
  }

  /** A message comes: those that it speaks of first, in the order in which it does, and its recipient; each once. */
  by({ id, args }: Pick<UnderWay, 'id' | 'args'>): Known[] {
    if (this.#known.size === 0) return [];
    const found: Known[] = [];
    const meet = (id: number): void => {
      const known = this.#known.get(id);
      if (known === undefined) return;
      this.#known.delete(id);
      found.push(known);
    };
    for (const actor of actorsIn(args)) meet(actor.id);
    meet(id);
    return found;
  }
}

/** Whom the references stand for that a value leads to. */
function* actorsIn(value: unknown, seen = new Set<unknown>()): Iterable<Actor> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (FarRef.has(value)) return yield FarRef.actorOf(value);
  if (value instanceof Map || value instanceof Set)
    for (const entry of value) for (const each of [entry].flat()) yield* actorsIn(each, seen);
  if (ArrayBuffer.isView(value)) return;
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
    if (descriptor !== undefined && 'value' in descriptor) yield* actorsIn(descriptor.value, seen);
  }
}
