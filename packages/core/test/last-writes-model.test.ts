// The index of last writes agrees with a simple model: for each part of an object, the last statement that changed it.
import fc from 'fast-check';
import { createRealm, LastWriteIndex } from '@turntable/core';
import { expect, test } from 'vitest';
import { manualHost } from './manual-host.ts';

type Objects = Record<PropertyKey, unknown>[];
interface Step {
  readonly kind: 'set' | 'assign all' | 'delete' | 'look';
  readonly object: number;
  readonly key: number;
  readonly value: number;
}

/** More keys than a list of parts holds before it becomes a Map. */
const KEYS: readonly PropertyKey[] = [...Array.from({ length: 20 }, (_, i) => `k${i}`), Symbol('s'), '7', 'length'];
const keyAt = (index: number): PropertyKey => KEYS[index % KEYS.length] as PropertyKey;
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('set', 'set', 'assign all', 'delete', 'look'),
  object: fc.nat(2),
  key: fc.nat(40),
  value: fc.nat(2),
});
const createIndex = (closelyWatchedTask?: number | 'all'): LastWriteIndex =>
  new LastWriteIndex(createRealm(manualHost()), closelyWatchedTask);

test('names the last statement that changed a part', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const index = createIndex();
      const objects: Objects = [{}, { k1: 1, k2: 2 }, Object.create(null) as Objects[number]];
      const model = objects.map(() => new Map<PropertyKey, number>());
      const check = (object: number): void => {
        for (const key of KEYS) {
          const last = index.lastPropertyWrite(objects[object] as object, key);
          expect(last?.site.number, String(key)).toBe(model[object]?.get(key));
          if (last !== undefined) expect(last.isWholeObject).toBe(false);
        }
      };
      for (const [number, { kind, object, key, value }] of steps.entries()) {
        index.setStatement(1, number + 1, 1, 'file.js', number);
        const target = objects[object] as Objects[number];
        const property = keyAt(key);
        if (kind === 'look') check(object);
        else if (kind === 'set') {
          index.noteProperty(target, property);
          target[property] = value;
          model[object]?.set(property, number);
        } else {
          // Announced as a whole: only the parts that differ afterwards have been written.
          index.noteAllProperties(target);
          for (const changed of kind === 'delete' ? [property] : [property, keyAt(key + 1)]) {
            const isChanged = kind === 'delete' ? Object.hasOwn(target, changed) : target[changed] !== value || !Object.hasOwn(target, changed); // prettier-ignore
            if (kind === 'delete') Reflect.deleteProperty(target, changed);
            else target[changed] = value;
            if (isChanged) model[object]?.set(changed, number);
          }
        }
      }
      objects.forEach((_, i) => check(i));
    }),
    { seed: 20_261_129, numRuns: 150 },
  );
});

test('names the last statement of entries, members, bytes, dates and ends of lists', () => {
  const index = createIndex();
  const at = (number: number): void => index.setStatement(1, number, 1, 'file.js', number);
  const [map, set, weak, key, date] = [new Map(), new Set(), new WeakMap(), {}, new Date(0)];
  const bytes = new Uint8Array(4);
  const list: unknown[] = [1, 2];
  at(1);
  index.noteEntry(map, key);
  index.noteMember(set, 'a');
  index.noteWeakEntry(weak, key);
  index.noteBytes(bytes);
  index.noteDate(date);
  index.noteArrayEnd(list, false);
  at(2);
  index.noteEntries(map, 'other');
  index.noteMembers(set, 'b');
  index.noteArrayEnd(list, true);
  expect([key, 'other', 'none'].map((each) => index.lastEntryWrite(map, each)?.site.number)).toEqual([1, 2, undefined]);
  expect(['a', 'b', 'c'].map((each) => index.lastEntryWrite(set, each)?.site.number)).toEqual([1, 2, undefined]);
  expect(index.lastEntryWrite(weak, key)?.site.number).toBe(1);
  expect(index.lastEntryWrite(weak, {})).toBe(undefined);
  expect(index.lastPropertyWrite(bytes, 3)).toMatchObject({ site: { number: 1 }, isWholeObject: true });
  expect(index.lastPropertyWrite(new Uint8Array(bytes.buffer), 0)?.site.number).toBe(1);
  expect(index.lastPropertyWrite(date, 'x')).toMatchObject({ site: { number: 1 }, isWholeObject: true });
  expect(['length', 0, 1, 2, '1'].map((each) => index.lastPropertyWrite(list, each)?.site.number)).toEqual(
    [2, undefined, 2, 1, 2], // prettier-ignore
  );
  at(3);
  index.noteEntries(map);
  index.noteMembers(set);
  expect(index.lastEntryWrite(map, key)).toMatchObject({ site: { number: 3 }, isWholeObject: true });
  expect(index.lastEntryWrite(set, 'a')).toMatchObject({ site: { number: 3 }, isWholeObject: true });
  at(4);
  index.noteEntry(map, key);
  expect(index.lastEntryWrite(map, key)).toMatchObject({ site: { number: 4 }, isWholeObject: false });
});

test('covers an object with too many parts as a whole', () => {
  const index = createIndex();
  const at = (number: number): void => index.setStatement(1, number, 1, 'file.js', number);
  for (const [count, isWholeObject] of [
    [64, false],
    [65, true],
  ] as const) {
    // prettier-ignore
    const object = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])) as Record<string, number>;
    at(count);
    index.noteAllProperties(object);
    object['k0'] = -1;
    expect(index.lastPropertyWrite(object, 'k0')).toMatchObject({ site: { number: count }, isWholeObject });
    expect(index.lastPropertyWrite(object, 'k1')?.isWholeObject).toBe(isWholeObject || undefined);
  }
});

test('an answer as of an earlier position says only that a part was written later', () => {
  const index = createIndex();
  const object: Record<string, number> = { a: 0 };
  const at = (task: number, list: number, statement: number): void =>
    index.setStatement(task, list, statement, 'file.js', 100 * task + 10 * list + statement);
  const asOf = (task: number, list: number, statement: number): unknown =>
    index.readAsOf({ task, list, statement }, () => index.lastPropertyWrite(object, 'a'));
  at(2, 3, 4);
  index.noteAllProperties(object);
  object['a'] = 1;
  expect(asOf(2, 3, 4)).toMatchObject({ site: { number: 234 }, isWholeObject: true });
  expect(asOf(1, 9, 9)).toMatchObject({ isWholeObject: true });
  expect(asOf(2, 3, 5)).toMatchObject({ site: { number: 234 }, isWholeObject: false });
  expect(() => index.readAsOf({ task: 1, list: 1, statement: 1 }, () => { throw new Error('mine'); })).toThrow('mine'); // prettier-ignore
  expect(index.lastPropertyWrite(object, 'a')).toMatchObject({ isWholeObject: false });
});

test('a first value counts unless a later write is noted', () => {
  const index = createIndex();
  const object = {};
  const site = (statement: number) => ({ task: 1, list: 1, statement, file: 'file.js', number: statement });
  index.setStatement(1, 1, 5, 'file.js', 5);
  index.noteProperty(object, 'a');
  index.noteFirstValue(object, 'properties', 'a', site(4));
  index.noteFirstValue(object, 'properties', 'b', site(4));
  expect(['a', 'b'].map((key) => index.lastPropertyWrite(object, key)?.site.number)).toEqual([5, 4]);
  index.noteFirstValue(object, 'properties', 'a', site(6));
  expect(index.lastPropertyWrite(object, 'a')?.site.number).toBe(6);
});

test('an index has no notes of another one', () => {
  const [first, second] = [createIndex(), createIndex()];
  const object = {};
  for (const target of [object, globalThis]) {
    first.noteProperty(target, 'a');
    expect(first.lastPropertyWrite(target, 'a')).toBeDefined();
    expect(second.lastPropertyWrite(target, 'a')).toBe(undefined);
  }
});
