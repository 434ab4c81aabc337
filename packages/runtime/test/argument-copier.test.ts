import { types } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentCopier } from '../src/messaging/send/argument-copier.ts';

const references = new Map<object, object>();
const copier = new ArgumentCopier({ referenceFor: (value) => references.get(value), types });

function copyArgument<T>(value: T): T {
  return copier.copy(value, () => 'args[0] of Cart.add') as T;
}

function refusalMessage(value: unknown): string {
  try {
    copyArgument(value);
  } catch (error) {
    expect(error).toMatchObject({ name: 'RuntimeError', code: 'TT_NOT_PASSABLE' });
    return (error as Error).message;
  }
  return 'passed';
}

/** Objects that can be reached from both values. */
function commonObjects(a: unknown, b: unknown): object[] {
  const reach = (root: unknown): Set<object> => {
    const seen = new Set<object>();
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return;
      seen.add(value);
      for (const key of Reflect.ownKeys(value)) visit((value as Record<PropertyKey, unknown>)[key]);
      if (value instanceof Map) for (const pair of value) visit(pair);
      if (value instanceof Set) for (const member of value) visit(member);
    };
    visit(root);
    return seen;
  };
  const left = reach(a);
  return [...reach(b)].filter((object) => left.has(object));
}

const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(
      fc.string(),
      fc.double(),
      fc.integer(),
      fc.bigInt(),
      fc.boolean(),
      fc.constantFrom(null, undefined, -0, Symbol.for('x'), Symbol.iterator),
      fc.date(),
      fc.constantFrom(/a+/gi, new Uint8Array([1, 2]), Object(3) as object),
    ),
    fc.array(tie('value'), { maxLength: 12 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 12 }),
    fc.array(fc.tuple(tie('value'), tie('value'))).map((entries) => new Map(entries)),
    fc.array(tie('value')).map((members) => new Set(members)),
  ),
}));

describe('copied argument', () => {
  it('is equal and shares no object with the original', () => {
    fc.assert(
      fc.property(data.value, (value) => {
        const passed = copyArgument(value);
        expect(passed).toStrictEqual(value);
        expect(commonObjects(value, passed)).toEqual([]);
      }),
    );
  });

  it('keeps shared structure, cycles included', () => {
    const shared = { n: 1 };
    const list: unknown[] = [shared, new Map([[shared, shared]]), new Set([shared])];
    for (let i = 0; i < 20; i++) list.push({ i, shared, list });
    const passed = copyArgument(list) as [
      object,
      Map<object, object>,
      Set<object>,
      ...{ shared: object; list: unknown }[],
    ];
    const [copy, map, set, ...rest] = passed;
    expect(copy).toEqual({ n: 1 });
    expect(copy).not.toBe(shared);
    expect([...map][0]).toEqual([copy, copy]);
    expect(map.get(copy)).toBe(copy);
    expect(set.has(copy)).toBe(true);
    expect(rest.every((each) => each.shared === copy && each.list === passed)).toBe(true);
  });

  it('keeps holes, null prototypes and the properties of a match', () => {
    const holes: unknown[] = [];
    holes[0] = 1;
    holes[2] = 3;
    holes.length = 4;
    const passed = copyArgument(holes);
    expect([passed.length, 1 in passed, 2 in passed]).toEqual([4, false, true]);
    expect(Object.getPrototypeOf(copyArgument(Object.assign(Object.create(null), { a: 1 })))).toBe(null);
    const match = /(?<year>\d+)-(\d)/.exec('on 2026-1') as RegExpExecArray;
    expect(copyArgument(match)).toStrictEqual(match);
    expect(copyArgument(match).groups).toEqual({ year: '2026' });
  });

  it('keeps views of a shared buffer, and takes only its own part of a pool', () => {
    const buffer = new ArrayBuffer(16);
    const [bytes, numbers, view] = [new Uint8Array(buffer, 4, 4), new Float64Array(buffer), new DataView(buffer, 8)];
    numbers[0] = 1.5;
    const passed = copyArgument({ bytes, numbers, view, buffer });
    expect(passed.bytes.buffer).toBe(passed.buffer);
    expect(passed.numbers.buffer).toBe(passed.buffer);
    expect(passed.view.buffer).toBe(passed.buffer);
    expect(passed.buffer).not.toBe(buffer);
    expect([passed.bytes.byteOffset, passed.bytes.length, passed.numbers[0], passed.view.byteLength]).toEqual([
      4, 4, 1.5, 8,
    ]);
    const text = Buffer.from('hello');
    expect(Buffer.isBuffer(copyArgument(text))).toBe(true);
    expect([copyArgument(text).toString(), copyArgument(text).buffer.byteLength]).toEqual(['hello', 5]);
  });

  it('keeps the class, cause, fields and stack of an error', () => {
    class Sold extends RangeError {
      readonly sku: string;
      constructor(sku: string, options?: ErrorOptions) {
        super(`${sku} is sold`, options);
        this.sku = sku;
      }
    }
    const error = new Sold('x1', { cause: new TypeError('inner') });
    const passed = copyArgument(error);
    expect(passed).toBeInstanceOf(Sold);
    expect(passed).not.toBe(error);
    expect(types.isNativeError(passed)).toBe(true);
    expect([passed.message, passed.sku, passed.stack]).toEqual(['x1 is sold', 'x1', error.stack]);
    expect(passed.cause).toBeInstanceOf(TypeError);
    expect(passed.cause).not.toBe(error.cause);
    const many = new AggregateError([error, new Error('b')], 'two');
    expect(copyArgument(many).errors.map((each: Error) => each.message)).toEqual(['x1 is sold', 'b']);
    expect(Object.keys(passed)).toEqual(['sku']);
  });

  it('keeps the internal fields of a DOMException', () => {
    const error = new DOMException('too late', 'TimeoutError');
    const passed = copyArgument(error);
    expect(passed).toBeInstanceOf(DOMException);
    expect(passed).not.toBe(error);
    expect([passed.message, passed.name, passed.code, passed.stack]).toEqual([
      'too late',
      'TimeoutError',
      error.code,
      error.stack,
    ]);
  });

  it('has the properties that a proxy of a plain object shows', () => {
    const shown = new Proxy({ a: 1 }, { get: (target, key) => [Reflect.get(target, key)] });
    expect(copyArgument({ shown })).toEqual({ shown: { a: [1] } });
  });

  it('has references for objects that pass by reference', () => {
    const [root, reference] = [new (class Cart {})(), { far: true }];
    references.set(root, reference);
    expect((copyArgument({ list: [root, root] }).list as unknown[]).every((each) => each === reference)).toBe(true);
    references.clear();
  });

  it('can contain an accessor that sends a message', () => {
    const shared = { n: 1 };
    const value = {
      first: shared,
      get inner(): unknown {
        return copyArgument({ shared });
      },
      last: shared,
    };
    const passed = copyArgument(value) as { first: object; inner: { shared: object }; last: object };
    expect(passed.first).toBe(passed.last);
    expect(passed.inner.shared).not.toBe(passed.first);
  });
});

function structuredCloned(buffer: ArrayBuffer): ArrayBuffer {
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

describe('refused argument', () => {
  const symbol = Symbol('secret');
  class User {
    name = 'Ann';
  }
  const cases: [what: string, value: unknown, message: string][] = [
    [
      'a function',
      { user: { onClick: function save() {} } },
      'user.onClick in args[0] of Cart.add: the function "save" cannot leave its actor; pass data, or an object with a method, wrapped in far(…)',
    ],
    [
      'an instance of a class',
      [1, { items: new Map([['a', new User()]]) }],
      '[1].items.get("a") in args[0] of Cart.add: an instance of User is not plain data; pass its data, make its class extend Actor, or pass a reference to it with far(…)',
    ],
    ['a whole argument', () => 1, 'args[0] of Cart.add: the function without a name cannot leave its actor; '],
    [
      'a symbol',
      { key: symbol },
      'key in args[0] of Cart.add: Symbol(secret) is known only to its actor; use Symbol.for(…), or a string',
    ],
    [
      'a name that is a symbol',
      { a: { [symbol]: 1 } },
      'a in args[0] of Cart.add: it has properties with symbol keys; ',
    ],
    ['a Proxy', { 'a b': new Proxy(new User(), {}) }, '["a b"] in args[0] of Cart.add: a Proxy cannot be copied; '],
    [
      'shared memory',
      { view: new Uint8Array(new SharedArrayBuffer(8)) },
      'view in args[0] of Cart.add: two actors would have access to shared memory; ',
    ],
    [
      'a subclass of a collection',
      new (class Bag extends Map {})(),
      'args[0] of Cart.add: an instance of Bag is not plain data; ',
    ],
    [
      'a generator',
      { items: (function* (): Generator<number> {})() },
      'items in args[0] of Cart.add: an object of the kind Generator is not plain data; ',
    ],
    ['an iterator', new Map().keys(), 'args[0] of Cart.add: an object of the kind Map Iterator is not plain data; '],
    [
      'an heir',
      Object.create({ a: 1 }),
      'args[0] of Cart.add: an object that inherits from an instance of Object is not plain',
    ],
    [
      'a symbol in a box',
      { key: Object(symbol) as object },
      'key in args[0] of Cart.add: Symbol(secret) is known only to its actor; ',
    ],
    [
      'memory that has been transferred',
      [structuredCloned(new ArrayBuffer(4))],
      '[0] in args[0] of Cart.add: its memory was transferred; pass it before the transfer, or pass a copy',
    ],
    ['a WeakMap', new WeakMap(), 'args[0] of Cart.add: an instance of WeakMap is not plain data; '],
    [
      'a native promise',
      { then: Promise.resolve(1) },
      'then in args[0] of Cart.add: an instance of Promise is not plain data; ',
    ],
  ];
  for (const [what, value, message] of cases) {
    it(`is named by its path: ${what}`, () => {
      expect(refusalMessage(value).slice(0, message.length)).toBe(message);
    });
  }

  it('leaves no trace', () => {
    const shared = {};
    expect(refusalMessage([shared, () => 1])).toContain('[1] in args[0]');
    const [first, second] = copyArgument([shared, {}]) as [object, object];
    expect(first).not.toBe(shared);
    expect(second).not.toBe(first);
  });
});
