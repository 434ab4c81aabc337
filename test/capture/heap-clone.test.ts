// Copies of one value of each kind: equal in every part, with the same sharing, the same nature (constant,
// transferable, pending), and independent of the original. Copies are made in another realm, from bytes, and copied
// again.
import { describe, expect, it } from 'vitest';
import { inEachCopy, CaptureWorld } from './world.ts';

/** Outcome of a promise that is not settled. */
const PENDING = 'pending';

interface Pair<T = number> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/** Current outcome of a promise. */
function outcome(world: CaptureWorld, promise: unknown): unknown {
  let found: unknown = PENDING;
  void (promise as Promise<unknown>).then(
    (value) => (found = value),
    (reason: unknown) => (found = ['rejected', reason]),
  );
  world.settle();
  return found;
}

/** The program, a copy of it, and a copy of the copy. */
function createWorlds(source: string): [CaptureWorld, CaptureWorld, CaptureWorld] {
  const original = CaptureWorld.run(source);
  original.settle();
  const copy = original.copy();
  return [original, copy, copy.copy()];
}

describe('values', () => {
  it('copies primitives exactly', () => {
    const values = `[true, false, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 53, 0.1, -0, NaN, -Infinity, null, undefined, '', 'text', '𝒳 and ü', 'long '.repeat(50), 10n ** 30n, -1n]`;
    const [original, ...copies] = createWorlds(`exports.values = ${values}; exports.hole = [, 1];`);
    const expected = original.exports['values'] as unknown[];
    expect(expected.length).toBe(19);
    for (const { exports } of copies) {
      const found = exports['values'] as unknown[];
      expected.forEach((value, i) => expect(Object.is(found[i], value), String(value)).toBe(true));
      expect(0 in (exports['hole'] as unknown[])).toBe(false);
    }
  });

  it('copies the methods of an object without fields', () => {
    inEachCopy(
      `const answer = 42; class Empty { answer() { return answer; } }
       exports.it = new Empty(); exports.literal = { answer() { return -answer; } };`,
      ({ it: object, literal }: Record<string, { answer(): number }>) => [
        object?.answer(),
        Object.keys(object ?? {}),
        literal?.answer(),
      ],
    );
  });

  it('keeps frozen objects frozen, nested ones too', () => {
    inEachCopy(
      `exports.it = Object.freeze({ a: 1, b: Object.freeze({ c: 'two', list: Object.freeze([1, 2]) }) });`,
      ({ it: object }: { it: { a: number; b: { c: string; list: number[] } } }) => {
        expect(() => object.b.list.push(3)).toThrow(TypeError);
        expect(() => Object.assign(object.b, { c: 'three' })).toThrow(TypeError);
        return [object, [object, object.b, object.b.list].map((each) => Object.isFrozen(each))];
      },
    );
  });

  it('copies every field of an object, independently of the original', () => {
    const [original, copy, secondCopy] = createWorlds(`
      const nested = { deep: ['x'] };
      exports.it = { text: 'string', double: 2.5, int: 7, yes: true, no: false, list: [1, nested], nested, nothing: null, missing: undefined, when: new Date(5), big: 5n };`);
    const [a, b, c] = [original, copy, secondCopy].map(({ exports }) => exports['it'] as Record<string, never>);
    expect(b).toStrictEqual(a);
    expect(c).toStrictEqual(a);
    expect(Object.keys(b ?? {})).toEqual(Object.keys(a ?? {}));
    const before = structuredClone(a);
    const { nested, list, when } = b as unknown as { nested: { deep: string[] }; list: unknown[]; when: Date };
    expect(list[1]).toBe(nested);
    Object.assign(b ?? {}, { text: 'changed', int: 8, added: 1 });
    nested.deep.push('y');
    list.length = 0;
    when.setTime(6);
    expect(a).toStrictEqual(before);
    expect(c).toStrictEqual(before);
  });

  it('keeps a class identical for its instances, variables and subclasses', () => {
    inEachCopy(
      `class Base { static made = 0; constructor() { Base.made++; } }
       class Derived extends Base {}
       exports.it = { Base, Derived, base: new Base(), derived: new Derived(), now: () => [Base, Derived] };`,
      ({ it: all }: { it: Record<string, never> }) => {
        const { Base, Derived, base, derived, now } = all as unknown as {
          Base: { new (): object; made: number };
          Derived: new () => object;
          base: object;
          derived: object;
          now(): unknown[];
        };
        return [
          base.constructor === Base,
          derived.constructor === Derived,
          Object.getPrototypeOf(Derived) === Base,
          derived instanceof Base,
          new Derived() instanceof Base,
          now()[0] === Base && now()[1] === Derived,
          Base.made,
        ];
      },
    );
  });

  it('keeps what a closure computes', () => {
    inEachCopy(
      `const factor = 3; exports.it = (a, b) => a * b * factor;`,
      ({ it: multiply }: { it(a: number, b: number): number }) => [multiply(6, 7), multiply.length, multiply.name],
    );
  });
});

describe('arrays', () => {
  it('are copied with elements of one kind', () => {
    inEachCopy(
      `exports.it = [[1, 2, 3], [1.5, -0.5], [true, false, true], ['a', 'b', ''], [1n, 2n], [-1, 2 ** 40], []];`,
      ({ it: arrays }: { it: unknown[][] }) => [arrays, arrays.map((each) => each.push('on'))],
    );
  });

  it('are copied with mixed elements, including themselves', () => {
    inEachCopy(
      `const list = [1, 'two', null, 3.5, true, undefined, , { x: 1 }, [2]]; list.push(list); exports.it = list;`,
      ({ it: list }: { it: unknown[] }) => [list.slice(0, -1), 6 in list, list.at(-1) === list, list.length],
    );
  });

  it('keep buffers transferable and shared by their views', () => {
    inEachCopy(
      `const bytes = new Uint8Array([1, 2, 250]); exports.it = { bytes, buffer: bytes.buffer, half: bytes.subarray(1), doubles: new Float64Array([1.5, -0]) };`,
      ({ it: views }: { it: { bytes: Uint8Array; buffer: ArrayBuffer; half: Uint8Array; doubles: Float64Array } }) => {
        views.half[0] = 9;
        const seen = [[...views.bytes], Object.is(views.doubles[1], -0), views.bytes.buffer === views.buffer];
        const moved = structuredClone(views.buffer, { transfer: [views.buffer] });
        return [seen, [...new Uint8Array(moved)], views.bytes.length, views.half.length, views.buffer.detached];
      },
    );
  });

  it('stay equal and frozen', () => {
    inEachCopy(`exports.it = Object.freeze([1, 'two', Object.freeze([3])]);`, ({ it: list }: { it: unknown[] }) => {
      expect(() => list.push(4)).toThrow(TypeError);
      expect(() => (list.length = 0)).toThrow(TypeError);
      return [list, Object.isFrozen(list), Object.isFrozen(list[2])];
    });
  });
});

describe('promises', () => {
  const pair = `exports.it = Promise.withResolvers();`;
  const pairs = (source: string): [world: CaptureWorld, it: Pair][] =>
    createWorlds(source).map((world) => [world, world.exports['it'] as Pair]);

  it('stay pending', () => {
    for (const [world, { promise }] of pairs(pair)) {
      expect(promise).toBeInstanceOf(world.realm.Promise);
      expect(outcome(world, promise)).toBe(PENDING);
    }
  });

  it('are not resolved by the resolvers of the original', () => {
    const [[original, first], [copy, second], [secondCopy, third]] = pairs(pair) as [
      [CaptureWorld, Pair],
      [CaptureWorld, Pair],
      [CaptureWorld, Pair],
    ];
    first.resolve(1);
    expect(outcome(original, first.promise)).toBe(1);
    expect(outcome(copy, second.promise)).toBe(PENDING);
    second.reject('no');
    expect(outcome(copy, second.promise)).toEqual(['rejected', 'no']);
    expect(outcome(secondCopy, third.promise)).toBe(PENDING);
    expect(outcome(original, first.promise)).toBe(1);
  });

  it('are resolved once by the copied resolvers', () => {
    for (const [world, { promise, resolve, reject }] of pairs(pair)) {
      resolve(5);
      resolve(6);
      reject('late');
      expect(outcome(world, promise)).toBe(5);
    }
  });

  it('can have other outcomes than their copies', () => {
    const values = [42, 21, 84];
    const all = pairs(`${pair} exports.awaited = (async () => [await exports.it.promise])();`);
    all.forEach(([, { resolve }], i) => resolve(values[i] as number));
    expect(all.map(([world, { promise }]) => outcome(world, promise))).toEqual(values);
    expect(all.map(([world]) => outcome(world, world.exports['awaited']))).toEqual(values.map((value) => [value]));
  });

  it('stay settled with the same outcome', () => {
    const source = `exports.done = Promise.resolve(84); exports.failed = Promise.reject(new RangeError('out')); exports.failed.catch(() => {});
                    exports.chained = exports.done.then((n) => n / 2); exports.object = Promise.resolve(exports);`;
    for (const world of createWorlds(source)) {
      const { exports } = world;
      expect(outcome(world, exports['done'])).toBe(84);
      expect(outcome(world, exports['chained'])).toBe(42);
      expect(outcome(world, exports['object'])).toBe(exports);
      const [state, reason] = outcome(world, exports['failed']) as [string, Error];
      expect([state, reason.message, reason instanceof RangeError]).toEqual(['rejected', 'out', true]);
      expect(world.host.reports).toEqual([]);
    }
  });

  it('are copied with the promises chained to them', () => {
    const all = pairs(`${pair}
      const { promise } = exports.it;
      exports.doubled = promise.then((n) => n * 2);
      exports.adopted = new Promise((resolve) => resolve(promise));
      exports.deeper = exports.doubled.then((n) => n + 1).finally(() => {});
      exports.both = Promise.all([exports.doubled, exports.adopted, 'plain']);
      exports.caught = promise.then(() => { throw new Error('thrown'); }).catch((e) => e.message);`);
    const names = ['doubled', 'adopted', 'deeper', 'both', 'caught'];
    all.forEach(([world, { resolve }], i) => {
      expect(names.map((name) => outcome(world, world.exports[name]))).toEqual(names.map(() => PENDING));
      resolve(i + 1);
      const n = i + 1;
      expect(names.map((name) => outcome(world, world.exports[name]))).toEqual([
        2 * n,
        n,
        2 * n + 1,
        [2 * n, n, 'plain'],
        'thrown',
      ]);
    });
  });

  it('deliver waiting messages in order', () => {
    const all = pairs(`
      exports.it = Promise.withResolvers();
      exports.log = [];
      class Account { #sum = 0; deposit(n) { this.#sum += n; exports.log.push(this.#sum); return this.#sum; } }
      exports.Account = Account;
      const send = async (n) => (await exports.it.promise).deposit(n);
      exports.replies = [send(1), send(10), exports.it.promise.then((account) => account.deposit(100))];`);
    for (const [world, { resolve }] of all) {
      const { exports } = world;
      resolve(new (exports['Account'] as new () => never)());
      expect((exports['replies'] as unknown[]).map((reply) => outcome(world, reply))).toEqual([1, 11, 111]);
      expect(exports['log']).toEqual([1, 11, 111]);
    }
  });

  it('run their callbacks in every copy with the outcome there', () => {
    const all = pairs(`exports.it = Promise.withResolvers(); exports.seen = [];
      exports.it.promise.then((value) => exports.seen.push(value), (reason) => exports.seen.push('failed ' + reason));`);
    all.forEach(([world, { resolve, reject }], i) => {
      if (i === 1) reject('in the copy');
      else resolve(42);
      world.settle();
      expect(world.exports['seen']).toEqual(i === 1 ? ['failed in the copy'] : [42]);
    });
  });
});
