// A growing list of integers keeps its elements, whatever its length.
import { expect, test } from 'vitest';
import { IntegerList } from '../src/replay-process/integer-list.ts';

test.each([0, 1, 63, 64, 65, 1000, 65_535, 65_536, 65_537, 200_000])(
  'a list of %i elements has all of them',
  (length) => {
    const list = new IntegerList();
    for (let i = 0; i < length; i++) list.push(i * 3);
    for (let i = 0; i < length; i += 7) list.set(i, -i);
    const expected = Int32Array.from({ length }, (_, i) => (i % 7 === 0 ? -i : i * 3));
    expect(list.length).toBe(length);
    expect(list.toArray()).toEqual(expected);
    expect(Array.from({ length }, (_, i) => list.get(i))).toEqual([...expected]);
  },
);
