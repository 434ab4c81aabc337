// Messages that both ends of a ring can generate from a seed.

import fc from 'fast-check';

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(fc.integer(), fc.double(), fc.string(), fc.string({ unit: 'binary' }), fc.boolean(), fc.bigInt()),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.record({ id: fc.integer(), name: fc.string(), tags: fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }) }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Lists of arguments that are sent repeatedly. */
export function traffic(seed: number): unknown[][] {
  const lists = fc.sample(fc.array(value, { maxLength: 5 }), { seed, numRuns: 500 });
  lists[17] = ['large', new Uint8Array(100_000).fill(seed), 'x'.repeat(70_000)];
  return lists;
}
