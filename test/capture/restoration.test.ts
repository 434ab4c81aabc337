// Functions, classes, instances with private members and suspended frames are made again from the form of a file that restores,
// with what they captured, and go on as the originals would. The copier below keeps identity and cycles; it stands for the heap.
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createRealm, internals, type CoreKind, type Realm } from '@turntable/core';
import { transform, type CodeTable } from '@turntable/transform';

type AnyFunction = (...args: never[]) => unknown;
type Exports = Record<string, (...args: unknown[]) => unknown>;

interface Made {
  fill?: (captures: readonly unknown[]) => void;
  members?: Map<number, AnyFunction>;
}

interface Factories {
  functions: Record<number, (made: Made) => AnyFunction>;
  classes: Record<number, (made: Made, heritage: unknown, keys: readonly PropertyKey[]) => AnyFunction>;
  steps: Record<number, AnyFunction>;
}

class Original {
  readonly realm: Realm = createRealm({ queueMicrotask, nextTick: process.nextTick });
  readonly exports: Exports = {};
  readonly table: CodeTable;
  readonly record: {
    readScope?: () => unknown[];
    scope(read: () => unknown[]): void;
    template(n: number, cooked: string[]): string[];
  };
  readonly source: string;

  constructor(source: string) {
    this.source = source;
    const { code, table } = transform(source, { path: 'program.cjs', kind: 'commonjs' });
    this.table = table;
    const templates: string[][] = [];
    this.record = {
      template: (n, cooked) => (templates[n] ??= cooked),
      scope(read) {
        this.readScope = read;
      },
    };
    run(code, this.record, this.realm, this.exports);
  }

  /** Everything the file's top scope and `value` lead to, once more. */
  copy<T>(value: T): T {
    const { functions, classes } = this.table;
    const { code } = transform(this.source, {
      path: 'program.cjs',
      kind: 'commonjs',
      restore: {
        functions: [...functions.keys()].filter((n) => functions[n]?.class === null),
        classes: [...classes.keys()],
      },
    });
    let write: ((values: readonly unknown[]) => void) | undefined;
    const record = {
      template: this.record.template,
      scope: (_: unknown, writer?: typeof write) => {
        write = writer;
      },
    };
    const found = this.record.readScope?.();
    const copier = new Copier(this, () => run(code, record, this.realm, {}) as Factories);
    copier.ask(value);
    const scope = found?.map((each) => copier.copy(each));
    const copy = copier.copy(value);
    copier.finish();
    if (scope !== undefined) write?.(scope);
    return copy as T;
  }
}

function run(code: string, record: object, realm: Realm, exports: object): unknown {
  const factory = new Script(code, { filename: 'program.cjs' }).runInThisContext() as (...args: unknown[]) => unknown;
  return Reflect.apply(factory, exports, [record, realm, exports, undefined, { exports }, 'program.cjs', '.']);
}

class Copier {
  private readonly copies = new Map<unknown, unknown>();
  private readonly later: (() => void)[] = [];
  #factories: Factories | undefined;
  private readonly answers = new Map<AnyFunction, { ordinal: number; captures: unknown[]; step?: boolean }>();
  private readonly original: Original;
  private readonly members = new Map<unknown, Map<number, AnyFunction> | undefined>();

  constructor(original: Original, makeFactories: () => Factories) {
    this.original = original;
    const { identify } = original.realm;
    // Identities are asked while the file's name still means the original.
    const seen = new Set<unknown>();
    const ask = (value: unknown): void => {
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
      seen.add(value);
      if (typeof value === 'function') {
        const identity = identify(value as never);
        if (identity !== undefined) this.answers.set(value as AnyFunction, identity);
        identity?.captures.forEach(ask);
        original.realm.classOf(value)?.captures?.().forEach(ask);
      }
      for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(value))) {
        ask(descriptor.value);
        ask(descriptor.get);
        ask(descriptor.set);
      }
      const core = internals.read(original.realm, value);
      if (core !== undefined) Object.values(core.fields).forEach(ask);
      const { p, home } = value as {
        p?: Record<string, { get: (o: unknown) => unknown; has: (o: unknown) => boolean }>;
        home?: object;
      };
      if (home !== undefined && p !== undefined) ask(home);
      for (const type of chainOf(original.realm, value)) {
        ask(type);
        for (const accessors of Object.values(original.realm.classOf(type)?.privates ?? {})) {
          if (accessors.has(value)) ask(accessors.get(value));
        }
      }
    };
    this.ask = ask;
    original.record.readScope?.().forEach(ask);
    this.makeFactories = makeFactories;
  }

  readonly ask: (value: unknown) => void;
  private readonly makeFactories: () => Factories;

  copy(value: unknown): unknown {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    this.#factories ??= this.makeFactories();
    if (this.copies.has(value)) return this.copies.get(value);
    return this.make(value);
  }

  finish(): void {
    for (let next = this.later.shift(); next !== undefined; next = this.later.shift()) next();
  }

  private make(value: object): unknown {
    const { realm } = this.original;
    const known =
      Object.values(internals.wellKnown(realm)).includes(value) ||
      (typeof value === 'function' && /\[native code\]/.test(Function.prototype.toString.call(value)));
    if (known || value === Object.prototype || value === Function.prototype || value === Array.prototype) return value;
    if (typeof value === 'function') return this.makeFunction(value as AnyFunction);
    const type = value.constructor as object;
    if (type === realm.classOf({}) || (Object.hasOwn(value, 'home') && Object.hasOwn(value, 'p'))) {
      const home = this.copy((value as { home: object }).home) as object;
      const handle = realm.classOf(home)?.handle;
      this.copies.set(value, handle);
      return handle;
    }
    const core = internals.read(realm, value);
    if (core !== undefined) {
      const copy = internals.allocate(realm, core.kind as CoreKind);
      this.copies.set(value, copy);
      this.later.push(() => {
        const fields = Object.fromEntries(Object.entries(core.fields).map(([key, each]) => [key, this.copy(each)]));
        internals.fill(realm, copy, { kind: core.kind, fields });
      });
      return copy;
    }
    return this.makeObject(value);
  }

  private makeFunction(fn: AnyFunction): unknown {
    const { realm } = this.original;
    const made: Made = {};
    const type = realm.classOf(fn);
    if (type !== undefined) {
      const heritage = Object.getPrototypeOf(fn) === Function.prototype ? null : this.copy(Object.getPrototypeOf(fn));
      const make = this.#factories?.classes[type.ordinal];
      const copy = make?.(made, heritage, type.keys) as AnyFunction;
      this.copies.set(fn, copy);
      this.members.set(copy, made.members);
      for (const own of [fn, fn.prototype as object].flatMap((each) => allDescriptors(each))) {
        for (const kind of ['value', 'get', 'set'] as const) {
          const member = own[kind] as AnyFunction | undefined;
          const answer = typeof member === 'function' ? this.answers.get(member) : undefined;
          if (member !== undefined && answer !== undefined && !this.copies.has(member))
            this.copies.set(member, made.members?.get(answer.ordinal));
        }
      }
      this.copies.set(fn.prototype, copy.prototype);
      this.later.push(() => {
        made.fill?.(type.captures?.().map((each) => this.copy(each)) ?? []);
        this.copyProperties(fn, copy);
        this.copyProperties(fn.prototype as object, copy.prototype as object);
        this.copyPrivates(fn, fn, copy);
      });
      return copy;
    }
    const answer = this.answers.get(fn);
    if (answer === undefined) throw new Error(`foreign: ${fn}`);
    if (answer.step === true) return this.#factories?.steps[answer.ordinal];
    const member = this.original.table.functions[answer.ordinal]?.class;
    if (member !== null && member !== undefined) {
      const [owner] = realm.parts.classes.classesOf(this.original.record, member);
      const copy = this.members.get(this.copy(owner))?.get(answer.ordinal);
      this.copies.set(fn, copy);
      return copy;
    }
    const copy = this.#factories?.functions[answer.ordinal]?.(made) as AnyFunction;
    this.copies.set(fn, copy);
    this.later.push(() => {
      made.fill?.(answer.captures.map((each) => this.copy(each)));
      this.copyProperties(fn, copy);
    });
    return copy;
  }

  private makeObject(value: object): object {
    const { realm } = this.original;
    const types = chainOf(realm, value).filter((each) => hasPrivates(realm, each, value));
    let copy: object | undefined = Array.isArray(value) ? [] : undefined;
    for (const type of types.toReversed()) {
      const target = this.copy(type) as object;
      copy = realm.parts.classes.stamp(
        target,
        copy ?? (Object.getPrototypeOf(type) === Function.prototype ? undefined : {}),
      );
    }
    copy ??= {};
    this.copies.set(value, copy);
    Object.setPrototypeOf(copy, this.copy(Object.getPrototypeOf(value)) as object);
    for (const key of Reflect.ownKeys(copy)) if (key !== 'length') Reflect.deleteProperty(copy, key);
    this.later.push(() => {
      this.copyProperties(value, copy);
      for (const type of types) this.copyPrivates(type, value, copy);
    });
    return copy;
  }

  private copyPrivates(type: object, from: object, to: object): void {
    const { realm } = this.original;
    const target = realm.classOf(this.copy(type) as object);
    for (const [name, accessors] of Object.entries(realm.classOf(type)?.privates ?? {})) {
      if (!accessors.has(from)) continue;
      try {
        target?.privates?.[name]?.set(to, this.copy(accessors.get(from)));
      } catch (error) {
        // Private methods and accessors cannot be set, and come with the class.
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }

  private copyProperties(from: object, to: object): void {
    for (const key of Reflect.ownKeys(from)) {
      const own = Object.getOwnPropertyDescriptor(from, key) as PropertyDescriptor;
      for (const kind of ['value', 'get', 'set'] as const) if (kind in own) own[kind] = this.copy(own[kind]) as never;
      const there = Object.getOwnPropertyDescriptor(to, key);
      if (there?.configurable === false && there.writable !== true) continue;
      Object.defineProperty(to, key, own);
    }
  }
}

function allDescriptors(object: object): PropertyDescriptor[] {
  return Reflect.ownKeys(object).map((key) => Object.getOwnPropertyDescriptor(object, key) as PropertyDescriptor);
}

function chainOf(realm: Realm, value: object): object[] {
  const found: object[] = [];
  for (
    let at = Object.getPrototypeOf(value) as object | null;
    at !== null;
    at = Object.getPrototypeOf(at) as object | null
  ) {
    const type = Object.getOwnPropertyDescriptor(at, 'constructor')?.value as object | undefined;
    if (type !== undefined && realm.classOf(type) !== undefined) found.push(type);
  }
  return found;
}

function hasPrivates(realm: Realm, type: object, value: object): boolean {
  return Object.values(realm.classOf(type)?.privates ?? {}).some((each) => each.has(value));
}

/** What `use` says of the original and, independently, of a copy. */
function both(source: string, name: string, use: (value: never) => unknown): void {
  const original = new Original(source);
  const value = original.exports[name] as never;
  const copy = original.copy(value);
  expect(copy).not.toBe(value);
  const said = use(copy);
  expect(said).toEqual(use(value));
}

describe('functions made again', () => {
  it('have what they captured, shared variables shared', () => {
    both(
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

  it('may capture themselves and each other', () => {
    both(
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

  it('keep this, arguments and new.target of the function an arrow was made in', () => {
    both(
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
    both(
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
    both(
      `const parent = { hi() { return 'parent ' + this.name; } };
       exports.it = { __proto__: parent, name: 'child', hi() { return 'child of ' + super.hi(); }, late() { return () => super.hi(); } };
       exports.it.bound = exports.it.late();`,
      'it',
      (it: { hi(): string; bound(): string }) => [it.hi(), it.bound()],
    );
  });

  it('keep constants constant', () => {
    both(
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

  it('give back the same strings object for a template', () => {
    both(
      `const tag = (strings) => strings;
       function make() { let n = 0; return () => (n++, tag\`a\${n}b\`); }
       exports.it = make();`,
      'it',
      (it: () => unknown) => [it() === it(), it()],
    );
  });
});

describe('classes made again', () => {
  it('have their members, statics and captured variables, and evaluate nothing', () => {
    both(
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

  it('keep their instances, private fields, methods and brands included', () => {
    both(
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

  it('are told apart when the same class was evaluated twice', () => {
    both(
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
});

describe('suspended functions made again', () => {
  it('go on from where they stood', () => {
    const original = new Original(`
      class Box { #n = 1; *run(step) { for (let i = 0; i < 3; i++) { this.#n += step; yield () => [i, this.#n]; } return super.toString(); } }
      exports.box = new Box();
      exports.it = exports.box.run(10);
      exports.it.next();
    `);
    const it = original.exports['it'] as unknown as Generator<() => unknown>;
    const copy = original.copy(it);
    const rest = (generator: typeof it): unknown[] => [...generator].map((each) => each());
    expect(rest(copy)).toEqual(rest(it));
  });
});
