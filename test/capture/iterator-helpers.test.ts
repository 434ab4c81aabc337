// Iterator helpers survive a capture at any point: their source, the function, the remaining count and the inner
// iterator. Each is used in its original world, in a copy, and in a copy of the copy.
import { describe, expect, it } from 'vitest';
import { inEachCopy, CaptureWorld } from './world.ts';

type Kept = Record<string, Iterator<unknown>>;

/** All remaining values. */
function remainingValues({ value: first, done }: IteratorResult<unknown>, iterator: Iterator<unknown>): unknown[] {
  const values = done === true ? [] : [first];
  for (let i = 0; i < 20; i++) {
    const result = iterator.next();
    if (result.done === true) break;
    values.push(result.value);
  }
  return values;
}

const stored: Record<string, string> = {
  'map of a Map': `new Map([['a', 1], ['b', 2], ['c', 3]]).entries().map(([k, v], i) => k + v * offset + i)`,
  'filter of a Set': `new Set([1, 2, 3, 4, 5]).values().filter((n) => n % 2 === offset - 9)`,
  'take of a generator': `numbers(9).take(3)`,
  'drop of an array': `[1, 2, 3, 4].values().drop(1)`,
  'flatMap, in the middle of an inner iterator': `numbers(3).flatMap((n) => [n, n * offset, 'x'])`,
  'flatMap over generators': `numbers(3).flatMap((n) => numbers(n))`,
  'a chain of helpers': `numbers(20).filter((n) => n % 3 === 0).map((n) => n + offset).drop(1).take(3)`,
  'Iterator.from of an array': `Iterator.from([1, 2, 3])`,
  'Iterator.from of an object that only has next': `Iterator.from({ n: 0, next() { return { value: this.n++, done: this.n > 4 }; } })`,
  ...('concat' in Iterator ? { 'Iterator.concat': `Iterator.concat([1, 2], new Set([3, 4]), numbers(2))` } : {}),
};

describe.each(Object.keys(stored))('%s', (name) => {
  it.each([0, 1, 2, 30])('continues after %i steps', (steps) => {
    inEachCopy(
      `const offset = 10;
       function* numbers(to) { for (let i = 1; i <= to; i++) yield i; }
       const kept = ${stored[name]};
       for (let i = 0; i < ${steps}; i++) kept.next();
       exports.kept = kept;`,
      ({ kept }: Kept) => [
        Object.prototype.toString.call(kept),
        remainingValues((kept as Iterator<unknown>).next(), kept as Iterator<unknown>),
        kept?.next(),
      ],
    );
  });

  it('closes its source', () => {
    inEachCopy(
      `const offset = 10;
       exports.closed = [];
       function* numbers(to) { try { for (let i = 1; i <= to; i++) yield i; } finally { exports.closed.push(to); } }
       const kept = exports.kept = ${stored[name]};
       kept.next();`,
      ({ kept, closed }: { kept: Iterator<unknown>; closed: unknown[] }) => [kept.return?.(), closed, kept.next().done],
    );
  });
});

it('returned and passed helpers can be captured too', () => {
  inEachCopy(
    `class Store { items = new Map([['a', 1], ['b', 2]]); names() { return this.items.keys().map((name) => name + '!'); } }
     function keep(iterator) { exports.given = iterator; }
     const store = new Store();
     exports.names = store.names();
     keep(store.items.values().filter((n) => n > 1));
     exports.late = () => store.items.set('c', 3);`,
    ({ names, given, late }: Kept & { late: () => void }) => {
      (late as () => void)();
      return [
        remainingValues((names as Iterator<unknown>).next(), names as Iterator<unknown>),
        given?.next(),
        given?.next(),
      ];
    },
  );
});

it('a helper over a native iterator is refused with the path to the iterator', () => {
  const world = CaptureWorld.run(`exports.kept = require('native').map((n) => n);`, {
    native: [1, 2][Symbol.iterator](),
  });
  expect(() => world.heap.write(world.state)).toThrow(
    /kept iterator: the position of a native iterator cannot be read/,
  );
});
