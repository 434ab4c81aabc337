import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { WeakTable } from '../../src/membrane/weak-table.ts';
import { createEngineView } from '../../../loader/src/realm/engine-view.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const engine = createEngineView();

interface NumberedItem {
  readonly number: number;
}
const createTable = (): WeakTable<NumberedItem> => new WeakTable(engine);
const waitAndCollect = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
};

it('returns live objects by number, in order, of any age', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9000), fc.boolean()), { minLength: 1, maxLength: 5 }), (runs) => {
      const table = createTable();
      const keptItems: NumberedItem[] = [];
      const collectedItems: NumberedItem[] = [];
      let number = 0;
      for (const [length, isKept] of runs)
        for (let i = 0; i < length; i++) {
          const item = { number: number++ };
          table.add(item);
          (isKept || i % 50 === 0 ? keptItems : collectedItems).push(item);
        }
      collectedItems.length = 0;
      collectGarbage();
      // Unreferenced objects may not be collected yet.
      const found = table.entries();
      expect(found.map(([each]) => each)).toEqual(found.map(([each]) => each).toSorted((a, b) => a - b));
      const foundByNumber = new Map(found);
      expect(keptItems.every((each) => foundByNumber.get(each.number) === each)).toBe(true);
      expect(found.every(([each, item]) => item.number === each)).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it('does not keep objects alive', async () => {
  const table = createTable();
  const kept = { number: 0 };
  table.add(kept);
  for (let number = 1; number < 5000; number++) table.add({ number });
  for (let n = 0; n < 20 && table.entries().length > 1; n++) await waitAndCollect();
  expect(table.entries()).toEqual([[0, kept]]);
});

it('has weak references to surviving objects only, until they are deleted', async () => {
  const table = createTable();
  const kept: NumberedItem[] = [];
  let number = 0;
  for (let n = 0; n < 30; n++) {
    for (let i = 0; i < 1000; i++) {
      const item = { number: number++ };
      if (i % 100 === 0) kept.push(item);
      table.add(item);
    }
    await waitAndCollect();
  }
  expect(table.entries()).toEqual(kept.map((item) => [item.number, item]));
  expect(table.oldCount).toBeGreaterThan(100);
  // Includes a few objects that were alive at the last sweep.
  expect(table.oldCount).toBeLessThan(2 * kept.length);
  for (let each = 0; each < number; each++) table.delete(each);
  expect(table.oldCount).toBe(0);
});

it('reports collected objects of any age in a table without deletion', async () => {
  const table = createTable();
  const kept = { number: 0 };
  table.addPermanently(kept);
  let number = 1;
  const collectedItems: number[] = [];
  let oldItems: NumberedItem[] = [];
  for (let n = 0; n < 60; n++) {
    for (let i = 0; i < 1000; i++) {
      const item = { number: number++ };
      if (i % 10 === 0 && n < 30) oldItems.push(item);
      collectedItems.push(...table.addPermanently(item));
    }
    await waitAndCollect();
    if (n === 30) oldItems = [];
  }
  expect(collectedItems.length).toBeGreaterThan(50_000);
  expect(new Set(collectedItems).size).toBe(collectedItems.length);
  expect(collectedItems).not.toContain(0);
  // Three thousand objects have survived.
  expect(table.oldCount).toBeLessThan(1500);
  expect(table.entries()[0]).toEqual([0, kept]);
});
