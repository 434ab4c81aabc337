// Selection of items to delete, for random items and rules.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkRetention, surplusOf, type RetainedItem, type Retention } from '../src/retention.ts';

const NOW = 1_000_000;

interface Item extends RetainedItem {
  readonly id: number;
}

const items = fc
  .array(fc.record({ age: fc.nat(1000), bytes: fc.nat(100), isPinned: fc.boolean() }), { maxLength: 20 })
  .map((items): Item[] =>
    items
      .toSorted((first, second) => second.age - first.age)
      .map(({ age, bytes, isPinned }, id) => ({ id, time: NOW - age, bytes, isPinned })),
  );
const rules: fc.Arbitrary<Retention> = fc.record(
  { count: fc.nat(25), age: fc.nat(1200), bytes: fc.nat(1500) },
  { requiredKeys: [] },
);

const sum = (items: readonly Item[]): number => items.reduce((total, { bytes }) => total + bytes, 0);

function checkLaw(
  check: (items: readonly Item[], kept: readonly Item[], surplus: readonly Item[], rules: Retention) => void,
): void {
  fc.assert(
    fc.property(items, rules, (items, rulesOfRun) => {
      const surplus = surplusOf(items, rulesOfRun, NOW);
      const kept = items.filter((item) => !surplus.includes(item));
      check(items, kept, surplus, rulesOfRun);
    }),
    { numRuns: 2000, seed: 23 },
  );
}

test('the newest and pinned items are never deleted', () => {
  checkLaw((items, _, surplus) => {
    if (items.length > 0) expect(surplus).not.toContain(items.at(-1));
    expect(surplus.filter(({ isPinned }) => isPinned)).toEqual([]);
  });
});

test('the remaining items fulfil every rule, apart from the newest and pinned ones', () => {
  checkLaw((items, kept, _, { count = Infinity, age = Infinity, bytes = Infinity }) => {
    const free = kept.filter((item) => item.isPinned !== true && item !== items.at(-1));
    if (free.length === 0) return;
    // Newer items get room first, so the items newer than the oldest free one count.
    const keptFrom = kept.filter(({ id }) => id >= free[0]!.id);
    expect(keptFrom.length).toBeLessThanOrEqual(Math.max(count, 1));
    expect(sum(keptFrom)).toBeLessThanOrEqual(bytes);
    for (const { time } of free) expect(NOW - time).toBeLessThanOrEqual(age);
  });
});

test('deleted items are older than all remaining ones that are not pinned', () => {
  checkLaw((_, kept, surplus) => {
    const oldest = kept.find(({ isPinned }) => isPinned !== true);
    if (oldest !== undefined) for (const { id } of surplus) expect(id).toBeLessThan(oldest.id);
  });
});

test('nothing is deleted while there is room', () => {
  checkLaw((items, _, surplus, { count = Infinity, age = Infinity, bytes = Infinity }) => {
    const newest = surplus.at(-1);
    if (newest === undefined) return;
    const withIt = items.filter(({ id }) => id >= newest.id);
    const isNeeded = withIt.length > count || sum(withIt) > bytes || withIt.some(({ time }) => NOW - time > age);
    expect(isNeeded).toBe(true);
  });
});

test('without rules everything remains', () => {
  checkLaw((items) => expect(surplusOf(items, {}, NOW)).toEqual([]));
});

test('an invalid rule is refused by name', () => {
  expect(() => checkRetention({ count: Number.NaN }, 'retention.snapshots')).toThrow(
    'retention.snapshots.count must be a number that is not negative, not NaN',
  );
  expect(() => checkRetention({ bytes: -1 }, 'retention.recordings')).toThrow(
    'retention.recordings.bytes must be a number that is not negative, not -1',
  );
});
