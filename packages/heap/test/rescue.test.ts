// Where an adapter rescues what would be refused, something stands for it: one thing in all its places, wherever the writer has noticed.
import { expect, test } from 'vitest';
import type { Adapter } from '@turntable/heap';
import { testCode } from './code.ts';
import { testWorld } from './ports.ts';

const lefts = new WeakSet<object>();
class Device {
  #hidden = 1;
  get hidden(): number {
    return this.#hidden;
  }
}

const met: object[] = [];
function partsOf(value: object) {
  return { kind: typeof value === 'function' ? 1 : 0, header: [met.push(value) - 1], contents: [], whole: true };
}
const common = {
  name: 'left',
  allocate(kind: number): object {
    const left = kind === 1 ? () => undefined : {};
    lefts.add(left);
    return left;
  },
  fill: () => undefined,
};
const adapters: readonly Adapter[] = [
  { ...common, asks: 'objects', native: true, claims: (prototype) => prototype === Device.prototype, take: partsOf },
  { ...common, asks: 'proxies', take: () => undefined, rescue: partsOf },
];
const code = testCode();

function worldWith(asksEngine: boolean) {
  return testWorld(() => ({ adapters: [...code.adapters, ...adapters], leaves: () => true }), asksEngine);
}

for (const asksEngine of [true, false]) {
  const how = asksEngine ? 'with the engine' : 'without the engine';

  test(`${how}: objects of devices and of the engine, native functions and proxies stand as one thing each`, () => {
    const { heap } = worldWith(asksEngine);
    const timedOut = AbortSignal.timeout(1e6);
    const shared = new Int32Array(new SharedArrayBuffer(8));
    const things: object[] = [new Device(), Promise.resolve(), [1].values(), (function* () {})()];
    things.push(() => met, new Proxy({}, { get: () => met }), timedOut, shared);
    const root = { things, again: [...things], map: new Map(things.map((thing) => [thing, { thing }])) };
    met.length = 0;
    const copy = heap.read(heap.write(root)) as typeof root;
    expect(copy.things.map((thing) => lefts.has(thing))).toEqual(things.map(() => true));
    expect(new Set(copy.things).size).toBe(things.length);
    expect(copy.again.every((thing, i) => thing === copy.things[i])).toBe(true);
    expect([...copy.map].every(([key, { thing }]) => key === thing)).toBe(true);
    expect(met).toHaveLength(things.length);
  });

  test(`${how}: nothing of a refused object's first bytes stays, at whichever place of a part it stands`, () => {
    const { heap } = worldWith(asksEngine);
    for (let length = 65_300; length < 65_600; length += 7) {
      const root = ['x'.repeat(length), AbortSignal.timeout(1e6), { behind: 'it' }];
      const [, left, behind] = heap.read(heap.write(root)) as unknown[];
      expect(lefts.has(left as object)).toBe(true);
      expect(behind).toEqual({ behind: 'it' });
    }
  });
}

test('nothing stands for what nobody rescues', () => {
  const { heap } = testWorld(() => ({ adapters: code.adapters }));
  expect(() => heap.write({ thing: Promise.resolve() })).toThrow(/^roots\.thing: a native promise/);
});
