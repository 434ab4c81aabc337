// Identity of running code for capture: which function it is, its captured variables, private members of a class, and
// the point where a function is suspended. No foreign code is called to find out.
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createRealm, internals, type Realm } from '@turntable/core';
import { transform, type CodeTable } from '@turntable/transform';

type AnyFunction = (...args: unknown[]) => unknown;

interface Loaded {
  readonly realm: Realm;
  readonly table: CodeTable;
  readonly record: object;
  readonly exports: Record<string, AnyFunction>;
}

function load(source: string): Loaded {
  const realm = createRealm({ queueMicrotask, nextTick: process.nextTick });
  const { code, table } = transform(source, { path: 'program.cjs', kind: 'commonjs' });
  const module = { exports: {} as Record<string, AnyFunction> };
  const record = { scope: () => undefined };
  const factory = new Script(code, { filename: 'program.cjs' }).runInThisContext() as (...args: unknown[]) => void;
  Reflect.apply(factory, module.exports, [record, realm, module.exports, undefined, module, 'program.cjs', '.']);
  return { realm, table, record, exports: module.exports };
}

describe('a function', () => {
  it('is identified by its index in the table and its captured variables', () => {
    const { realm, table, record, exports } = load(`
      exports.make = function make(start) {
        let n = start;
        const step = 2;
        return { next: () => (n += step), peek() { return n; }, plain: (x) => x + 1 };
      };
    `);
    const made = exports['make']?.(40) as Record<string, AnyFunction>;
    const next = realm.identify(made['next'] as never);
    const peek = realm.identify(made['peek'] as never);
    expect(next?.module).toBe(record);
    const entry = table.functions[next?.ordinal ?? -1];
    const captured = new Map(entry?.captures.map((name, index) => [name, next?.captures[index]]));
    expect(entry?.name).toBe('next');
    expect(captured).toEqual(
      new Map<string, unknown>([
        ['n', { v: 40 }],
        ['step', 2],
      ]),
    );
    expect(entry?.boxed[entry.captures.indexOf('n')]).toBe(true);
    // The two share the variable, not only its value.
    expect(peek?.captures[0]).toBe(captured.get('n'));
    made['next']?.();
    expect(peek?.captures).toEqual([{ v: 42 }]);
    expect(realm.identify(made['plain'] as never)?.captures).toEqual([]);
  });

  it('is not called unless its code is transformed', () => {
    const { realm } = load('');
    let called = 0;
    const foreign = (): number => called++;
    expect(realm.identify(foreign as never)).toBeUndefined();
    expect(realm.identify(Math.max as never)).toBeUndefined();
    expect(realm.identify(foreign.bind(null) as never)).toBeUndefined();
    expect(called).toBe(0);
  });

  it('reports its captured variables whatever its parameters are', () => {
    const { realm, exports } = load(`
      exports.make = (a, b) => [
        function ({ x }, [y] = [a], ...rest) { return b; },
        (p = a, { q } = b) => [p, q],
        ({ r }) => a + r,
        async ({ s }, t = b) => [s, t],
        function* ({ u }) { yield a; },
      ];
    `);
    const made = exports['make']?.('A', 'B') as AnyFunction[];
    expect(made.map((fn) => realm.identify(fn as never)?.captures)).toEqual([
      ['A', 'B'],
      ['A', 'B'],
      ['A'],
      ['B'],
      ['A'],
    ]);
  });
});

describe('a class', () => {
  it('gives access to private state and to variables captured by its members', () => {
    const { realm, exports } = load(`
      exports.make = (limit) => class Cart {
        #items = ['first'];
        static #made = 3;
        get full() { return this.#items.length >= limit && Cart.#made > 0; }
      };
    `);
    const Cart = exports['make']?.(9) as new () => object;
    const identity = realm.classOf(Cart);
    const cart = new Cart();
    expect(identity?.captures?.()).toEqual([9]);
    expect(identity?.privates?.['items']?.get(cart)).toEqual(['first']);
    expect(identity?.privates?.['items']?.has(cart)).toBe(true);
    expect(identity?.privates?.['items']?.has({})).toBe(false);
    identity?.privates?.['items']?.set(cart, ['second']);
    expect(identity?.privates?.['items']?.get(cart)).toEqual(['second']);
    expect(identity?.privates?.['made']?.get(Cart)).toBe(3);
  });
});

describe('a suspended function', () => {
  it('keeps exactly the live variables in the slots that the table names', () => {
    const { realm, table, exports } = load(`
      exports.run = async (price, never) => {
        let total = price * 2;
        const name = 'cart';
        const gone = 'not used again';
        await never;
        return name + total;
      };
    `);
    const never = new (realm.Promise as PromiseConstructor)(() => undefined);
    exports['run']?.(21, never);
    const frame = internals.read(realm, never)?.fields['waiting'] as Record<string, unknown> & { pc: number };
    expect(frame).toBeInstanceOf(realm.Frame);
    const { step } = table.functions[0] ?? {};
    const point = step?.points[frame.pc - 1];
    const live = Object.fromEntries((point?.live ?? []).map((slot) => [step?.slots[slot], frame[`s${slot}`]]));
    expect(live).toEqual({ name: 'cart', total: 42 });
  });
});
