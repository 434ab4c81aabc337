// Whatever happened to the bytes of a program's state, reading them yields a state or a HeapError, terminates, and runs
// no code of the program. The checksum is repaired, because otherwise it would catch everything. Seeds are fixed. The
// memory limit is 64 MB beyond the bytes.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { HeapError } from '@turntable/heap';
import { checksumOf } from '../../packages/heap/src/checksum.ts';
import { CaptureWorld } from './world.ts';

const MEMORY = 64 << 20;

/** One value of every kind. All functions that could run leave a mark. */
const SOURCE = `
  const { AsyncLocalStorage } = require('node:async_hooks');
  const run = () => { globalThis.ranWhileReading = true; };
  const user = new AsyncLocalStorage({ name: 'user' });
  class Base { static #count = 0; #secret = 1; constructor() { Base.#count++; run; } get secret() { return this.#secret; } static make() { return new this(); } }
  class Derived extends Base { field = [1, 2.5]; #own = { deep: 'x' }; ['computed' + 1]() { return super.secret; } arrow = () => this.#own; }
  class Cache extends Map { get size() { run(); return super.size; } set(k, v) { return super.set(k, v); } }
  const traps = { get: run, has: run, ownKeys: run, getPrototypeOf: run, getOwnPropertyDescriptor: run, set: run, defineProperty: run };
  function Old(a, b) { this.args = arguments; this.set = (v) => { a = v; }; }
  Old.prototype.method = function () { return this.args[0]; };
  function counter() { let n = 0; return { up: () => ++n, get n() { run(); return n; } }; }
  function* walk(map) { for (const [k, v] of map) { try { yield k + v; } finally { run; } } yield* [1, 2][Symbol.iterator](); }
  async function* ticks() { yield 1; await new Promise(() => {}); }
  const gate = Promise.withResolvers();
  async function wait(n) { for await (const x of [n]) { const y = await gate.promise; return x + y; } }
  const map = new Map([['a', 1], ['b', 2]]);
  const key = {}, symbol = Symbol('s');
  const generator = walk(map); generator.next();
  const it = { entries: map.entries(), list: [1, 2].values(), text: 'abc'[Symbol.iterator](), matches: 'a b'.matchAll(/\\w/g) };
  it.entries.next(); it.list.next();
  const registry = new FinalizationRegistry(run); registry.register(key, { held: 1 }, key);
  const pooled = Buffer.from('pooled bytes');
  exports.all = { gate, generator, it, registry, key, symbol, map,
    objects: [new Derived(), Derived.make(), new Cache([['k', Derived]]), new Old(1, 2), counter()],
    proxy: new Proxy({ a: 1 }, traps), call: new Proxy(run, {}), bound: Old.bind(null, 1),
    weak: [new WeakRef(key), new WeakMap([[key, 1], [symbol, 2]]), new WeakSet([map])],
    waiting: [wait(1), user.run({ id: 7 }, () => wait(2)), ticks().next(), Promise.all([gate.promise, 1]), gate.promise.then(run).finally(run)],
    buffers: [pooled, pooled.subarray(3, 6), new Float64Array([1.5])], frozen: Object.freeze([Object.freeze({ x: 1 })]),
    error: new TypeError('e', { cause: key }), accessor: { get a() { run(); return 1; }, set a(v) { run(); } }, run, tag: ((s) => s)\`a\${1}b\` };
`;

let bytes: Uint8Array;
let reader: CaptureWorld;

beforeAll(() => {
  const world = CaptureWorld.run(SOURCE);
  world.settle();
  bytes = world.heap.write(world.state);
  expect(world.copy().copy().hash).toBe(world.hash);
  reader = world.createReader();
});

/** Reads damaged bytes. All errors must be HeapErrors with a known code. */
function outcome(damaged: Uint8Array): string {
  try {
    reader.heap.read(damaged, { memoryLimit: MEMORY });
    return 'read';
  } catch (error) {
    if (!(error instanceof HeapError)) throw error;
    expect(error.code).toMatch(/^TT_(CORRUPT_STATE|FOREIGN_STATE|STATE_TOO_LARGE)$/);
    return error.code;
  } finally {
    expect('ranWhileReading' in globalThis).toBe(false);
  }
}

function repaired(damaged: Uint8Array): Uint8Array {
  const end = damaged.length - 4;
  const sum = checksumOf(damaged, 8, end);
  for (let i = 0; i < 4; i++) damaged[end + i] = (sum >>> (8 * i)) & 0xff;
  return damaged;
}

describe('a damaged program state', () => {
  it('is read when it is intact', () => expect(outcome(bytes.slice())).toBe('read'));

  it('is refused when it is truncated at any byte', () => {
    for (let length = 16; length < bytes.length; length++)
      expect(outcome(repaired(bytes.slice(0, length)))).not.toBe('read');
  });

  it('is read or refused with one bit of a byte flipped', () => {
    const found: Record<string, number> = {};
    for (let at = 8; at < bytes.length - 4; at++) {
      const flipped = bytes.slice();
      flipped[at] = (flipped[at] as number) ^ (1 << ((at * 5) & 7));
      const result = outcome(repaired(flipped));
      found[result] = (found[result] ?? 0) + 1;
    }
    // Some flips only change a value. That these are read shows that the checks are specific.
    expect(found['read']).toBeGreaterThan(100);
    expect(found['TT_CORRUPT_STATE']).toBeGreaterThan(500);
    expect(found['TT_FOREIGN_STATE']).toBeGreaterThan(50);
  });

  it('is read or refused with several bytes overwritten', () => {
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(edits, (list) => {
        const damaged = bytes.slice();
        for (const [at, value] of list) damaged[12 + (at % (damaged.length - 12))] = value;
        outcome(repaired(damaged));
      }),
      { numRuns: 2000, seed: 23 },
    );
  });

  it('is read or refused with pieces moved', () => {
    const piece = fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 40 }));
    fc.assert(
      fc.property(piece, ([from, to, length]) => {
        const damaged = bytes.slice();
        const room = damaged.length - 16 - length;
        damaged.copyWithin(16 + (to % room), 16 + (from % room), 16 + (from % room) + length);
        outcome(repaired(damaged));
      }),
      { numRuns: 2000, seed: 29 },
    );
  });
});
