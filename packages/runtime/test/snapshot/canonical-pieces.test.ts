// States of many actors are compared in time proportional to their number.
import { canonicalPieces } from '@turntable/runtime/inert';
import { describe, expect, it } from 'vitest';

/** `PIECE.actor` of a snapshot. */
const ACTOR_PIECE = 1;
/** Greater than the highest index of a worker: no actor is a main program. */
const FIRST_ID = 1024;

/** Returns how often the pieces of `count` actors are read for their canonical form. */
function readsOf(count: number): number {
  let reads = 0;
  const counted = <T extends object>(object: T): T =>
    new Proxy(object, {
      get(target, key, receiver) {
        reads++;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
  const pieces = Array.from({ length: count }, (_, i) => ({
    value: counted({ piece: ACTOR_PIECE, actor: counted({ id: FIRST_ID + i }), timers: [], lent: [] }),
  }));
  canonicalPieces(pieces);
  return reads;
}

describe('the canonical form of a state', () => {
  it('reads each actor a constant number of times', () => {
    expect(readsOf(2000)).toBeLessThan(2.1 * readsOf(1000));
  });
});
