import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RisingTable } from '../../src/membrane/rising-table.ts';

it('has what was added and not taken, however long ago, in the order of its numbers', () => {
  const steps = fc.array(fc.tuple(fc.nat(300), fc.nat(700)), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const table = new RisingTable<string>();
      const known = new Map<number, string>();
      let number = 0;
      for (const [more, taken] of all) {
        for (let i = 0; i < more; i++, number++) {
          table.add(number, `${number}`);
          known.set(number, `${number}`);
        }
        expect(table.take(taken)).toBe(known.get(taken));
        known.delete(taken);
      }
      expect(table.entries()).toEqual([...known]);
    }),
    { numRuns: 50 },
  );
});
