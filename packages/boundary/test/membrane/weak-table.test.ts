import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { WeakTable } from '../../src/membrane/weak-table.ts';
import { createEngineView } from '../../../loader/src/realm/engine-view.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const engine = createEngineView();

interface Numbered {
  readonly number: number;
}
const tableOf = (): WeakTable<Numbered> => new WeakTable(engine);
const collected = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
  collect();
};

it('has what is held, by its number, in order, however long ago it was added', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(9000), fc.boolean()), { minLength: 1, maxLength: 5 }), (runs) => {
      const table = tableOf();
      const all: Numbered[] = [];
      const gone: Numbered[] = [];
      let number = 0;
      for (const [length, isKept] of runs)
        for (let i = 0; i < length; i++) {
          const held = { number: number++ };
          table.add(held);
          (isKept || i % 50 === 0 ? all : gone).push(held);
        }
      gone.length = 0;
      collect();
      // What nobody holds may still be there.
      const found = table.entries();
      expect(found.map(([each]) => each)).toEqual(found.map(([each]) => each).toSorted((a, b) => a - b));
      const there = new Map(found);
      expect(all.every((each) => there.get(each.number) === each)).toBe(true);
      expect(found.every(([each, held]) => held.number === each)).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it('leaves objects to the collector', async () => {
  const table = tableOf();
  const kept = { number: 0 };
  table.add(kept);
  for (let number = 1; number < 5000; number++) table.add({ number });
  for (let n = 0; n < 20 && table.entries().length > 1; n++) await collected();
  expect(table.entries()).toEqual([[0, kept]]);
});

it('keeps references to what has lasted, until it is deleted, and to nothing else', async () => {
  const table = tableOf();
  const kept: Numbered[] = [];
  let number = 0;
  for (let n = 0; n < 30; n++) {
    for (let i = 0; i < 1000; i++) {
      const held = { number: number++ };
      if (i % 100 === 0) kept.push(held);
      table.add(held);
    }
    await collected();
  }
  expect(table.entries()).toEqual(kept.map((held) => [held.number, held]));
  expect(table.lasted).toBeGreaterThan(100);
  // And to a few that were still there when it looked.
  expect(table.lasted).toBeLessThan(2 * kept.length);
  for (let each = 0; each < number; each++) table.delete(each);
  expect(table.lasted).toBe(0);
});

it('tells of what the collector has taken, where nobody deletes, young or old', async () => {
  const table = tableOf();
  const kept = { number: 0 };
  table.addForGood(kept);
  let number = 1;
  const gone: number[] = [];
  let old: Numbered[] = [];
  for (let n = 0; n < 60; n++) {
    for (let i = 0; i < 1000; i++) {
      const held = { number: number++ };
      if (i % 10 === 0 && n < 30) old.push(held);
      gone.push(...table.addForGood(held));
    }
    await collected();
    if (n === 30) old = [];
  }
  expect(gone.length).toBeGreaterThan(50_000);
  expect(new Set(gone).size).toBe(gone.length);
  expect(gone).not.toContain(0);
  // Three thousand had lasted.
  expect(table.lasted).toBeLessThan(1500);
  expect(table.entries()[0]).toEqual([0, kept]);
});
