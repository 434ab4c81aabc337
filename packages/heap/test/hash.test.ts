// The canonical hash is equal for equal states with any history, and differs for any difference.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graph } from './graphs.ts';
import { testWorld } from './ports.ts';

const world = testWorld();
const hash = (root: unknown): string => world.heap.hash(root);

describe('the hash of equal states with different histories is the same', () => {
  const cases: [string, unknown, () => unknown][] = [
    [
      'an object whose properties were added and deleted',
      { a: 1, b: 2 },
      () => {
        const object: Record<string, number> = { a: 1 };
        for (let i = 0; i < 2000; i++) object[`k${i}`] = i;
        for (let i = 0; i < 2000; i++) delete object[`k${i}`];
        object['b'] = 2;
        return object;
      },
    ],
    [
      'an array that grew and shrank',
      [1, 2, 3],
      () => {
        const array = Array.from({ length: 5000 }, (_, i) => i + 1);
        array.length = 3;
        return array;
      },
    ],
    [
      'an array that once held other things',
      [1, 2],
      () => ((list: unknown[]) => (list.splice(0, 2), list))(['x', 0.5, 1, 2]),
    ],
    ['a number computed as a fraction', { n: 1, m: 3 }, () => ({ n: 0.5 + 0.5, m: 9 / 3 })],
    [
      'a string put together',
      ['hello world of strings that are concatenated'],
      () => [['hello world', 'of strings that', 'are concatenated'].join(' ')],
    ],
    ['a narrow string out of a wide one', ['abc'], () => ['漢abc'.slice(1)]],
    [
      'a Map with deletions',
      new Map([[1, 2]]),
      () => {
        const map = new Map(Array.from({ length: 900 }, (_, i) => [i + 5, i]));
        map.clear();
        return map.set(1, 2);
      },
    ],
    ['weak entries in another order', weak(false), () => weak(true)],
  ];
  test.each(cases)('%s', (_, state, other) => {
    expect(hash(other())).toBe(hash(state));
  });

  function weak(isReversed: boolean): unknown {
    const keys = [{ k: 1 }, { k: 2 }, { k: 3 }];
    const map = new WeakMap<object, number>();
    for (const key of isReversed ? keys.toReversed() : keys) map.set(key, (key as { k: number }).k);
    return { keys, map };
  }
});

test('a restored state, and one restored from it, have the hash of the original', () => {
  fc.assert(
    fc.property(graph, (root) => {
      const first = world.heap.write(root);
      const copy = world.heap.read(first);
      const second = world.heap.write(copy);
      expect(Buffer.compare(second, first)).toBe(0);
      expect(hash(copy)).toBe(hash(root));
    }),
    { numRuns: 300, seed: 5 },
  );
});

test('the hash shows any single change', () => {
  const state = () => ({
    n: 1 as unknown,
    text: 'a',
    list: [1, 2, 3] as unknown[],
    map: new Map([['a', 1]]),
    date: new Date(5),
    nested: { deep: { x: 1.5 } },
    bytes: new Uint8Array([1, 2]),
  });
  type State = ReturnType<typeof state>;
  const changes: ((s: State) => unknown)[] = [
    (s) => (s.n = -1),
    (s) => (s.n = '1'),
    (s) => (s.text = 'b'),
    (s) => s.list.push(undefined),
    (s) => (s.list[2] = 3.5),
    (s) => delete s.list[1],
    (s) => s.map.set('a', 2),
    (s) => s.map.set('b', 1),
    (s) => s.date.setTime(6),
    (s) => (s.nested.deep.x = -1.5),
    (s) => (s.bytes[1] = 3),
    (s) => Object.assign(s, { extra: undefined }),
    (s) => Object.freeze(s.nested),
    (s) => Object.defineProperty(s, 'n', { enumerable: false }),
    (s) => Object.setPrototypeOf(s.nested, null),
    (s) => Object.assign(s, { nested2: s.nested }),
  ];
  const hashes = changes.map((change) => {
    const changed = state();
    change(changed);
    return hash(changed);
  });
  expect(new Set([hash(state()), ...hashes]).size).toBe(changes.length + 1);
  expect(hash([{}, {}])).not.toBe(hash(((one) => [one, one])({})));
});
