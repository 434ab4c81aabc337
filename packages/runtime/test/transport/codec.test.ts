import { types } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentCopier } from '../../src/messaging/send/argument-copier.ts';
import { RING_HEADER_BYTES } from '../../src/transport/ring.ts';
import { difference, graph } from './graphs.ts';
import { engineDeps, Pair, Root, Sold, testDeps } from './pair.ts';

const copier = new ArgumentCopier({ referenceFor: (value) => testDeps.referenceFor(value), types });

function copyLocally(value: unknown): unknown {
  return copier.copy(value, () => 'args[0] of Cart.add');
}

function errorOf(run: () => unknown): { code?: unknown; message: string } {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  return { message: 'no error' };
}

describe('encoded message', () => {
  it.each([
    ['looked at closely', testDeps],
    ['recognised by its shape', engineDeps],
  ])('has the same values as within a worker, when it is %s', (_, ports) => {
    const pair = new Pair({ ports });
    fc.assert(
      fc.property(graph, (value) => {
        expect(difference(pair.roundTrip(value), copyLocally(value))).toBe(undefined);
      }),
      { numRuns: 1500 },
    );
  });

  it('has the same values in single arguments and in lists', () => {
    const pair = new Pair();
    fc.assert(
      fc.property(graph, (args) => {
        pair.send(...args);
        expect(difference(pair.receive()[0], copyLocally(args))).toBe(undefined);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps shared structure between its arguments, and none between messages', () => {
    const pair = new Pair();
    const shared = { n: 1 };
    pair.send(shared, [shared], new Map([[shared, shared]]));
    pair.send(shared);
    const [[first, list, map], [other]] = pair.receive() as [[object, object[], Map<object, object>], [object]];
    expect(list[0]).toBe(first);
    expect(map.get(first)).toBe(first);
    expect(other).toEqual(first);
    expect(other).not.toBe(first);
  });

  it('distinguishes shapes by order, prototype and single keys', () => {
    const pair = new Pair();
    const values = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      { a: 1 },
      { a: 1, b: 2, c: 3 },
      { __proto__: null, a: 1, b: 2 },
      {},
    ];
    for (let round = 0; round < 60; round++) {
      for (const value of values) {
        const carried = pair.roundTrip({ value, round });
        expect(difference(carried, { value, round })).toBe(undefined);
      }
    }
  });

  it('can have more shapes than are remembered', () => {
    const pair = new Pair();
    for (let i = 0; i < 12_000; i++) {
      const value = { [`key${i % 3000}`]: i, same: { x: i } };
      if (i % 5 === 0) pair.out.add(1, 2, 3, 0, 0, `call${i}`, 0, 0, 0, 0, [], String);
      pair.send(value);
      pair.out.publish();
      pair.in.drain(2);
      const taken = pair.taken.splice(0);
      expect(taken.at(-1)?.args).toEqual([value]);
      if (taken.length === 2) expect(taken[0]?.call).toBe(`call${i}`);
    }
  });

  it('can have values of all types in a shape with generated code', () => {
    const sorts = [
      0,
      -0,
      127,
      128,
      -1,
      2 ** 31,
      -(2 ** 31),
      0.5,
      NaN,
      Infinity,
      'a',
      'ā',
      'x'.repeat(99),
      null,
      undefined,
      true,
      5n,
    ];
    for (const ports of [testDeps, engineDeps]) {
      const pair = new Pair({ ports, size: 2 ** 10 });
      for (let i = 0; i < 40 * sorts.length; i++) {
        const value = {
          a: sorts[i % sorts.length],
          b: i,
          c: sorts[(i * 7) % sorts.length],
          d: [sorts[(i * 3) % sorts.length]],
        };
        expect(difference(pair.roundTrip(value), value)).toBe(undefined);
      }
    }
  });

  it('has the current values of an object whose shape is known, or similar', () => {
    const pair = new Pair({ ports: engineDeps });
    class Point {
      x = 1;
      y = 2;
    }
    const plain = (): Record<PropertyKey, unknown> => ({ x: 1, y: 'a', z: { w: [1, 'b'] } });
    for (let i = 0; i < 600; i++) {
      const got = { x: i, get y() { return i; }, z: 1 }; // prettier-ignore
      const all: unknown[] = [
        plain(),
        Object.assign(plain(), { [i]: i }),
        Object.assign(plain(), { y: 0.5, z: undefined }),
        { ...plain(), x: { y: plain() } },
        Object.setPrototypeOf(plain(), null),
        Object.freeze(plain()),
        Object.defineProperty(plain(), 'hidden', { value: 1 }),
        got,
        JSON.parse('{"x":1,"y":"a","z":{"w":[1,"b"]}}'),
        Object.assign(['a', 'b'], i % 2 === 0 ? { more: i } : {}),
        Object.freeze([1, 2]),
        new Array(3),
        [0.5, , 1], // oxlint-disable-line no-sparse-arrays -- the test needs a hole
        Array.from({ length: 70 }, () => plain()),
      ];
      expect(difference(pair.roundTrip(all), copyLocally(all))).toBe(undefined);
      expect(errorOf(() => pair.send(Object.assign(plain(), { [Symbol.iterator]: 1 })))).toHaveProperty('code');
      expect(errorOf(() => pair.send(new Point()))).toHaveProperty('code');
      expect(errorOf(() => pair.send(Object.assign(plain(), { y: new Point() })))).toHaveProperty('code');
    }
  });

  it('is not retained', async () => {
    const pair = new Pair({ ports: engineDeps });
    const send = (i: number): WeakRef<object>[] => {
      const value = { x: i, inner: { y: [i] } };
      pair.send(value);
      pair.receive();
      return [value, value.inner, value.inner.y].map((each) => new WeakRef(each));
    };
    const seen = Array.from({ length: 100 }, (_, i) => send(i)).flat();
    await new Promise((resolve) => setImmediate(resolve));
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(seen.filter((each) => each.deref() !== undefined).length).toBe(0);
  });

  it('can have keys with special meaning, in new shapes and in ones with generated code', () => {
    const pair = new Pair();
    for (let round = 0; round < 60; round++) {
      const value = JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":3,"7":4,"\\u2028":5}') as object;
      expect(difference(pair.roundTrip(value), value)).toBe(undefined);
    }
  });

  it('can have data nested as deep as memory allows', () => {
    const pair = new Pair({ size: 2 ** 20 });
    let deep: unknown = 'ground';
    for (let i = 0; i < 20_000; i++) {
      deep = [{ deep }, new Map([[i, deep]]).size > 0 ? [deep] : 0, new Map([['deep', deep]]), new Set([deep])][i % 4];
    }
    let carried: unknown = pair.roundTrip(deep);
    let depth = 0;
    for (; typeof carried === 'object' && carried !== null; depth++) {
      if (carried instanceof Map) carried = carried.get('deep');
      else if (Array.isArray(carried)) carried = carried[0];
      else if (carried instanceof Set) carried = [...carried][0];
      else carried = (carried as { deep: unknown }).deep;
    }
    expect([carried, depth]).toEqual(['ground', 20_000]);
  });

  it('can have chains of error causes up to a limit', () => {
    const pair = new Pair();
    const chain = (length: number): Error => {
      let error = new Error('first');
      for (let i = 0; i < length; i++) error = new Error(`${i}`, { cause: error });
      return error;
    };
    let depth = 0;
    for (let each: unknown = pair.roundTrip(chain(300)); each !== undefined; each = (each as Error).cause) depth++;
    expect(depth).toBe(301);
    expect(errorOf(() => pair.send(chain(302))).message).toContain('it has more than 300 causes, one of another');
  });

  it('calls accessors once', () => {
    const pair = new Pair();
    let calls = 0;
    const value = {
      get a(): number {
        return ++calls;
      },
    };
    for (let i = 1; i <= 60; i++) expect(pair.roundTrip(value)).toEqual({ a: i });
  });

  it('follows messages that its accessors send', () => {
    const pair = new Pair();
    const shared = { n: 1 };
    const value = {
      first: { x: 1 },
      get inner(): number {
        pair.send('within', { x: 2 }, shared);
        return 1;
      },
      last: { x: 3 },
      shared,
    };
    for (let i = 0; i < 3; i++) {
      pair.send(value);
      expect(pair.receive()).toEqual([
        ['within', { x: 2 }, { n: 1 }],
        [{ first: { x: 1 }, inner: 1, last: { x: 3 }, shared: { n: 1 } }],
      ]);
    }
  });

  it('has references with their contents', () => {
    const pair = new Pair();
    const root = new Root(2 ** 40, [{ x: 1 }]);
    const carried = pair.roundTrip({ list: [root, root], map: new Map([[root, 1]]) });
    expect(carried.list[0]).toBe(root);
    expect(carried.list[1]).toBe(root);
    expect(carried.map.get(root)).toBe(1);
  });

  it("has an error's class if the other end has it, otherwise the base class", () => {
    const pair = new Pair();
    class Local extends TypeError {
      readonly detail = 1;
    }
    class Resold extends Sold {}
    const local = pair.roundTrip(new Local('x', { cause: new Sold('y') }));
    expect(Object.getPrototypeOf(local)).toBe(TypeError.prototype);
    expect([local.message, local.detail, types.isNativeError(local)]).toEqual(['x', 1, true]);
    expect(local.cause).toBeInstanceOf(Sold);
    expect(Object.getPrototypeOf(pair.roundTrip(new Resold('z')))).toBe(Sold.prototype);
  });

  it('keeps the internal fields of a DOMException, and its cause', () => {
    const error = Object.assign(new DOMException('too late', 'TimeoutError'), { cause: { at: 3 } });
    const carried = new Pair().roundTrip([error, error]);
    expect(carried[1]).toBe(carried[0]);
    const { message, name, code, stack, cause } = carried[0] as DOMException & { cause: unknown };
    expect([message, name, code, stack, cause]).toEqual([
      'too late',
      'TimeoutError',
      error.code,
      error.stack,
      { at: 3 },
    ]);
    expect(carried[0]).toBeInstanceOf(DOMException);
  });

  it('can have sparse arrays of a great length', () => {
    const pair = new Pair();
    const value: unknown[] = [];
    value[4_000_000_000] = 'far';
    value[70_000] = { x: 1 };
    const carried = pair.roundTrip(value);
    expect([carried.length, carried[4_000_000_000], carried[70_000]]).toEqual([4_000_000_001, 'far', { x: 1 }]);
    expect(Object.keys(carried)).toEqual(['70000', '4000000000']);
  });

  it('keeps numbers of 53 bits and calls', () => {
    const pair = new Pair();
    const most = Number.MAX_SAFE_INTEGER;
    for (const call of ['a', 'b', undefined, 'a', '', 'ā'])
      pair.out.add(7, most, 2 ** 31, 2 ** 32 + 1, 0, call, 0, 0, 0, 0, [], String);
    pair.receive();
    pair.out.add(7, most, 2 ** 31, 2 ** 32 + 1, 0, 'b', 0, 0, 0, 0, [], String);
    pair.out.publish();
    pair.in.drain(9);
    expect(pair.taken).toEqual([{ kind: 7, ids: [most, 2 ** 31, 2 ** 32 + 1, 0], call: 'b', args: [] }]);
  });
});

describe('refused message', () => {
  class User {
    name = 'Ann';
  }
  class Bytes extends Uint8Array {}
  const transferred = new ArrayBuffer(4);
  structuredClone(transferred, { transfer: [transferred] });
  const refused: [what: string, value: unknown][] = [
    ['a function', { user: { onClick: function save() {} } }],
    ['an instance of a class', [1, { items: new Map([['a', new User()]]) }]],
    ['a symbol', { key: Symbol('secret') }],
    ['a name that is a symbol', { a: { [Symbol('x')]: 1 } }],
    ['a Proxy', { 'a b': new Proxy(new User(), {}) }],
    ['shared memory', { view: new Uint8Array(new SharedArrayBuffer(8)) }],
    ['a subclass of a collection', new (class Bag extends Map {})()],
    ['a view of a class of the program', new Bytes(8)],
    ['a native promise', { then: Promise.resolve(1) }],
    ['a generator', [(function* (): Generator<number> {})()]],
    ['a symbol in a box', { key: Object(Symbol('secret')) as object }],
    ['memory that has been transferred', transferred],
  ];
  for (const [what, value] of refused) {
    it(`has the same error as within a worker: ${what}`, () => {
      const pair = new Pair();
      const error = errorOf(() => pair.send(value));
      expect(error).toMatchObject({ name: 'RuntimeError', code: 'TT_NOT_PASSABLE' });
      expect(error.message).toBe(errorOf(() => copyLocally(value)).message);
    });
  }

  it('names the argument', () => {
    const pair = new Pair();
    for (const place of [0, 1, 2, 5]) {
      const args = Array.from({ length: place + 1 }, (_, i) => (i === place ? { f() {} } : i));
      expect(errorOf(() => pair.send(...args)).message).toContain(`f in args[${place}] of Cart.add: the function "f"`);
    }
  });

  it('leaves no bytes, shape, call or parcel', () => {
    const pair = new Pair();
    const refuse = (): unknown => errorOf(() => pair.send({ fresh: [new ArrayBuffer(2 ** 17)], then: () => 1 }));
    pair.send({ a: 1 });
    refuse();
    expect(
      errorOf(() => pair.out.add(1, 2, 3, 4, 5, 'new', 1, { g: { h: () => 1 } }, 0, 0, [], String)),
    ).toHaveProperty('code');
    pair.send({ fresh: 1, then: 2 }, { g: { h: 3 } });
    pair.out.add(1, 2, 3, 4, 5, 'new', 1, { g: { h: 4 } }, 0, 0, [], String);
    refuse();
    pair.send(new ArrayBuffer(2 ** 17));
    expect(pair.out.sent).toBe(4);
    const received = pair.receive();
    expect(received.slice(0, 3)).toEqual([[{ a: 1 }], [{ fresh: 1, then: 2 }, { g: { h: 3 } }], [{ g: { h: 4 } }]]);
    expect(received[3]).toMatchObject([{ byteLength: 2 ** 17 }]);
  });

  it('may come from an accessor that throws; the next message is sent', () => {
    const pair = new Pair();
    const thrown = new Error('no');
    const value = {
      a: 1,
      get b(): never {
        throw thrown;
      },
    };
    expect(errorOf(() => pair.send(value))).toBe(thrown);
    expect(pair.roundTrip({ a: 1, b: 2 })).toEqual({ a: 1, b: 2 });
  });
});

describe('damaged bytes', () => {
  /** Frames as they are in a ring, from its start. */
  function bytesOf(pair: Pair): Uint8Array {
    return new Uint8Array(pair.ring, RING_HEADER_BYTES);
  }

  function drained(pair: Pair): string {
    pair.out.publish();
    for (let i = 0; i < 50 && !pair.in.isEmpty(); i++) {
      try {
        pair.in.drain(50);
      } catch (error) {
        expect(error).toMatchObject({ name: 'RuntimeError', code: 'TT_DAMAGED_MESSAGE' });
        return 'damaged';
      }
    }
    return 'values';
  }

  it('become values or an error, whichever bytes are damaged', () => {
    const outcomes = new Map<string, number>();
    const change = fc.tuple(fc.nat(), fc.nat(255));
    fc.assert(
      fc.property(graph, fc.array(change, { minLength: 1, maxLength: 4 }), (value, changes) => {
        const pair = new Pair({ size: 2 ** 16 });
        pair.send(value);
        pair.send(value, 'again');
        pair.out.publish();
        const bytes = bytesOf(pair);
        const length = new Int32Array(pair.ring)[16]!;
        for (const [place, byte] of changes) bytes[place % length] = byte;
        const outcome = drained(pair);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }),
      { numRuns: 3000 },
    );
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(['damaged', 'values']));
  });

  it('become values or an error in a shape with generated code', () => {
    const place = fc.oneof(fc.integer(), fc.double(), fc.string({ unit: 'binary', maxLength: 30 }), fc.constant(null));
    const change = fc.tuple(fc.nat(), fc.nat(255));
    const outcomes = new Map<string, number>();
    fc.assert(
      fc.property(
        fc.tuple(place, place, place),
        fc.array(change, { maxLength: 3 }),
        fc.boolean(),
        (values, changes, isCut) => {
          const pair = new Pair({ size: 2 ** 16 });
          const [a, b, c] = values;
          const value = { a, b, c };
          for (let i = 0; i < 40; i++) pair.roundTrip(value);
          const words = new Int32Array(pair.ring);
          const start = words[16]!;
          pair.send(value);
          pair.out.publish();
          const bytes = bytesOf(pair);
          const length = words[16]! - start;
          for (const [at, byte] of changes) bytes[start + 4 + (at % (length - 4))] = byte;
          // The frame ends inside the object.
          if (isCut) words[16] = start + (bytes[start] = length - 1 - (length % 5));
          const outcome = drained(pair);
          if (changes.length === 0 && !isCut) expect(pair.taken[0]?.args).toEqual([value]);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        },
      ),
      { numRuns: 600 },
    );
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(['damaged', 'values']));
  });

  it('become values or an error when they are random', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(3), (noise, flags) => {
        const pair = new Pair({ size: 256 });
        const bytes = bytesOf(pair);
        bytes.set(noise, 4);
        new DataView(pair.ring, RING_HEADER_BYTES).setUint32(0, (noise.length + 4) | (flags << 28), true);
        new Int32Array(pair.ring)[16] = noise.length + 4;
        drained(pair);
      }),
      { numRuns: 5000 },
    );
  });

  it('are skipped after the error, and the next message is intact', () => {
    const pair = new Pair();
    pair.send('first');
    pair.send('second', 1);
    pair.out.publish();
    bytesOf(pair)[15] = 0x3f;
    expect(errorOf(() => pair.in.drain(9))).toMatchObject({ code: 'TT_DAMAGED_MESSAGE' });
    expect(pair.in.drain(9)).toBe(1);
    expect(pair.taken).toMatchObject([{ args: ['second', 1] }]);
  });

  it('are skipped if they refer to a parcel that was not posted', () => {
    const pair = new Pair();
    pair.send('first');
    pair.send('second');
    pair.out.publish();
    bytesOf(pair)[3]! |= 0x20;
    expect(errorOf(() => pair.in.drain(9))).toMatchObject({ code: 'TT_DAMAGED_MESSAGE' });
    // The next message uses numbers that the first one assigned.
    expect(errorOf(() => pair.in.drain(9))).toMatchObject({ code: 'TT_DAMAGED_MESSAGE' });
    expect([pair.in.isEmpty(), pair.in.taken, pair.in.drain(9)]).toEqual([true, 2, 0]);
  });

  it('are detected from positions that no frame can have', () => {
    for (const tail of [-8, 3, 2 ** 20]) {
      const pair = new Pair({ size: 256 });
      new Int32Array(pair.ring)[16] = tail;
      expect(errorOf(() => pair.in.drain(9))).toMatchObject({ code: 'TT_DAMAGED_MESSAGE' });
      expect(pair.in.isEmpty()).toBe(true);
    }
  });
});
