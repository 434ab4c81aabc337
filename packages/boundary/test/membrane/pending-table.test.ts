import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PendingTable } from '../../src/membrane/pending-table.ts';

it('returns values that were not taken, of any age, in order of their numbers', () => {
  const steps = fc.array(fc.tuple(fc.nat(300), fc.nat(700)), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const table = new PendingTable<string>();
      const expectedValues = new Map<number, string>();
      let number = 0;
      for (const [addedCount, takenNumber] of all) {
        for (let i = 0; i < addedCount; i++, number++) {
          table.add(number, `${number}`);
          expectedValues.set(number, `${number}`);
        }
        expect(table.take(takenNumber)).toBe(expectedValues.get(takenNumber));
        expectedValues.delete(takenNumber);
      }
      expect(table.entries()).toEqual([...expectedValues]);
    }),
    { numRuns: 50 },
  );
});
