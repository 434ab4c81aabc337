// Functions, classes, instances with private members and suspended frames are written to bytes and restored by the
// second form of their file. The original, a copy, and a copy of the copy must behave the same, each used separately.
import { types } from 'node:util';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createRealm, ModuleGraph, type ModuleRecord, type Realm } from '@turntable/core';
import { CodeAdapters, codePorts, Heap, KnownObjects, createModuleAdapter, type CodeFactories } from '@turntable/heap';
import { transform } from '@turntable/transform';
import { createEngineView } from '../../packages/loader/src/realm/engine-view.ts';

type Exports = Record<string, (...args: unknown[]) => unknown>;
type AnyFunction = (...args: never[]) => unknown;

class World {
  readonly source: string;
  readonly realm: Realm = createRealm({ queueMicrotask, nextTick: process.nextTick } as never);
  readonly code: CodeAdapters;
  readonly heap: Heap;
  readonly record: ModuleRecord;
  factories: CodeFactories | undefined;

  constructor(source: string, world?: World) {
    this.source = source;
    const { code, table } = transform(source, { path: 'program.cjs', kind: 'commonjs' });
    const graph = new ModuleGraph({ realmForCode: this.realm } as never, {} as never);
    this.record = graph.commonjs('program.cjs', table.module as never);
    this.code = new CodeAdapters(this.realm, {
      entriesOf: () => table,
      factoriesOf: () => this.factories as CodeFactories,
    });
    const known = new KnownObjects(this.realm, { isProxy: types.isProxy });
    const modules = createModuleAdapter({ numberOf: () => 0, recordAt: () => this.record });
    const ports = codePorts(this.code);
    const adapters = [...(ports.adapters ?? []), modules];
    this.heap = new Heap({ realm: this.realm, types, known, ...ports, adapters, weakKeys });
    if (world === undefined) {
      const exports = {};
      this.record.parameters = [exports, undefined, { exports }, 'program.cjs', '.'];
      this.run(code);
    } else {
      // Function identities allow one file at a time, so the original is written before another world loads the file.
      const bytes = world.heap.write(world.record);
      const before = world.heap.hash(world.record);
      const [selection] = world.code.selection();
      const restored = transform(source, { path: 'program.cjs', kind: 'commonjs', restore: selection ?? NONE });
      this.factories = this.run(restored.code) as CodeFactories;
      expect(this.heap.read(bytes)).toBe(this.record);
      expect(this.heap.hash(this.record)).toBe(before);
    }
  }

  get exports(): Exports {
    return this.record.parameters?.[0] as Exports;
  }

  run(code: string): unknown {
    const factory = new Script(code, { filename: 'program.cjs' }).runInThisContext() as (...args: unknown[]) => unknown;
    return Reflect.apply(factory, this.exports, [this.record, this.realm, ...(this.record.parameters ?? [])]);
  }
}

const engine = createEngineView();
const weakKeys = (collection: object): readonly object[] => engine?.weakKeys(collection as never, 1e6).keys ?? [];
const NONE = { functions: [], classes: [] };

/** Compares the result of `use` in the original, in a copy, and in a copy of the copy. */
function inEachCopy(source: string, name: string, use: (value: never) => unknown): void {
  const original = new World(source);
  const copy = new World(source, original);
  const secondCopy = new World(source, copy);
  const expected = use(original.exports[name] as never);
  expect(use(copy.exports[name] as never)).toEqual(expected);
  expect(use(secondCopy.exports[name] as never)).toEqual(expected);
}

describe('restored functions', () => {
  it('keep captured variables, including shared ones', () => {
    inEachCopy(
      `const base = 100;
       function make(start) { let n = start; return { up: () => ++n + base, read() { return n; }, make }; }
       exports.counter = make(7);`,
      'counter',
      (counter: { up(): number; read(): number; make(n: number): { up(): number } }) => [
        counter.up(),
        counter.up(),
        counter.read(),
        counter.make(1).up(),
      ],
    );
  });

  it('can capture themselves and each other', () => {
    inEachCopy(
      `function make() {
         const odd = (n) => n === 0 ? false : even(n - 1);
         const even = (n) => n === 0 ? true : odd(n - 1);
         const self = () => self;
         function declared(n) { return n <= 1 ? 1 : n * declared(n - 1); }
         return { odd, even, isSelf: () => self() === self, declared };
       }
       exports.it = make();`,
      'it',
      (it: { odd(n: number): boolean; even(n: number): boolean; isSelf(): boolean; declared(n: number): number }) => [
        it.odd(7),
        it.even(7),
        it.isSelf(),
        it.declared(5),
      ],
    );
  });

  it('keep this, arguments and new.target of the function around an arrow function', () => {
    inEachCopy(
      `function Made(a) { this.x = a; this.f = () => [this.x, arguments[1], new.target === Made, arguments.length]; }
       exports.it = new Made(1, 2);`,
      'it',
      (it: { x: number; f(): unknown[] }) => {
        it.x++;
        return it.f();
      },
    );
  });

  it('keep their names, parameters and strictness', () => {
    inEachCopy(
      `exports.it = (function () {
         'use strict';
         let n = 0;
         return [function (a, b = n) {}, () => n, function named() { return named.name + n; }, function () { n; return this; },
           { get size() { return n; }, set size(v) { n = v; }, ['comp' + 'uted']() { return n; } }];
       })();`,
      'it',
      (it: [AnyFunction, AnyFunction, () => string, () => unknown, { size: number; computed(): number }]) => {
        const [first, arrow, named, strict, object] = it;
        object.size = 5;
        return [first.name, first.length, arrow.name, named(), strict(), object.size, object.computed()];
      },
    );
  });

  it('keep their home object', () => {
    inEachCopy(
      `const parent = { hi() { return 'parent ' + this.name; } };
       exports.it = { __proto__: parent, name: 'child', hi() { return 'child of ' + super.hi(); }, late() { return () => super.hi(); } };
       exports.it.bound = exports.it.late();`,
      'it',
      (it: { hi(): string; bound(): string }) => [it.hi(), it.bound()],
    );
  });

  it('keep constants constant', () => {
    inEachCopy(
      `function make() { const c = 1; return { set: () => { c = 2; }, get: () => c }; }
       exports.it = make();`,
      'it',
      (it: { set(): void; get(): number }) => {
        let thrown = '';
        try {
          it.set();
        } catch (error) {
          thrown = String(error);
        }
        return [thrown, it.get()];
      },
    );
  });

  it('return the same strings object for a template', () => {
    inEachCopy(
      `const tag = (strings) => strings;
       function make() { let n = 0; return () => (n++, tag\`a\${n}b\`); }
       exports.it = make();`,
      'it',
      (it: () => unknown) => [it() === it(), it()],
    );
  });
});

describe('restored classes', () => {
  it('keep members, statics and captured variables without evaluating anything', () => {
    inEachCopy(
      `let evaluated = 0;
       function make(tag) {
         let calls = 0;
         return class Local {
           static made = (evaluated++, []);
           static { this.made.push('block'); }
           [(evaluated++, 'key' + tag)] = calls;
           label = tag + calls;
           constructor(x = calls++) { this.x = x; calls++; }
           get doubled() { return this.x * 2; }
           ['m' + tag](n) { return [n, tag, calls, evaluated]; }
           static of(x) { return new this(x); }
         };
       }
       exports.it = make('T');
       exports.it.of(3);`,
      'it',
      (Local: {
        new (x?: number): Record<string, unknown> & { mT(n: number): unknown };
        of(x: number): unknown;
        made: string[];
      }) => {
        Local.made.push('more');
        const one = new Local(4);
        return [Object.entries(one), one['doubled'], one.mT(1), Local.made, Local.name, Object.entries(new Local())];
      },
    );
  });

  it('stay keys of weak collections, as do their otherwise unreachable members and prototypes', () => {
    inEachCopy(
      `class Kept { method() {} static made() {} get part() { return 1; } }
      function Old() {}
      class Gone { method() {} }
      const part = (object) => Object.getOwnPropertyDescriptor(object, 'part').get;
      const keys = () => [Kept.prototype.method, Kept.made, part(Kept.prototype), Kept.prototype, Old.prototype];
      const said = new WeakMap(keys().map((key, i) => [key, i]).concat([[Gone.prototype.method, 'gone']]));
      const met = new WeakSet(keys());
      exports.told = () => keys().map((key) => [said.get(key), met.has(key)]);`,
      'told',
      (call: () => unknown) => call(),
    );
  });

  it('keep instances with private fields, methods and brands', () => {
    inEachCopy(
      `class Base { #secret; static #count = 0; constructor(s) { this.#secret = s; Base.#count++; } peek() { return this.#secret; } static count() { return Base.#count; } }
       class Derived extends Base {
         #own = [1];
         shown = 'x';
         static is(o) { return #own in o; }
         constructor(s, effect = effects.push('constructed')) { super(s); this.effect = effect; }
         add(n) { this.#grow(n); return [super.peek(), ...this.#own, this.#last]; }
         #grow(n) { this.#own.push(n); }
         get #last() { return this.#own.at(-1); }
         later() { return () => [this.#own.length, super.peek()]; }
       }
       const effects = [];
       const d = new Derived('s');
       exports.it = { d, later: d.later(), Derived, Base, effects };`,
      'it',
      (it: {
        d: { add(n: number): unknown };
        later(): unknown;
        Derived: { new (s: string): { peek(): unknown }; is(o: unknown): boolean };
        Base: { count(): number };
        effects: string[];
      }) => [
        it.effects.length,
        it.d.add(5),
        it.later(),
        it.Derived.is(it.d),
        it.Derived.is({}),
        new it.Derived('t').peek(),
        it.Base.count(),
        Object.keys(it.d),
      ],
    );
  });

  it('stay distinct when the same class was evaluated twice', () => {
    inEachCopy(
      `const mix = (tag) => class { #t = tag; read() { return this.#t; } static has(o) { return #t in o; } };
       const A = mix('a'), B = mix('b');
       exports.it = { A, B, a: new A(), b: new B() };`,
      'it',
      (it: {
        A: { has(o: unknown): boolean };
        B: { has(o: unknown): boolean };
        a: { read(): string };
        b: { read(): string };
      }) => [it.a.read(), it.b.read(), it.A.has(it.a), it.A.has(it.b), it.B.has(it.b)],
    );
  });

  it('include constructor functions with additions to their prototypes', () => {
    inEachCopy(
      `function Animal(name) { this.name = name; }
       Animal.prototype.speak = function () { return this.name + ' ' + this.sound(); };
       Animal.kinds = ['dog'];
       function Dog() { Animal.call(this, 'dog'); }
       Dog.prototype = Object.create(Animal.prototype, { constructor: { value: Dog } });
       Dog.prototype.sound = () => 'wau';
       function Unused() {}
       Unused.prototype.later = function () { return 'later'; };
       exports.it = { Animal, Dog, Unused, dog: new Dog() };`,
      'it',
      (it: {
        Animal: { kinds: string[] };
        Dog: new () => { speak(): string };
        Unused: new () => { later(): string };
        dog: { speak(): string };
      }) => [
        it.dog.speak(),
        new it.Dog().speak(),
        new it.Unused().later(),
        it.Animal.kinds,
        it.dog instanceof it.Dog,
        it.dog.constructor === it.Dog,
        Object.keys(it.Dog.prototype as object),
      ],
    );
  });

  it('can extend builtins', () => {
    inEachCopy(
      `class Cache extends Map { #hits = 0; get(k) { this.#hits++; return super.get(k); } get hits() { return this.#hits; } }
       class Stack extends Array { #max; constructor(max) { super(); this.#max = max; } add(x) { if (this.length < this.#max) this.push(x); return this.length; } }
       class Failure extends Error { #code = 7; get code() { return this.#code; } name = 'Failure'; }
       const cache = new Cache([['a', 1]]); cache.get('a');
       const stack = new Stack(2); stack.add('x');
       exports.it = { cache, stack, failure: new Failure('no', { cause: cache }), Cache, Failure };`,
      'it',
      (it: {
        cache: Map<string, number> & { hits: number };
        stack: string[] & { add(x: string): number };
        failure: Error & { code: number };
        Cache: new () => unknown;
        Failure: new (m: string) => Error & { code: number };
      }) => [
        it.cache.get('a'),
        it.cache.hits,
        [...it.cache],
        it.stack.add('y'),
        it.stack.add('z'),
        Array.isArray(it.stack),
        it.failure.code,
        it.failure.message,
        it.failure.cause === it.cache,
        String(it.failure),
        new it.Failure('x').code,
        it.cache instanceof it.Cache,
      ],
    );
  });

  it('keep later changes', () => {
    inEachCopy(
      `class C { a() { return 'a'; } b() { return 'b'; } static s() { return 's'; } [Symbol.iterator]() { return [1, 2][Symbol.iterator](); } get g() { return 1; } set g(v) {} }
       const { a, b } = C.prototype;
       C.prototype.a = function () { return 'new ' + a.call(this); };
       delete C.prototype.b;
       C.prototype.added = 5;
       C.s = () => 'other';
       Object.freeze(C);
       exports.it = { C, b, c: new C() };`,
      'it',
      (it: {
        C: { s(): string };
        b(): string;
        c: { a(): string; added: number; g: number; [Symbol.iterator](): Iterator<number> } & object;
      }) => [
        it.c.a(),
        'b' in it.c,
        it.b(),
        it.c.added,
        it.C.s(),
        Object.isFrozen(it.C),
        [...(it.c as Iterable<number>)],
        it.c.g,
        Reflect.ownKeys(Object.getPrototypeOf(it.c) as object),
      ],
    );
  });

  it('recognise instances that no constructor has created', () => {
    inEachCopy(
      `class C { #p = 1; static has(o) { return #p in o; } read() { return this.#p; } }
       class D extends C { #q = 2; static has(o) { return #q in o; } }
       exports.it = { C, D, made: new D(), bare: Object.create(D.prototype) };`,
      'it',
      (it: {
        C: { has(o: unknown): boolean };
        D: { has(o: unknown): boolean };
        made: { read(): number };
        bare: object;
      }) => [
        it.C.has(it.made),
        it.D.has(it.made),
        it.made.read(),
        it.C.has(it.bare),
        it.D.has(it.bare),
        it.bare instanceof (it.D as never),
      ],
    );
  });

  it('keep private methods that are referenced elsewhere', () => {
    inEachCopy(
      `class C { #n = 1; #up() { return ++this.#n; } get handler() { return this.#up; } static #one() { return 1; } static get one() { return this.#one; } }
       const c = new C();
       exports.it = { c, up: c.handler, one: C.one, C };`,
      'it',
      (it: { c: { handler(): number }; up: (this: unknown) => number; one(): number; C: { one: unknown } }) => [
        it.up === it.c.handler,
        it.up.call(it.c),
        it.one(),
        it.one === it.C.one,
      ],
    );
  });
});

describe('restored suspended functions', () => {
  it('resume where they were suspended', () => {
    inEachCopy(
      `class Box { #n = 1; *run(step) { for (let i = 0; i < 3; i++) { this.#n += step; yield () => [i, this.#n]; } return super.toString(); } }
       const box = new Box();
       exports.it = box.run(10);
       exports.it.next();`,
      'it',
      (it: Generator<() => unknown>) => [...it].map((each) => each()),
    );
  });

  it('stay ended or not begun', () => {
    inEachCopy(
      `function* count(n) { for (let i = 0; i < n; i++) yield i; return 'end'; }
       async function* ticks() { yield 1; }
       const ended = count(1), thrown = count(2), fresh = count(2);
       [...ended];
       try { thrown.throw(new Error('out')); } catch {}
       exports.it = { ended, thrown, fresh, never: ticks() };`,
      'it',
      (it: Record<string, Generator>) => [
        it['ended']?.next(),
        it['thrown']?.next(),
        [...(it['fresh'] as Generator)],
        Object.prototype.toString.call(it['never']),
      ],
    );
  });

  it('wait for eventuals of their own copy', async () => {
    const original = new World(`
      const log = [];
      const { promise, resolve, reject } = Promise.withResolvers();
      async function wait(n) {
        for await (const x of [n, n + 1]) {
          try { log.push(x + (await promise)); } catch (e) { log.push('caught ' + e + x); } finally { log.push('done ' + x); }
        }
        return log.length;
      }
      const outcome = Promise.all([wait(1), wait(10), promise.then((v) => v * 2, (e) => 'no ' + e)]);
      exports.it = { log, resolve, reject, outcome };
    `);
    interface It {
      log: unknown[];
      resolve(n: number): void;
      reject(reason: string): void;
      outcome: Promise<unknown>;
    }
    // Only what waits for the promise is left to run.
    await new Promise(setImmediate);
    const copies = [original, new World(original.source, original)];
    copies.push(new World(original.source, copies[1]));
    const [first, second, third] = copies.map(({ exports }) => exports['it'] as unknown as It);
    first?.resolve(5);
    second?.reject('broken');
    expect(await first?.outcome).toEqual([8, 8, 10]);
    expect(await second?.outcome).toEqual([8, 8, 'no broken']);
    third?.resolve(5);
    expect(await third?.outcome).toEqual([8, 8, 10]);
    expect(third?.log).toEqual(first?.log);
    expect(second?.log).toContain('caught broken11');
  });
});
