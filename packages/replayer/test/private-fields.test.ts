// Tests how expressions reach private members, in classes as the transform leaves them.
import { describe, expect, it } from 'vitest';
import { createPrivateReader, privateFields, toCompilable } from '../src/replay-process/private-fields.ts';

class Base {
  #id = 1;
  #shared = 'base';
  static readonly privates = {
    id: {
      field: true,
      has: (o: object) => #id in o,
      get: (o: Base) => o.#id,
      set: (o: Base, v: number) => (o.#id = v),
    },
    shared: { field: true, has: (o: object) => #shared in o, get: (o: Base) => o.#shared },
  };
}
class Derived extends Base {
  #shared = 'derived';
  #twice(by: number): number {
    return by * 2 + this.#shared.length;
  }
  static #count = 7;
  static readonly own = {
    shared: { field: true, has: (o: object) => #shared in o, get: (o: Derived) => o.#shared },
    twice: { field: false, has: (o: object) => #twice in o, get: (o: Derived) => o.#twice },
    count: { field: true, has: (o: object) => o === Derived, get: () => Derived.#count },
  };
}
class Plain extends Derived {}

/** What core knows of classes: the class of a prototype, and the private members of a class. */
const classes = {
  ownerOf: (object: object) => [Base, Derived, Plain].find(({ prototype }) => prototype === object),
  classOf: (value: unknown) =>
    value === Base
      ? { privates: Base.privates }
      : value === Derived
        ? { privates: Derived.own }
        : value === Plain
          ? { privates: null }
          : undefined,
} as unknown as Parameters<typeof createPrivateReader>[0];

it('private fields are those of all classes, base classes first, without methods', () => {
  expect(privateFields(classes, new Base())).toEqual([
    ['#id', 1],
    ['#shared', 'base'],
  ]);
  for (const object of [new Derived(), new Plain()])
    expect(privateFields(classes, object)).toEqual([
      ['#id', 1],
      ['#shared', 'base'],
      ['#shared', 'derived'],
    ]);
  expect(privateFields(classes, Derived)).toEqual([['#count', 7]]);
  expect(privateFields(classes, {})).toEqual([]);
  // Objects that only inherit from a class have no fields, and no trap of a proxy runs.
  expect(privateFields(classes, Object.create(Derived.prototype) as object)).toEqual([]);
  const trapped = new Proxy(new Derived(), {
    getPrototypeOf() {
      throw new Error('a trap ran');
    },
  });
  expect(privateFields(classes, trapped)).toEqual([]);
  expect(privateFields(classes, Object.create(trapped) as object)).toEqual([]);
});

describe('an expression', () => {
  const read = createPrivateReader(classes);

  it('reads the member of the most derived class that has one', () => {
    expect(read(new Derived(), '#shared', 'value', false)).toBe('derived');
    expect(read(new Base(), '#shared', 'value', false)).toBe('base');
    expect(read(new Plain(), '#id', 'value', false)).toBe(1);
    expect(read(Derived, '#count', 'value', false)).toBe(7);
    for (const object of [{}, undefined, null, 1, new Base()])
      expect(() => read(object, '#twice', 'value', false)).toThrow('it has no private field #twice');
    expect(() => read(new Derived(), '#toString', 'value', false)).toThrow('it has no private field #toString');
  });

  it('asks whether an object has a member, calls methods and assigns fields', () => {
    expect(read(new Derived(), '#twice', 'in', false)).toBe(true);
    expect(read(new Base(), '#twice', 'in', false)).toBe(false);
    expect(read(1, '#twice', 'in', false)).toBe(false);
    const call = read(new Derived(), '#twice', 'method', false) as (by: number) => number;
    expect(call(4)).toBe(15);
    const object = new Plain();
    const reference = read(object, '#id', 'reference' as never, false) as { v: number };
    expect(reference.v).toBe(1);
    reference.v += 4;
    expect([reference.v, privateFields(classes, object)[0]]).toEqual([5, ['#id', 5]]);
  });

  it('is undefined where an optional chain ends', () => {
    for (const object of [undefined, null]) expect(read(object, '#id', 'value', true)).toBeUndefined();
    expect(read(new Base(), '#id', 'value', true)).toBe(1);
    expect(() => read(0, '#id', 'value', true)).toThrow('it has no private field #id');
  });

  it('is compiled as it is, unless it has private names or types', () => {
    for (const text of ['a + 1', 'this.id', 'a\n// comment']) expect(toCompilable(text)).toBe(text);
    expect(toCompilable('(a as number) + 1')).not.toContain('as number');
    expect(toCompilable('this.#id + 1')).not.toContain('this.#id');
    expect(toCompilable('#id in other')).not.toContain('#id in');
  });
});
