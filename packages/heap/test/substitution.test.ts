// Where an adapter rescues what would be refused, something stands for it: one thing in all its places, wherever the writer has noticed.
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

  test(`${label}: objects of devices and of the engine, native functions and proxies stand as one thing each`, () => {
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

  test(`${label}: nothing of a refused object's first bytes stays, at whichever place of a part it stands`, () => {
    const { heap } = worldWith(hasEngine);
    for (let length = 65_300; length < 65_600; length += 7) {
      const root = ['x'.repeat(length), AbortSignal.timeout(1e6), { behind: 'it' }];
      const [, left, behind] = heap.read(heap.write(root)) as unknown[];
      expect(standIns.has(left as object)).toBe(true);
      expect(behind).toEqual({ behind: 'it' });
    }
  });
}

test('nothing stands for what nobody rescues', () => {
  const { heap } = testWorld(() => ({ adapters: code.adapters }));
  expect(() => heap.write({ thing: Promise.resolve() })).toThrow(/^roots\.thing: a native promise/);
});
