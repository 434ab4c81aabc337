// A value that cannot be captured gives an error with path, reason and remedy, and is never lost silently.
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { HeapError } from '@turntable/heap';
import { testCode } from './code.ts';
import { testWorld } from './ports.ts';

const code = testCode();
const world = testWorld(() => ({ adapters: code.adapters, describeExternal: (value) => externals.get(value) }));
const externals = new WeakMap<object, unknown>();

function refusalError(root: unknown): HeapError {
  try {
    world.heap.write(root);
  } catch (error) {
    if (error instanceof HeapError) return error;
    throw error;
  }
  throw new Error('was written');
}

describe('the path', () => {
  test('leads through properties, elements, Maps and closures', () => {
    const holder = code.closure(() => undefined)({ items: new Map([['k', [0, { socket: new Socket() }]]]) });
    const error = refusalError({ cart: { holder } });
    expect(error.code).toBe('TT_UNCAPTURABLE');
    expect(error.message).toMatch(/^roots\.cart\.holder captured 0\.items\.get\("k"\)\[1\]\.socket/);
  });

  test('quotes keys that are not identifiers, and names symbols', () => {
    expect(refusalError({ 'a b': { [Symbol('s')]: Promise.resolve() } }).message).toMatch(
      /^roots\["a b"\]\[Symbol\(s\)\]: the reactions of a native promise/,
    );
  });

  test('is the shortest one', () => {
    const bad = Promise.resolve();
    expect(refusalError({ far: { away: { bad } }, near: bad }).message).toMatch(/^roots\.near:/);
  });

  test('of a value that the program put on an intrinsic starts there', () => {
    Object.defineProperty(Math, 'leak', { value: () => 1, configurable: true });
    try {
      expect(refusalError({}).message).toMatch(/^Math\.leak: the function .* is not transformed/);
    } finally {
      Reflect.deleteProperty(Math, 'leak');
    }
  });
});

describe('the reason', () => {
  class Native {}
  test.each([
    ['a function that is not transformed', () => 1, /not transformed/],
    ['an instance of a class that is not transformed', new Native(), /constructor: the function "class Native/],
    ['a native promise', Promise.resolve(1), /reactions of a native promise/],
    ['a native generator', (function* () {})(), /suspended state|not transformed/],
    ['a native Map iterator', new Map([[1, 2]]).entries(), /the position of a native iterator/],
    ['a Proxy of native code', new Proxy({}, {}), /cannot read the target/],
    ['shared memory', new Uint8Array(new SharedArrayBuffer(4)), /shares memory/],
    ['a Blob', new Blob(['x']), /Blob belongs to the host/],
  ])('names %s', (_, value, reason) => {
    const { message } = refusalError({ value });
    expect(message).toMatch(/^roots\.value/);
    expect(message).toMatch(reason);
    expect(message).toMatch(/; \S+/);
  });
});

test('a refused Proxy’s traps are not called', () => {
  const trap = (): never => {
    throw new Error('a trap was called');
  };
  const handler = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, trap]));
  expect(refusalError([new Proxy(() => 1, handler), 1]).message).toMatch(
    /^roots\[0\]: this host cannot read the target of a Proxy/,
  );
  expect(refusalError(Object.create(null, { p: { value: new Proxy({}, handler) } })).message).toMatch(
    /^roots\.p: this host cannot read the target of a Proxy/,
  );
});

test('host objects are written as their descriptors, and revived from these', () => {
  const far = new Proxy({}, { get: () => 1 });
  const controller = new AbortController();
  const handle = (): void => undefined;
  externals.set(far, { actor: 3, id: 4, via: ['a', { b: 1 }] });
  externals.set(controller, { device: 'controller' });
  externals.set(handle, { device: 'function' });
  // Strings show whether a descriptor is complete when it is revived.
  const there = testWorld(() => ({ revive: (descriptor) => ({ revived: JSON.stringify(descriptor) }) }));
  const root = { one: far, two: far, controller, deep: [{ controller, handle }], handle, again: [far, controller] };
  const bytes = world.heap.write(root);
  const copy = there.heap.read(bytes) as Record<string, { revived: unknown }> & { deep: Record<string, unknown>[] };
  expect(copy['one']).toEqual({ revived: '{"actor":3,"id":4,"via":["a",{"b":1}]}' });
  expect(copy['two']).toBe(copy['one']);
  expect(copy['controller']).toEqual({ revived: '{"device":"controller"}' });
  expect(copy.deep[0]).toEqual({ controller: copy['controller'], handle: copy['handle'] });
  expect(copy.deep[0]!['handle']).toBe(copy['handle']);
  expect(copy['again']).toEqual([copy['one'], copy['controller']]);
  expect(() => world.heap.read(bytes)).toThrow(/revive/);
});
