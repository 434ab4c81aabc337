// An adapter's substitute for a refused object is one object in all places, wherever the writer detects the refusal.
import { expect, test } from 'vitest';
import type { ObjectAdapter } from '@turntable/heap';
import { testCode } from './code.ts';
import { testWorld } from './ports.ts';

const standIns = new WeakSet<object>();
class Device {
  #hidden = 1;
  get hidden(): number {
    return this.#hidden;
  }
}

const substituted: object[] = [];
function partsOf(value: object) {
  return {
    kind: typeof value === 'function' ? 1 : 0,
    header: [substituted.push(value) - 1],
    contents: [],
    isComplete: true,
  };
}
const common = {
  name: 'left',
  allocate(kind: number): object {
    const left = kind === 1 ? () => undefined : {};
    standIns.add(left);
    return left;
  },
  fill: () => undefined,
};
const adapters: readonly ObjectAdapter[] = [
  {
    ...common,
    appliesTo: 'objects',
    isNative: true,
    matchesPrototype: (prototype) => prototype === Device.prototype,
    takeApart: partsOf,
  },
  { ...common, appliesTo: 'proxies', takeApart: () => undefined, substituteFor: partsOf },
];
const code = testCode();

function worldWith(hasEngine: boolean) {
  return testWorld(() => ({ adapters: [...code.adapters, ...adapters], isOmitted: () => true }), hasEngine);
}

for (const hasEngine of [true, false]) {
  const label = hasEngine ? 'with the engine' : 'without the engine';

  test(`${label}: objects of devices and of the engine, native functions and proxies each become one substitute`, () => {
    const { heap } = worldWith(hasEngine);
    const timedOut = AbortSignal.timeout(1e6);
    const shared = new Int32Array(new SharedArrayBuffer(8));
    const things: object[] = [new Device(), Promise.resolve(), [1].values(), (function* () {})()];
    things.push(() => substituted, new Proxy({}, { get: () => substituted }), timedOut, shared);
    const root = { things, again: [...things], map: new Map(things.map((thing) => [thing, { thing }])) };
    substituted.length = 0;
    const copy = heap.read(heap.write(root)) as typeof root;
    expect(copy.things.map((thing) => standIns.has(thing))).toEqual(things.map(() => true));
    expect(new Set(copy.things).size).toBe(things.length);
    expect(copy.again.every((thing, i) => thing === copy.things[i])).toBe(true);
    expect([...copy.map].every(([key, { thing }]) => key === thing)).toBe(true);
    expect(substituted).toHaveLength(things.length);
  });

  test(`${label}: a refused object leaves no bytes, at any place of a part`, () => {
    const { heap } = worldWith(hasEngine);
    for (let length = 65_300; length < 65_600; length += 7) {
      const root = ['x'.repeat(length), AbortSignal.timeout(1e6), { behind: 'it' }];
      const [, left, behind] = heap.read(heap.write(root)) as unknown[];
      expect(standIns.has(left as object)).toBe(true);
      expect(behind).toEqual({ behind: 'it' });
    }
  });
}

test('objects without a substitute are refused', () => {
  const { heap } = testWorld(() => ({ adapters: code.adapters }));
  expect(() => heap.write({ thing: Promise.resolve() })).toThrow(/^roots\.thing: the reactions of a native promise/);
});
