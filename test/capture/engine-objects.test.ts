// Objects with internal engine state survive a capture: bound functions, proxies, weak references, kept iterators,
// asynchronous contexts. Each is used in its original world, in a copy, and in a copy of the copy.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { inEachCopy, CaptureWorld } from './world.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

// oxlint-disable-next-line typescript/no-explicit-any -- what a program exports is of whatever type its text says
type Values = Record<string, any>;

describe('bound functions', () => {
  it('keep target, receiver and arguments, name and length', () => {
    inEachCopy(
      `let calls = 0;
       function sum(a, b, c) { calls++; return [this.name, a, b, c, calls]; }
       exports.bound = sum.bind({ name: 'receiver' }, 1).bind(null, 2);
       exports.renamed = Object.defineProperty(sum.bind(), 'name', { value: 'other', enumerable: true });
       sum.extra = exports;
       class Point { constructor(x, y) { this.at = [x, y]; } }
       exports.Origin = Point.bind(null, 0);
       exports.Point = Point;`,
      ({ bound, renamed, Origin, Point }: Values) => {
        const made = new (Origin as new (y: number) => { at: number[] })(5);
        return [
          (bound as (c: number) => unknown)(3),
          [(bound as { name: string }).name, (bound as { length: number }).length],
          Object.getOwnPropertyDescriptors(renamed),
          made.at,
          made instanceof (Point as never),
        ];
      },
    );
  });

  it('keep sharing and can be bound to the object that holds them', () => {
    inEachCopy(
      `class Button { clicks = 0; constructor() { this.onClick = this.click.bind(this); } click() { return ++this.clicks; } }
       exports.button = new Button();
       exports.handlers = [exports.button.onClick];`,
      ({ button, handlers }: { button: { clicks: number; onClick(): number }; handlers: (() => number)[] }) => [
        handlers[0]?.(),
        button.onClick(),
        button.clicks,
        handlers[0] === button.onClick,
      ],
    );
  });
});

describe('proxies', () => {
  it('run their traps on the same target', () => {
    inEachCopy(
      `const log = [];
       const target = { x: 1 };
       const handler = { get(t, k, r) { log.push(k); return k === 'self' ? r : Reflect.get(t, k); }, has: () => true };
       exports.proxy = new Proxy(target, handler);
       exports.target = target;
       exports.call = new Proxy(function (a) { return a + 1; }, { apply: (t, self, args) => t(...args) * 10 });
       exports.plain = new Proxy([1, 2, 3], {});
       exports.reflecting = new Proxy({ y: 2 }, Reflect);
       exports.log = log;`,
      ({ proxy, target, call, plain, reflecting, log }: Values) => {
        (target as { x: number }).x++;
        const seen = proxy as { x: number; self: unknown };
        return [
          seen.x,
          seen.self === proxy,
          'anything' in seen,
          (call as (n: number) => number)(1),
          (plain as number[]).map((n) => n * 2),
          Array.isArray(plain),
          (reflecting as { y: number }).y,
          log,
        ];
      },
    );
  });

  it('stay revoked, and run no traps when they are prototypes', () => {
    inEachCopy(
      `const revocable = Proxy.revocable(() => 1, {});
       revocable.revoke();
       const { proxy } = revocable; delete revocable.revoke;
       const asked = [];
       const spy = new Proxy({}, { getPrototypeOf: () => { asked.push('prototype'); return null; }, get: (t, k) => { asked.push(k); return 'trapped'; }, getOwnPropertyDescriptor: (t, k) => void asked.push(k) });
       exports.proxy = proxy; exports.asked = asked;
       exports.children = [1, 2, 3].map((n) => Object.assign(Object.create(spy), {}));
       exports.children.forEach((child, n) => Object.defineProperty(child, 'n', { value: n, writable: true, enumerable: true, configurable: true }));
       exports.constructed = { constructor: new Proxy(class {}, { getOwnPropertyDescriptor: () => void asked.push('constructor') }) };
       asked.length = 0;`,
      ({ proxy, asked, children }: Values) => {
        let thrown = '';
        try {
          (proxy as () => unknown)();
        } catch (error) {
          thrown = String(error);
        }
        const quiet = [...(asked as string[])];
        return [thrown, typeof proxy, quiet, (children as { n: number }[])[1]?.n, (children as { m: string }[])[1]?.m];
      },
    );
  });
});

describe('weak references', () => {
  it('refer to the same object, keep their class, and are empty once the object is collected', () => {
    const source = `
      class Named extends WeakRef { label = 'named'; }
      const target = { n: 1 };
      exports.target = target;
      exports.refs = [new WeakRef(target), new Named(target)];
      exports.only = new WeakRef({ held: 'weakly' });`;
    inEachCopy(source, ({ target, refs }: { target: unknown; refs: (WeakRef<object> & { label?: string })[] }) => [
      refs.map((ref) => ref.deref() === target),
      refs.map((ref) => [ref.constructor.name, ref.label, Object.prototype.toString.call(ref)]),
    ]);
    const world = CaptureWorld.run(source);
    const gone = Promise.resolve().then(async () => {
      for (let i = 0; i < 5; i++) {
        await new Promise(setImmediate);
        collect();
      }
      const [before, only] = [world.exports, (world.exports['only'] as WeakRef<object>).deref()];
      const copy = world.copy();
      return [
        before === copy.exports,
        only,
        (copy.exports['only'] as WeakRef<object>).deref(),
        copy.copy().hash === world.hash,
      ];
    });
    return expect(gone).resolves.toEqual([false, undefined, undefined, true]);
  });

  it('let finalization registries report collected objects', async () => {
    const original = CaptureWorld.run(`
      const log = exports.log = [];
      exports.targets = [{ a: 1 }, { b: 2 }, { c: 3 }];
      const token = exports.token = {};
      exports.registry = new FinalizationRegistry((held) => log.push(held));
      exports.registry.register(exports.targets[0], 'first');
      exports.registry.register(exports.targets[1], 'second', token);
      exports.registry.register(exports.targets[2], 'third', exports.targets[2]);`);
    const copy = original.copy();
    type Exports = { log: unknown[]; token: object; registry: FinalizationRegistry<unknown>; targets: unknown };
    const worlds = [original, copy, copy.copy()];
    for (const { exports } of worlds) {
      const { registry, token } = exports as unknown as Exports;
      expect([registry.unregister(token), registry.unregister(token)]).toEqual([true, false]);
      delete exports['targets'];
    }
    for (const { exports } of worlds) {
      const { log } = exports as unknown as Exports;
      for (let i = 0; log.length < 2 && i < 100; i++) {
        await new Promise(setImmediate);
        collect();
      }
      expect(log.toSorted()).toEqual(['first', 'third']);
    }
  });

  it('include weak collections keyed by objects, functions, symbols and proxies', () => {
    inEachCopy(
      `const keys = exports.keys = [{ o: 1 }, () => 1, Symbol('key'), new Proxy({}, {}), class A {}];
       exports.map = new WeakMap(keys.map((key, i) => [key, { i }]));
       exports.set = new WeakSet(keys);
       exports.set.add({ held: 'weakly' });`,
      ({ keys, map, set }: { keys: object[]; map: WeakMap<object, unknown>; set: WeakSet<object> }) => [
        keys.map((key) => map.get(key)),
        keys.map((key) => set.has(key)),
        map.has({}),
      ],
    );
  });
});

describe('kept iterators', () => {
  it('continue at their position while their collection changes', () => {
    inEachCopy(
      `const list = ['a', 'b', 'c'], map = new Map([['x', 1], ['y', 2], ['z', 3]]), set = new Set([1, 2, 3]);
       const walks = { list: list.entries(), bytes: new Uint8Array([7, 8]).values(), map: map.entries(), set: set.values(), text: 'a𝒳b'[Symbol.iterator](), matches: 'one two three'.matchAll(/\\w+/g) };
       for (const it of Object.values(walks)) it.next();
       map.set('itself', walks.map);
       const done = { it: new Set().values() }; done.it.next();
       exports.walks = walks; exports.done = done;
       exports.change = () => { list.push('d'); map.delete('y'); map.set('w', 4); set.clear(); set.add(9); };`,
      ({
        walks,
        done,
        change,
      }: {
        walks: Record<string, Iterator<unknown>>;
        done: { it: Iterator<unknown> };
        change(): void;
      }) => {
        change();
        return Object.entries(walks).map(([name, it]) => {
          const rest = [...(it as unknown as Iterable<unknown>)].map((each) =>
            Array.isArray(each) && each[0] === 'itself' ? each[1] === it : each,
          );
          return [name, rest, it.next(), Object.prototype.toString.call(it), done.it.next()];
        });
      },
    );
  });

  it('drive suspended generators and loops', () => {
    inEachCopy(
      `const map = new Map([[1, 'a'], [2, 'b'], [3, 'c']]);
       function* walk() { for (const [k, v] of map) { yield [k, v]; } yield* map.values(); }
       exports.it = walk(); exports.it.next(); exports.map = map;`,
      ({ it, map }: { it: Iterable<unknown>; map: Map<number, string> }) => {
        map.delete(1);
        map.set(4, 'd');
        return [...it];
      },
    );
  });
});

describe('asynchronous contexts', () => {
  it('give each suspended function its own storage values', () => {
    inEachCopy(
      `const { AsyncLocalStorage } = require('node:async_hooks');
       const user = new AsyncLocalStorage({ name: 'user' }), trace = new AsyncLocalStorage({ defaultValue: 'none' });
       const log = exports.log = [];
       const gate = Promise.withResolvers();
       exports.open = gate.resolve;
       async function request(n) { await gate.promise; log.push([n, user.getStore()?.n, trace.getStore()]); await null; log.push(user.getStore()?.n); }
       for (const n of [1, 2]) user.run({ n }, () => { request(n); trace.run('t' + n, () => { request(n * 10); gate.promise.then(() => log.push(trace.getStore())); }); });
       request(0);`,
      ({ open, log }: { open(): void; log: unknown[] }, world) => {
        open();
        world.settle();
        return log;
      },
    );
  });

  it('have the same state however often they were entered', () => {
    const program = (between: string): CaptureWorld => {
      const world = CaptureWorld.run(`
        const { AsyncLocalStorage } = require('node:async_hooks');
        const a = new AsyncLocalStorage();
        const gate = exports.gate = Promise.withResolvers();
        const one = { one: 1 };
        const wait = async () => { await gate.promise; return a.getStore(); };
        exports.first = a.run(one, wait);
        ${between}
        exports.second = a.run(one, wait);`);
      world.settle();
      return world;
    };
    const [apart, together] = [program('a.run({}, () => Promise.resolve().then(() => null));'), program('')];
    expect(apart.hash).toBe(together.hash);
    expect(apart.copy().copy().hash).toBe(together.hash);
  });
});
