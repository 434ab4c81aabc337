// Patches of a program do not affect core, which keeps the intrinsics from its load. Core reports each event once.
import { createRealm, internals } from '@turntable/core';
import { expect, test } from 'vitest';
import { manualHost } from './manual-host.ts';

const broken = (): never => {
  throw new Error('core used a patched intrinsic');
};

test('works when all shared prototypes are patched', () => {
  const reports: string[] = [];
  // The host must not use patched methods either, so the test drains by hand.
  const realm = createRealm({
    queueMicrotask: () => undefined,
    unhandledRejection: (_, reason) => void (reports[reports.length] = String(reason)),
  });
  const lines: unknown[] = [];
  const saved: [object, PropertyKey, PropertyDescriptor][] = [];
  const patch = (object: object, ...keys: PropertyKey[]): void => {
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as PropertyKey;
      saved[saved.length] = [object, key, Object.getOwnPropertyDescriptor(object, key) as PropertyDescriptor];
      Object.defineProperty(object, key, { value: broken, configurable: true, writable: true });
    }
  };
  const { Promise } = realm;
  const note = (value: unknown): void => void (lines[lines.length] = value);
  patch(Array.prototype, 'push', 'shift', 'slice', 'map', 'forEach', Symbol.iterator);
  patch(Function.prototype, 'call', 'apply', 'bind');
  patch(globalThis.Promise.prototype, 'then', 'catch', 'finally');
  patch(globalThis.Promise, 'resolve');
  patch(Map.prototype, 'get', 'set', 'has');
  patch(WeakMap.prototype, 'get', 'set', 'has');
  patch(WeakSet.prototype, 'add', 'has', 'delete');
  patch(String.prototype, 'charAt', 'slice');
  try {
    Promise.resolve(1).then(note);
    Promise.reject(2)
      .catch(note)
      .finally(() => note('finally'));
    Promise.race({
      [Symbol.iterator]: () => ({
        next: (() => {
          let i = 0;
          return () => ({ value: 3, done: i++ > 0 });
        })(),
      }),
    } as never).then(note);
    realm.async(
      new realm.Frame((frame, value) => {
        const { pc } = frame;
        frame.pc = 0;
        if (pc === 0) return realm.await(frame, 1, Promise.resolve('awaited'));
        note(value);
        throw new Error('lost');
      }),
    );
    new realm.ForOf(new realm.Frame(() => undefined), 'ab').next();
    realm.jobs.drain();
  } finally {
    for (let i = saved.length - 1; i >= 0; i--) {
      const { 0: object, 1: key, 2: descriptor } = saved[i] as (typeof saved)[number];
      Object.defineProperty(object, key, descriptor);
    }
  }
  expect(lines).toEqual([1, 2, 'awaited', 'finally', 3]);
  expect(reports).toEqual(['Error: lost']);
});

test('reports a rejection when the queue has run empty, and its handling afterwards', () => {
  const host = manualHost();
  const { Promise } = createRealm(host);
  const late = Promise.reject('late');
  const early = Promise.reject('early');
  early.catch(() => {});
  expect(host.reports).toEqual([]);
  host.settle();
  expect(host.reports).toEqual(['unhandled late']);
  late.catch(() => {});
  host.settle();
  expect(host.reports).toEqual(['unhandled late', 'handled']);
});

test('jobs after a job that throws still run', () => {
  const host = manualHost();
  const realm = createRealm(host);
  const lines: string[] = [];
  realm.jobs.queueMicrotask(() => {
    throw new Error('job');
  });
  realm.jobs.queueMicrotask(() => void lines.push('behind'));
  expect(() => host.settle()).toThrow('job');
  host.settle();
  expect(lines).toEqual(['behind']);
});

test('identify never calls a foreign function', () => {
  let called = false;
  expect(internals.identify(() => void (called = true))).toBeUndefined();
  expect(called).toBe(false);
});

test('refuses ticks without a tick queue, and names the remedy', () => {
  const realm = createRealm({ queueMicrotask });
  expect(() => realm.nextTick(() => undefined)).toThrow(
    expect.objectContaining({ code: 'TT_NO_TICKS', message: expect.stringContaining('nextTick()') }),
  );
});
