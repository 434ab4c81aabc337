// Any graph is restored isomorphically.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graph } from './graphs.ts';
import { firstDifference } from './graph-difference.ts';
import { copyOf, testWorld } from './ports.ts';

const world = testWorld();
const roundTrip = <T>(root: T): T => copyOf(world, root);

function expectSame(root: unknown): void {
  expect(firstDifference(root, roundTrip(root))).toBeUndefined();
}

describe('the checker itself', () => {
  test.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [new Array(1), [undefined]],
    [new Map([[1, 2]]), new Map([[1, 3]])],
    [Object.freeze({}), {}],
    [Object.create(null), {}],
    [new Date(1), new Date(2)],
  ])('tells %o from %o', (a, b) => {
    expect(firstDifference(a, b)).toBeTypeOf('string');
  });

  test('distinguishes sharing from copies', () => {
    const one = {};
    expect(firstDifference([one, one], [{}, {}])).toMatch(/identity/);
  });
});

test('random graphs with sharing, cycles, attributes and holes are restored isomorphically', () => {
  fc.assert(
    fc.property(graph, (root) => {
      expect(firstDifference(root, roundTrip(root))).toBeUndefined();
    }),
    { numRuns: 700, seed: 42 },
  );
});

test('random graphs can be written in slices of a few objects', () => {
  fc.assert(
    fc.property(graph, fc.integer({ min: 1, max: 7 }), (root, budget) => {
      const capture = world.heap.capture(root);
      for (let rounds = 0; !capture.run(budget); rounds++) expect(rounds).toBeLessThan(10_000);
      expect(firstDifference(root, world.heap.read(capture.finish()))).toBeUndefined();
    }),
    { numRuns: 250, seed: 7 },
  );
});

describe('primitive roots', () => {
  test.each([
    0,
    -0,
    1.5,
    NaN,
    127,
    128,
    -1,
    2 ** 31,
    -(2 ** 31),
    '',
    'a'.repeat(100),
    '漢',
    '\ud800',
    true,
    null,
    undefined,
    0n,
    -(2n ** 70n),
  ])('%o', (value) => {
    expect(Object.is(roundTrip(value), value)).toBe(true);
  });
});

describe('structure', () => {
  test('a list of 200 000 links does not exhaust the stack', () => {
    let list: { next: unknown } | null = null;
    for (let i = 0; i < 200_000; i++) list = { next: list };
    let copy = roundTrip(list);
    let length = 0;
    for (; copy !== null; copy = copy.next as { next: unknown } | null) length++;
    expect(length).toBe(200_000);
  });

  test('arrays in Maps in Sets can be nested deeper than the limit', () => {
    let root: unknown = 1;
    for (let i = 0; i < 3000; i++) root = i % 3 === 0 ? [root] : i % 3 === 1 ? new Set([root]) : new Map([['k', root]]);
    expectSame(root);
  });

  test('containers can be larger than a piece', () => {
    const shared = { here: true };
    const many = Array.from({ length: 20_000 }, (_, i) => (i % 3 === 0 ? shared : { i }));
    expectSame({ many, map: new Map(many.map((each, i) => [i, each])), set: new Set(many), back: many });
    expectSame(Array.from({ length: 20_000 }, (_, i) => i - 9));
    expectSame(Array.from({ length: 20_000 }, (_, i) => i / 3));
  });

  test('objects can be used as dictionaries', () => {
    expectSame(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key ${i * 7}`, { i }])));
    const many = Array.from({ length: 300 }, (_, i) => ({ [`only ${i}`]: i }));
    expectSame(many);
  });

  test('a prototype can refer to its instances', () => {
    const prototype: Record<string, unknown> = { kind: 'prototype' };
    const one = Object.create(prototype) as Record<string, unknown>;
    const two = Object.create(prototype) as Record<string, unknown>;
    one['n'] = 1;
    two['n'] = 2;
    prototype['all'] = [one, two];
    expectSame([one, two]);
    expectSame(prototype);
  });

  test('fields can have the name of a setter or a constant of the prototype', () => {
    const set = Object.getOwnPropertyDescriptor(Object.prototype, '__proto__')!.set!;
    const prototype = Object.defineProperties({}, { a: { set }, b: { value: 1 } });
    const many = Array.from({ length: 10 }, (_, i) => {
      const each = Object.create(prototype) as object;
      for (const key of ['a', 'b', 'c'])
        Object.defineProperty(each, key, { value: i, writable: true, enumerable: true, configurable: true });
      return each;
    });
    expectSame(many);
  });

  test('equal strings become identical, long ones by number', () => {
    const long = 'x'.repeat(500);
    expect(world.heap.write([long, long, long]).length).toBeLessThan(700);
    expectSame([long, long, `${long}y`]);
  });
});
