// Layouts make writing fast but must not change the bytes, and hidden state must be found in objects that share the
// shape of others without any.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graph } from './graphs.ts';
import { firstDifference } from './graph-difference.ts';
import { testWorld } from './ports.ts';

const withEngine = testWorld();
const withoutEngine = testWorld(undefined, false);

function expectSameBytes(root: unknown): void {
  const bytes = withEngine.heap.write(root);
  expect(Buffer.compare(bytes, withoutEngine.heap.write(root))).toBe(0);
  expect(firstDifference(root, withEngine.heap.read(bytes))).toBeUndefined();
}

/** Enough objects for a layout, then `odd`, then another one. */
function amongAlike<T extends object>(make: (i: number) => T, odd: T): unknown[] {
  const list: unknown[] = Array.from({ length: 8 }, (_, i) => make(i));
  return [...list, odd, make(9), odd, list[0]];
}

test('random graphs give the same bytes with and without the engine', () => {
  fc.assert(
    fc.property(graph, (root) => expectSameBytes([root, structure(root), [root, root]])),
    { numRuns: 300, seed: 23 },
  );
  function structure(value: unknown): unknown {
    return Array.from({ length: 6 }, (_, i) => ({ value, i, half: i / 2, at: new Date(i), list: [i, value] }));
  }
});

describe('an unusual object among similar ones', () => {
  const point = (i: number): Record<PropertyKey, unknown> => ({ x: i, y: `${i}` });
  const changed = (change: (object: Record<PropertyKey, unknown>) => unknown): object => {
    const object = point(5);
    change(object);
    return object;
  };
  test.each<[string, object]>([
    ['with an element', changed((o) => (o[3] = 'three'))],
    ['with elements that make up for its keys', changed((o) => ((o[3] = 1), delete o['x']))],
    ['with a symbol', changed((o) => (o[Symbol.for('s')] = 1))],
    ['with a hidden property', changed((o) => Object.defineProperty(o, 'h', { value: 1 }))],
    ['with a getter', changed((o) => Object.defineProperty(o, 'x', { get: () => expect.fail('called') }))],
    ['with a constant', changed((o) => Object.defineProperty(o, 'x', { value: 1, writable: false }))],
    ['frozen', changed((o) => Object.freeze(o))],
    ['not extensible', changed((o) => Object.preventExtensions(o))],
    ['below another prototype', changed((o) => Object.setPrototypeOf(o, { deep: true }))],
    ['in a dictionary', changed((o) => delete o['x'])],
    ['that is a proxy', new Proxy(point(5), {})],
  ])('an object %s', (name, odd) => {
    if (name === 'with a getter') {
      // Functions cannot be written here, so the refusal shows that the difference was found.
      expect(() => withEngine.heap.write(amongAlike(point, odd as never))).toThrow(/is not transformed/);
    } else if (name === 'that is a proxy') {
      expect(() => withEngine.heap.write(amongAlike(point, odd as never))).toThrow(/Proxy/);
    } else expectSameBytes(amongAlike(point, odd as never));
  });

  const list = (i: number): unknown[] => [i, { i }, `${i}`];
  const edited = (change: (array: unknown[]) => unknown): unknown[] => {
    const array = list(5);
    change(array);
    return array;
  };
  test.each<[string, unknown[]]>([
    ['with a hole', edited((a) => delete a[1])],
    ['with a hole and undefined', edited((a) => ((a[1] = undefined), (a.length = 5)))],
    ['with a name', edited((a) => Object.assign(a, { name: 1 }))],
    ['with a constant', edited((a) => Object.defineProperty(a, 1, { value: 1, writable: false }))],
    ['whose length is fixed', edited((a) => Object.defineProperty(a, 'length', { writable: false }))],
    ['sealed', edited((a) => Object.seal(a))],
    ['with a symbol', edited((a) => Object.assign(a, { [Symbol.for('s')]: 1 }))],
    ['far and wide', edited((a) => (a[100_000] = 1))],
    ['of integers', [1, 2, 3]],
    ['of numbers', [1, 2.5, -0]],
    ['of no elements', []],
  ])('an array %s', (_, odd) => expectSameBytes(amongAlike(list, odd)));

  test.each<[string, (i: number) => object, (object: object) => object]>([
    ['a Date', (i) => new Date(i), (o) => Object.assign(o, { 1: 'one' })],
    ['a Date', (i) => new Date(i), (o) => Object.assign(o, { note: 'one' })],
    ['a Map', (i) => new Map([[i, {}]]), (o) => Object.assign(o, { 1: 'one' })],
    ['a Set', (i) => new Set([i, 'x']), (o) => Object.freeze(o)],
  ])('%s with more than its kind has', (_, make, change) => expectSameBytes(amongAlike(make, change(make(5)))));

  test('holes that a prototype would fill stay holes', () => {
    const filled = (i: number): unknown[] => Object.assign([i, , 'x'], { 1: i }); // oxlint-disable-line no-sparse-arrays -- the point
    const lists = amongAlike(filled, [1, , 'y']); // oxlint-disable-line no-sparse-arrays -- a hole is the point
    try {
      // oxlint-disable-next-line no-extend-native -- a program may
      Object.defineProperty(Array.prototype, 1, { value: 'of the prototype', writable: true, configurable: true });
      expect(Buffer.compare(withEngine.heap.write(lists), withoutEngine.heap.write(lists))).toBe(0);
    } finally {
      Reflect.deleteProperty(Array.prototype, 1);
    }
  });
});

test('an object reached on two paths is written once', () => {
  const shared = { a: 1, b: [1] };
  const many = Array.from({ length: 20 }, (_, i) => ({ a: i, b: [i] }));
  expectSameBytes([shared, many, shared, { deep: [shared, many[3], many[19]] }, new Map([[shared, many[3]]])]);
});

test('captured objects are not kept alive', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const capture = (): WeakRef<object>[] => {
    const root = Array.from({ length: 20 }, (_, i) => ({ i, at: new Date(i), list: [{ i }] }));
    withEngine.heap.write(root);
    withEngine.heap.hash(root);
    return [root, root[0]!, root[9]!, root[0]!.at, root[0]!.list, root[0]!.list[0]!].map((each) => new WeakRef(each));
  };
  const refs = capture();
  await new Promise(setImmediate);
  gc();
  expect(refs.map((ref) => ref.deref())).toEqual(refs.map(() => undefined));
});

test('layouts work in slices', () => {
  const root = Array.from({ length: 300 }, (_, i) => ({ i, at: new Date(i), list: [{ i }, i] }));
  const capture = withEngine.heap.capture({ root, again: root.slice(50) });
  while (!capture.run(7));
  expect(firstDifference({ root, again: root.slice(50) }, withEngine.heap.read(capture.finish()))).toBeUndefined();
});
