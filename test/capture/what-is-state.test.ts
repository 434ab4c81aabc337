// Values that belong to the state, and mere history: locals that are never read again, bytes of a pool that no view
// shows, parameters shared with `arguments`, variables that can no longer be initialised.
import { describe, expect, it } from 'vitest';
import { inEachCopy, CaptureWorld } from './world.ts';

function settled(source: string): CaptureWorld {
  const world = CaptureWorld.run(source);
  world.settle();
  return world;
}

describe('a suspended function', () => {
  const program = (secret: string, slots = ''): string => `
    const gate = exports.gate = Promise.withResolvers();
    async function work(input) {
      ${slots}
      let size;
      { const gone = { input }; await null; size = gone.input.length; }
      await gate.promise;
      return size;
    }
    exports.done = work(${JSON.stringify(secret)});`;
  /** Nine live locals, so that later ones have no slot of their own. */
  const many = Array.from({ length: 9 }, (_, i) => `const v${i} = ${i};`).join(' ');

  it.each([
    ['in slots', program('abc'), program('xyz')],
    ['beyond the slots', program('abc', many), program('xyz', many)],
  ])('has a state that does not depend on former values of its locals: %s', (_, a, b) => {
    expect(settled(a).hash).toBe(settled(b).hash);
    expect(settled(a).hash).not.toBe(settled(b.replace('"xyz"', '"longer"')).hash);
    const copy = settled(a).copy();
    (copy.exports['gate'] as { resolve(): void }).resolve();
    copy.settle();
    let size: unknown;
    void (copy.exports['done'] as Promise<unknown>).then((value) => (size = value));
    copy.settle();
    expect(size).toBe(3);
  });

  it('holds its arguments before it has begun, and nothing after it has ended', () => {
    inEachCopy(
      `function* g(a, b = [a]) { yield a; yield b; }
       exports.fresh = g(1); exports.ended = g(2); [...exports.ended];`,
      ({ fresh, ended }: { fresh: Iterable<unknown>; ended: Iterator<unknown> }) => [[...fresh], ended.next()],
    );
  });
});

describe('arguments of a sloppy function', () => {
  it('stay shared with parameters captured by closures', () => {
    inEachCopy(
      `function make(a, b) { return { args: arguments, set: (v) => { a = v; }, get: () => a, other: () => b }; }
       exports.it = make(1, 2);
       exports.generator = (function* (a) { yield () => a; arguments[0] = 'changed'; yield a; })('given');
       exports.read = exports.generator.next().value;`,
      ({
        it: made,
        generator,
        read,
      }: {
        it: { args: unknown[]; set(v: unknown): void; get(): unknown; other(): unknown };
        generator: Iterator<unknown>;
        read(): unknown;
      }) => {
        made.set('set');
        const seen = [made.args[0], made.get()];
        made.args[0] = 'through arguments';
        return [seen, made.get(), made.other(), made.args.length, generator.next(), read()];
      },
    );
  });
});

describe('a Buffer', () => {
  it('is captured without the rest of its pool', () => {
    const world = CaptureWorld.run(`exports.a = Buffer.from('some text');`);
    const { length } = world.heap.write(world.state);
    Buffer.from('something else that goes into the pool');
    expect(CaptureWorld.run(`exports.a = Buffer.from('some text');`).hash).toBe(
      CaptureWorld.run(`exports.a = Buffer.from('some text');`).hash,
    );
    expect(length).toBeLessThan(500);
    inEachCopy(
      `const a = Buffer.from('overlapping text'); exports.views = [a, a.subarray(4, 9), Buffer.alloc(3)];`,
      ({ views: [a, b, c] }: { views: [Buffer, Buffer, Buffer] }) => {
        b[0] = 33;
        return [a.toString(), b.toString(), c, a instanceof Buffer];
      },
    );
  });
});

describe('a variable that stays uninitialised for ever', () => {
  it('still throws in functions and classes, next to initialised variables', () => {
    inEachCopy(
      `function fail() { throw new Error('left'); }
       const kept = [];
       try {
         const alive = 'alive';
         kept.push(early, () => [alive, late], () => { late = 2; }, class { read() { return [alive, late, Other]; } static of() { return late; } });
         function early() { return late + alive; }
         fail();
         let late = 1;
         class Other { make() { return late; } }
         kept.push(() => ++late, Other);
       } catch (error) { kept.push(error.message); }
       function twice(fails) {
         const use = () => [value, again];
         exports.uses.push(use);
         const again = 'again';
         if (fails) fail();
         const value = { set: true };
         return use;
       }
       exports.uses = [];
       for (const fails of [true, false]) try { twice(fails); } catch {}
       switch (1) { case 0: let never; case 1: kept.push(() => never); }
       exports.kept = kept;`,
      ({ kept, uses }: { kept: unknown[]; uses: (() => unknown)[] }) => {
        const outcome = (use: () => unknown): unknown => {
          try {
            return use();
          } catch (error) {
            return String(error);
          }
        };
        const [early, arrow, set, type, message, other] = kept as [
          () => unknown,
          () => unknown,
          () => unknown,
          new () => { read(): unknown },
          string,
          () => unknown,
        ];
        return [
          ...[
            early,
            arrow,
            set,
            () => new type().read(),
            () => (type as unknown as { of(): unknown }).of(),
            other,
            ...uses,
          ].map(outcome),
          message,
        ];
      },
    );
  });
});

describe('members of a class', () => {
  it('keep their order, including computed keys and members that the program has moved', () => {
    inEachCopy(
      `const key = (name) => 'computed ' + name, symbol = Symbol('own');
       class Base {
         first() {}
         [key('a')]() { return super.toString.length; }
         get [key('size')]() { return 1; }
         set [key('size')](v) {}
         second() {}
         [symbol]() { return 'symbol'; }
         static before() {}
         static [key('static')]() { return 's'; }
         static after() {}
         [5]() {}
         last() {}
       }
       class Changed {
         [key('gone')]() {}
         [key('moved')]() { return 'moved'; }
         kept() {}
         [key('same')]() { return 1; }
         [key('same')]() { return 2; }
       }
       const { ['computed moved']: moved } = Changed.prototype;
       delete Changed.prototype['computed gone'];
       delete Changed.prototype['computed moved'];
       Changed.prototype.elsewhere = moved;
       exports.all = { Base, Changed, symbol };`,
      ({
        all: { Base, Changed, symbol },
      }: Record<
        'all',
        Record<'Base' | 'Changed', new () => Record<PropertyKey, () => unknown>> & { symbol: symbol }
      >) => {
        const [base, changed] = [new Base(), new Changed()];
        const names = [Base.prototype, Base, Changed.prototype].map((each) =>
          Reflect.ownKeys(each as object).map(String),
        );
        return [
          names,
          base['computed a']?.(),
          base['computed size'],
          base[symbol]?.(),
          changed['elsewhere']?.(),
          changed['computed same']?.(),
          Object.keys(Changed.prototype as object),
        ];
      },
    );
  });
});

describe('the name of a function', () => {
  it.each([
    [
      'methods with symbol keys without a description',
      'const key = Symbol(); exports.it = { [key]() {}, get [Symbol()]() {} };',
    ],
    ['members with such symbol keys', 'exports.it = class { [Symbol()]() {} static get [Symbol()]() {} };'],
    ['a class named after a variable', 'let it; it = class {}; exports.it = it;'],
    ['a class whose name was deleted', 'let it; it = class {}; delete it.name; exports.it = it;'],
    ['a class without a name', 'exports.it = [class {}];'],
    ['a class with a static method called name', 'exports.it = class { static name() {} static other() {} };'],
  ])('is restored: %s', (_, source) => {
    const names = (world: CaptureWorld): unknown => {
      const of = (object: object): unknown[] =>
        Reflect.ownKeys(object).map((key) => {
          const { value, get } = Object.getOwnPropertyDescriptor(object, key) as PropertyDescriptor;
          const fn: unknown = get ?? value;
          if (typeof fn !== 'function') return [String(key)];
          const name = Object.getOwnPropertyDescriptor(fn, 'name');
          return [String(key), typeof name?.value === 'function' ? 'a method' : name];
        });
      const { it: subject } = world.exports as { it: object };
      return [of(subject), of((subject as { prototype?: object }).prototype ?? {})];
    };
    const world = CaptureWorld.run(source);
    expect(names(world.copy().copy())).toEqual(names(world));
  });
});

it('functions of every kind keep replaced prototypes', () => {
  inEachCopy(
    `const given = (fn, hello) => Object.setPrototypeOf(fn, hello === null ? null : { hello });
     exports.list = [
       given(() => 1, 'arrow'), given(function () {}, 'function'), given({ m() {} }.m, null), given(async () => 1, 'async'),
       given(function* () {}, 'generator'), given(async function* () {}, 'async generator'),
       given(Object.getOwnPropertyDescriptor(class { get x() { return 1; } }.prototype, 'x').get, 'getter'),
     ];
     exports.ordinary = [() => 1, function () {}, { m() {} }.m, async () => 1, function* () {}, async function* () {}];`,
    ({ list, ordinary }: { list: object[]; ordinary: object[] }) => [
      list.map((fn) => String((Object.getPrototypeOf(fn) as { hello?: string } | null)?.hello)),
      ordinary.map((fn) => Object.prototype.toString.call(fn)),
    ],
  );
});
