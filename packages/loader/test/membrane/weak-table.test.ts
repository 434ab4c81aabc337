import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { WeakTable } from '../../src/membrane/weak-table.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it('has what was added and not deleted, by its number, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 300 }), (deleted) => {
      const table = new WeakTable();
      const all = new Map<number, object>();
      for (const [number, each] of deleted.entries()) {
        const object = { number };
        all.set(number, object);
        table.add(number, object);
        table.delete(each);
        all.delete(each);
      }
      expect(table.entries()).toEqual([...all]);
      expect(table.pages).toBeLessThanOrEqual(all.size + 1);
    }),
  );
});

it('leaves objects to the collector', async () => {
  const table = new WeakTable();
  const kept = {};
  table.add(0, kept);
  for (let number = 1; number < 200; number++) table.add(number, {});
  for (let n = 0; n < 20 && table.entries().length > 1; n++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  expect(table.entries()).toEqual([[0, kept]]);
});

it('forgets what the collector has taken, where nobody deletes', async () => {
  const table = new WeakTable();
  const kept = {};
  table.addForGood(0, kept);
  let number = 1;
  const gone: number[] = [];
  for (let n = 0; n < 20; n++) {
    for (let i = 0; i < 1000; i++) gone.push(...table.addForGood(number++, {}));
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  expect(table.pages).toBeLessThan(100);
  expect(gone.length).toBeGreaterThan(10_000);
  expect(new Set(gone).size).toBe(gone.length);
  expect(gone).not.toContain(0);
  table.addForGood(number, kept);
  expect(table.entries()).toEqual([
    [0, kept],
    [number, kept],
  ]);
});
