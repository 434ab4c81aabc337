// Arrays and buffers longer than a piece: only trailing fillers are left out, and the bytes do not depend on whether
// the engine is asked for the names of elements.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testCode } from './code.ts';
import { firstDifference } from './graph-difference.ts';
import { copyOf, testWorld } from './ports.ts';

const code = testCode();
const adapters = (): { adapters: typeof code.adapters } => ({ adapters: code.adapters });
const world = testWorld(adapters);
const withoutEngine = testWorld(adapters, false);
const isCode = (value: object): boolean => code.adapters.some((adapter) => adapter.takeApart(value) !== undefined);
const LONG_LENGTH = 8193;

class Zeros extends Array<unknown> {
  constructor(length: number) {
    super(length);
    this.fill(0);
  }
}
class Watched extends Array<unknown> {
  seen = 0;
}
code.class(Zeros);
code.class(Watched);

/** Long arrays of all kinds, with changes of a few elements. */
const makers: readonly (() => unknown[])[] = [
  () => Array.from({ length: LONG_LENGTH }),
  () => new Array<unknown>(LONG_LENGTH).fill(0),
  () => new Array<unknown>(LONG_LENGTH).fill(0.5),
  () => new Array<unknown>(LONG_LENGTH).fill('x'),
  () => new Array<unknown>(LONG_LENGTH),
  () => new Zeros(LONG_LENGTH),
  () => Watched.from({ length: LONG_LENGTH }),
];
const values: readonly unknown[] = [0, -0, 1, -1, 0.5, NaN, undefined, null, 'text', { an: 'object' }];
const edits = fc.array(
  fc.record({
    at: fc.oneof(fc.nat(LONG_LENGTH + 2), fc.constantFrom(LONG_LENGTH - 1, LONG_LENGTH - 2, 8191, 8192)),
    value: fc.constantFrom(...values),
    how: fc.constantFrom('set', 'set', 'set', 'delete', 'hide'),
  }),
  { maxLength: 6 },
);

function applyEdits(
  make: () => unknown[],
  editList: typeof edits extends fc.Arbitrary<infer T> ? T : never,
): unknown[] {
  const array = make();
  for (const { at, value, how: action } of editList)
    if (action === 'set') array[at] = value;
    else if (action === 'delete') Reflect.deleteProperty(array, at);
    else Object.defineProperty(array, at, { value, enumerable: false, configurable: true, writable: true });
  return array;
}

test('arrays are restored with the same bytes, with and without the engine', () => {
  fc.assert(
    fc.property(fc.constantFrom(...makers), edits, fc.boolean(), (make, editList, hasNote) => {
      const array = applyEdits(make, editList);
      if (hasNote) Object.assign(array, { note: 1 });
      expect(firstDifference(array, copyOf(world, array), isCode)).toBeUndefined();
      expect(Buffer.from(world.heap.write(array)).equals(withoutEngine.heap.write(array))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('nearly empty caches take few bytes', () => {
  const slots = Array.from({ length: 100_000 });
  slots[3] = 'three';
  const times = new Zeros(100_000);
  times[3] = 1234.5;
  const next = new Uint32Array(100_000);
  next[3] = 4;
  const cache = { slots, times, next };
  expect(world.heap.write(cache).length).toBeLessThan(400);
  expect(firstDifference(cache, copyOf(world, cache), isCode)).toBeUndefined();
});

test('the lengths of buffers do not depend on their last bytes', () => {
  for (const length of [8192, 8193, 8194, 8195, 8196, 20_000])
    for (const set of [-1, 0, 1, length - 5, length - 4, length - 3, length - 2, length - 1]) {
      const bytes = new Uint8Array(length);
      if (set >= 0) bytes[set] = 7;
      const resizable = new Uint8Array(new ArrayBuffer(length, { maxByteLength: 40_000 }));
      resizable.set(bytes);
      const copy = copyOf(world, { bytes, resizable });
      expect(Buffer.from(copy.bytes).equals(bytes)).toBe(true);
      expect(Buffer.from(copy.resizable).equals(bytes)).toBe(true);
      expect(copy.resizable.buffer.maxByteLength).toBe(40_000);
    }
});

test('a class with a replaced constructor or index accessors is not called', () => {
  class Odd extends Array<unknown> {}
  let callCount = 0;
  const set = (): void => void callCount++;
  Object.defineProperty(Odd.prototype, 1, { set, get: () => callCount++, configurable: true });
  code.class(Odd);
  const odd = Odd.from({ length: 12 });
  expect(firstDifference(odd, copyOf(world, odd), isCode)).toBeUndefined();
  expect(callCount).toBe(0);
  const disguised = Object.setPrototypeOf([1, 2, 3], Object.create(Zeros.prototype, { constructor: { value: 5 } }));
  expect(copyOf(world, [disguised, 1])[0].length).toBe(3);
});
