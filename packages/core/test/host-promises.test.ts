// Promises of the host settle eventuals as in Node: through their own `then` if they have one. An object that borrows
// `Promise.prototype.then` is no promise.
import { describe, expect, test } from 'vitest';
import { nativeWorld, realmWorld, type World } from './worlds.ts';

const { then } = Promise.prototype;

/** Ways in which a program waits for a value. */
const WAYS: Readonly<Record<string, (world: World, value: unknown) => Promise<unknown>>> = {
  await: ({ co }, value) => co([() => value]),
  'Promise.resolve': ({ Promise }, value) => Promise.resolve(value),
  'a resolving function': ({ Promise }, value) => new Promise((resolve) => resolve(value)),
};

const VALUES: Readonly<Record<string, () => unknown>> = {
  'a promise of the host': () => Promise.resolve('settled'),
  'a rejected promise of the host': () => Promise.reject(new RangeError('rejected')),
  'a promise of the host with its own `then`': () =>
    Object.assign(Promise.resolve('settled'), { then: (resolve: (value: string) => void) => resolve('own') }),
  'an object that borrows `then`': () => ({ then }),
};

function outcome(promise: Promise<unknown>): Promise<string> {
  return new Promise(
    (done) =>
      void promise.then(
        (value) => done(`value ${String(value)}`),
        (error: Error) => done(`${error.name} ${error.message}`),
      ),
  );
}

const host = { queueMicrotask, nextTick: process.nextTick };

describe.each(Object.keys(WAYS))('%s', (way) => {
  const settle = WAYS[way]!;
  test.each(Object.keys(VALUES))('settles as natively with %s', async (name) => {
    const make = VALUES[name]!;
    const native = await outcome(settle(nativeWorld(), make()));
    expect(await outcome(settle(realmWorld(host as never), make()))).toBe(native);
  });
});
