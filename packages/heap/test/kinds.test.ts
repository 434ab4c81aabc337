// Kinds of objects in states that are easily lost: hidden state, own properties, changed prototypes, subclasses.
import { describe, expect, test } from 'vitest';
import { testCode } from './code.ts';
import { firstDifference } from './graph-difference.ts';
import { copyOf, testWorld } from './ports.ts';

const code = testCode();
const world = testWorld(() => ({ adapters: code.adapters }));
const roundTrip = <T>(root: T): T => copyOf(world, root);
const isCode = (value: object): boolean => code.adapters.some((adapter) => adapter.takeApart(value) !== undefined);

function expectSame(root: unknown): void {
  expect(firstDifference(root, roundTrip(root), isCode)).toBeUndefined();
}

describe('values', () => {
  test.each([
    ['an invalid date', new Date(NaN)],
    ['a date with a property', Object.assign(new Date(7), { zone: 'x' })],
    ['a regular expression in mid-search', Object.assign(/a(?<n>b)/dgimsuy, { lastIndex: 3 })],
    ['a regular expression with a frozen lastIndex', Object.freeze(/x/v)],
    ['a regular expression with a line terminator', new RegExp('[/\n]\\/')],
    ['a boxed -0', Object(-0)],
    ['a boxed string with a property', Object.assign(Object('text'), { note: 1 })],
    ['a boxed symbol', Object(Symbol.iterator)],
    ['a boxed bigint', Object(5n)],
    ['a null-prototype object', Object.assign(Object.create(null), { a: 1 })],
    [
      'an accessor with neither getter nor setter',
      Object.defineProperty({}, 'nothing', { enumerable: true, get: undefined } as object),
    ],
    ['a sparse array', Object.assign([], { length: 4_000_000_000, 17: 'x' })],
    ['an array with a constant length', Object.defineProperty([1, 2], 'length', { writable: false })],
    ['a match', /(?<year>\d+)/.exec('in 1984')],
    ['a template object', Object.freeze(Object.defineProperty(['a'], 'raw', { value: Object.freeze(['a']) }))],
    ['a frozen Map', Object.freeze(new Map([[1, 2]]))],
    ['a Map with another prototype', Object.setPrototypeOf(new Map([[1, {}]]), Object.prototype)],
    ['a Set below null', Object.setPrototypeOf(new Set([1]), null)],
    ['an array below null', Object.setPrototypeOf([1, { a: 1 }], null)],
    ['a Date in disguise', Object.assign(Object.setPrototypeOf(new Date(5), { a: 1 }), { x: 1 })],
    ['an impostor', Object.create(Map.prototype)],
    ['an impostor among arrays', Object.setPrototypeOf({ length: 1, 0: 'x' }, Array.prototype)],
  ])('%s', (_, value) => expectSame({ value, again: value }));

  test('unique symbols keep their identity as keys, values and in boxes', () => {
    const one = Symbol('same');
    const two = Symbol('same');
    expectSame({ [one]: two, [two]: one, list: [one, two, Object(one)] });
  });
});

describe('errors', () => {
  test('keep message, cause, stack, name and added properties', () => {
    const cause = new RangeError('inner');
    const error = Object.assign(new TypeError('outer', { cause }), { code: 'E_X', name: 'Mine' });
    expectSame(error);
    expect(roundTrip(error).stack).toBe(error.stack);
    expectSame(new AggregateError([cause, error, cause], 'both'));
  });

  test('can have an assigned, deleted or replaced stack', () => {
    const assigned = new Error('a');
    assigned.stack = 'mine';
    const deleted = new Error('b');
    delete deleted.stack;
    const replaced = Object.defineProperty(new Error('c'), 'stack', { value: 7, enumerable: true });
    expectSame([assigned, deleted, replaced]);
    expect(roundTrip(assigned).stack).toBe('mine');
  });

  test('leave a captured stack on other objects', () => {
    const object = {};
    Error.captureStackTrace(object);
    expect((roundTrip(object) as { stack: string }).stack).toBe((object as { stack: string }).stack);
  });
});

describe('binary data', () => {
  test('views share their buffer', () => {
    const buffer = new ArrayBuffer(16);
    const views = [new Uint8Array(buffer, 4, 4), new Float64Array(buffer), new DataView(buffer, 1, 4)];
    new Uint8Array(buffer).set([1, 2, 3, 4], 4);
    expectSame({ views, buffer });
    const copy = roundTrip(views) as [Uint8Array, Float64Array, DataView];
    copy[0][0] = 99;
    expect(copy[2].getUint8(3)).toBe(99);
  });

  test('views of every type keep their properties', () => {
    const types = [Int8Array, Uint8ClampedArray, Int16Array, Uint32Array, Float32Array, BigInt64Array];
    expectSame(types.map((type) => Object.assign(new type(2) as object, { unit: 'm' })));
  });

  test('a resizable buffer can still grow', () => {
    const buffer = new ArrayBuffer(4, { maxByteLength: 64 });
    const view = new Uint8Array(buffer);
    const fixed = new Uint8Array(buffer, 0, 2);
    const copy = roundTrip({ buffer, view, fixed });
    copy.buffer.resize(32);
    expect([copy.view.length, copy.fixed.length]).toEqual([32, 2]);
  });

  test('pool slices overlap as before, without the rest of the pool', () => {
    const pooled = testWorld(() => ({
      isPool: (buffer) => buffer.byteLength === Buffer.from('pool').buffer.byteLength,
    }));
    const a = Buffer.from('overlapping text');
    const b = a.subarray(4, 9);
    const far = Buffer.from('elsewhere');
    const bytes = pooled.heap.write([a, b, far]);
    expect(bytes.length).toBeLessThan(400);
    const [c, d, e] = pooled.heap.read(bytes) as [Buffer, Buffer, Buffer];
    expect([c.toString(), d.toString(), e.toString()]).toEqual(['overlapping text', 'lappi', 'elsewhere']);
    d[0] = 0x21;
    expect(c.toString()).toBe('over!apping text');
    expect(Object.getPrototypeOf(c)).toBe(Buffer.prototype);
  });
});

describe('classes', () => {
  class Point {
    x: number;
    y: number;
    constructor(x: number, y: number) {
      this.x = x;
      this.y = y;
    }
    get sum(): number {
      return this.x + this.y;
    }
  }
  class Place extends Point {
    name = 'place';
  }
  class Stock extends Map<string, number> {
    limit = 3;
    constructor(...args: never[]) {
      super();
      if (args.length > 0) throw new Error('a constructor must not run on restore');
    }
  }
  class Row extends Array<number> {}
  class Oops extends TypeError {
    override name = 'Oops';
  }
  class Bytes extends Uint8Array {}
  for (const type of [Point, Place, Stock, Row, Oops, Bytes]) code.class(type);

  test('instances are restored as instances of the same class', () => {
    const points = Array.from({ length: 10 }, (_, i) => new Point(i, i / 2));
    const copy = roundTrip({ points, same: points[3], place: new Place(1, 2) });
    expect(copy.points[4]).toBeInstanceOf(Point);
    expect(copy.points[4]?.sum).toBe(6);
    expect(copy.points[3]).toBe(copy.same);
    expect(copy.place).toBeInstanceOf(Place);
    expectSame(points);
  });

  test('subclasses of builtins keep both parts without running a constructor', () => {
    const stock = new Stock();
    stock.set('a', 1);
    expectSame([stock, Row.from([1, 2]), new Oops('no'), new Bytes([1, 2])]);
    expect(roundTrip(stock).get('a')).toBe(1);
    expect(roundTrip(Row.from([1, 2])).map((n) => n * 2)).toBeInstanceOf(Row);
  });

  test('a class keeps its identity, and its changed properties are state', () => {
    expect(roundTrip(Point)).toBe(Point);
    expect(roundTrip([Point.prototype])[0]).toBe(Point.prototype);
  });
});

describe('closures', () => {
  test('keep shared variables, self-references and own properties', () => {
    const counter = code.closure((captured) => ++(captured[0] as { v: number }).v);
    const selfish = code.closure((captured) => captured[0]);
    const box = { v: 40 };
    const one = counter(box);
    const two = Object.assign(counter(box), { note: 'two' });
    const self: unknown[] = [];
    self[0] = selfish(self);
    const copy = roundTrip({ one, two, box, self }) as unknown as {
      one(): number;
      two: (() => number) & { note: string };
      box: { v: number };
      self: [() => unknown];
    };
    expect([copy.one(), copy.two(), copy.box.v, copy.two.note]).toEqual([41, 42, 42, 'two']);
    expect(copy.self[0]()).toBe(copy.self);
    expect(box.v).toBe(40);
  });
});

describe('weak collections', () => {
  test('have entries whose keys are reached otherwise, also through other entries', () => {
    const a = {};
    const b = {};
    const lost = {};
    const map = new WeakMap<object, unknown>([
      [a, { b }],
      [b, 'deep'],
      [lost, 'lost'],
    ]);
    const { WeakRef: Ref } = world.ports.realm.ambient as { WeakRef: WeakRefConstructor };
    const copy = roundTrip({ map, a, set: new WeakSet([a, lost]), ref: new Ref(a) });
    expect(copy.ref.deref()).toBe(copy.a);
    expect(copy.set.has(copy.a)).toBe(true);
    expect(copy.map.get((copy.map.get(copy.a) as { b: object }).b)).toBe('deep');
  });
});

describe('host values', () => {
  test('without connection to the outside are restored', () => {
    const copy = roundTrip({
      url: new URL('https://user@example.com:8080/a?b=c#d'),
      query: new URLSearchParams('a=1&a=2'),
      encoder: new TextEncoder(),
      decoder: new TextDecoder('utf-16le', { fatal: true }),
      money: new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }),
      day: new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }),
    });
    expect(copy.url.href).toBe('https://user@example.com:8080/a?b=c#d');
    expect(copy.query.getAll('a')).toEqual(['1', '2']);
    expect(copy.encoder.encode('é')).toEqual(new TextEncoder().encode('é'));
    expect(copy.decoder).toMatchObject({ encoding: 'utf-16le', fatal: true, ignoreBOM: false });
    expect(copy.money.format(1234.5)).toBe(
      new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234.5),
    );
    expect(copy.day.format(0)).toBe('Thursday, 1 January 1970');
  });
});

describe('known objects', () => {
  test('are written by name', () => {
    const { get } = Object.getOwnPropertyDescriptor(Map.prototype, 'size')!;
    const iterator = Object.getPrototypeOf([][Symbol.iterator]()) as object;
    const root = {
      globalThis,
      Math,
      map: Array.prototype.map,
      get,
      iterator,
      parse: JSON.parse,
      species: Symbol.species,
    };
    const copy = roundTrip(root) as Record<string, unknown>;
    for (const [name, value] of Object.entries(root)) expect(copy[name] === value, name).toBe(true);
  });

  test('have changes by the program as state', () => {
    const added = { by: 'the program' };
    const bytes = (() => {
      const arrays: object = Array.prototype;
      Object.defineProperty(arrays, 'extra', { value: added, configurable: true });
      const { name } = Math.max;
      Object.defineProperty(Math.max, 'name', { value: 'biggest', configurable: true });
      try {
        return world.heap.write({ added });
      } finally {
        delete (Array.prototype as { extra?: unknown }).extra;
        Object.defineProperty(Math.max, 'name', { value: name, configurable: true });
      }
    })();
    const copy = world.heap.read(bytes) as { added: unknown };
    expect(Math.max.name).toBe('biggest');
    expect((Array.prototype as { extra?: unknown }).extra).toBe(copy.added);
    expect(copy.added).toEqual(added);
    delete (Array.prototype as { extra?: unknown }).extra;
    Object.defineProperty(Math.max, 'name', { value: 'max', configurable: true });
  });
});

describe('a capture runs no program code', () => {
  test('neither getters nor patched methods', () => {
    const called: string[] = [];
    const patched = new Map<[object, PropertyKey], PropertyDescriptor>();
    const root = {
      list: [1, 2, {}],
      map: new Map([[{}, []]]),
      set: new Set(['a']),
      date: new Date(3),
      text: 'x'.repeat(50),
      getter: {},
    };
    const spy = code.closure((captured) => called.push(captured[0] as string));
    Object.defineProperty(root.getter, 'p', { get: spy('getter'), enumerable: true, configurable: true });
    for (const target of [
      [Map.prototype, 'forEach'],
      [Map.prototype, 'entries'],
      [Set.prototype, 'forEach'],
      [Array.prototype, 'toJSON'],
      [String.prototype, 'charCodeAt'],
      [Date.prototype, 'getTime'],
      [Object.prototype, 'toJSON'],
      [RegExp.prototype, 'exec'],
    ] as [object, PropertyKey][]) {
      patched.set(target, Object.getOwnPropertyDescriptor(...target)!);
      Object.defineProperty(...target, { value: spy(String(target[1])), writable: true, configurable: true });
    }
    try {
      world.heap.write(root);
    } finally {
      for (const [[object, key], descriptor] of patched) {
        if (descriptor === undefined) Reflect.deleteProperty(object, key);
        else Object.defineProperty(object, key, descriptor);
      }
    }
    expect(called).toEqual([]);
  });
});
