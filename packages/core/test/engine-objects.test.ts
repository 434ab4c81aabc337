// Bound functions, WeakRefs, finalization registries and proxies: read in one realm and made again in another, they do what the
// originals did. Keys of the engine's tables come from the engine's view, which is the loader's.
import { createRealm, internals } from '@turntable/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngineView } from '../../loader/src/realm/engine-view.ts';
import { manualHost } from './manual-host.ts';
import type { EngineState, Realm } from '@turntable/core';

const realmWithView = (): Realm =>
  createRealm({ ...manualHost(), engine: createEngineView(), isProxy: (value) => proxies.has(value as object) });
const proxies = new WeakSet<object>();
const proxy = <T extends object>(target: T, handler: ProxyHandler<T>): T => {
  const made = new Proxy(target, handler);
  proxies.add(made);
  return made;
};

const engineMethods = [
  [Function.prototype, ['bind', 'constructor']],
  [WeakRef.prototype, ['constructor', 'deref']],
  [FinalizationRegistry.prototype, ['constructor', 'register', 'unregister']],
] as const;
const originalDescriptors = engineMethods.map(([holder, names]) =>
  names.map((name) => Object.getOwnPropertyDescriptor(holder, name) as PropertyDescriptor),
);
let first: Realm;
let second: Realm;
beforeAll(() => {
  second = realmWithView();
  first = realmWithView();
  first.install();
});
afterAll(() => {
  engineMethods.forEach(([holder, names], i) =>
    names.forEach((name, k) => Object.defineProperty(holder, name, originalDescriptors[i]?.[k] as PropertyDescriptor)),
  );
});

function restoreInSecond(object: object): object {
  const state = internals.readEngineObject(first, object) as EngineState;
  const restored = internals.allocateEngineObject(second, state.kind, state.operands);
  internals.fillEngineObject(second, restored, state);
  return restored;
}

describe('a bound function', () => {
  function join(this: unknown, ...args: unknown[]): string {
    return [this, ...args].join(' ');
  }

  it('is restored from its target, receiver and arguments', () => {
    const state = internals.readEngineObject(first, join.bind('to', 1, 2)) as EngineState;
    expect(state).toEqual({ kind: 'boundFunction', operands: [join, 'to', [1, 2]], fields: {} });
    expect((restoreInSecond(join.bind('to', 1, 2)) as typeof join)(3)).toBe('to 1 2 3');
    expect((restoreInSecond(join.bind('to')) as typeof join)(3)).toBe('to 3');
  });

  it('can be captured after it was restored', () => {
    const once = restoreInSecond(join.bind('to', 1));
    expect((restoreInSecond(once) as typeof join)(2)).toBe('to 1 2');
  });

  it('is known however `bind` was called', () => {
    const boundFunctions = [
      Reflect.apply(Function.prototype.bind, join, ['x']),
      Function.prototype.call.bind(Function.prototype.bind)(join, 'x'),
    ];
    for (const bound of boundFunctions)
      expect(internals.readEngineObject(first, bound as object)?.operands[0]).toBe(join);
    expect(internals.readEngineObject(first, join)).toBeUndefined();
  });
});

describe('a WeakRef', () => {
  it('is restored with its target and its class', () => {
    const { WeakRef: Own } = first.ambient as { WeakRef: WeakRefConstructor };
    class Named extends Own<object> {}
    const target = {};
    const state = internals.readEngineObject(first, new Named(target)) as EngineState;
    expect(state).toEqual({ kind: 'weakRef', operands: [target], fields: {} });
    const made = internals.allocateEngineObject(second, 'weakRef', [target], Named.prototype) as WeakRef<object>;
    expect(made).toBeInstanceOf(Named);
    expect(made.deref()).toBe(target);
    expect(internals.readEngineObject(second, made)?.operands[0]).toBe(target);
  });

  it('reads its target through its realm only if the program made it', () => {
    const { WeakRef: Own } = first.ambient as { WeakRef: WeakRefConstructor };
    const target = {};
    const [own, device] = [new Own(target), new WeakRef(target)];
    const seen: unknown[] = [];
    first.parts.weak.observer.onDeref = (ref, found) => {
      seen.push(ref, found);
      return 'recorded';
    };
    expect([own.deref(), device.deref()]).toEqual(['recorded', target]);
    expect(seen).toEqual([own, target]);
    expect(internals.readEngineObject(first, own)?.operands).toEqual([target]);
    expect(seen.length).toBe(2);
    first.parts.weak.observer.onDeref = undefined;
  });
});

describe('a FinalizationRegistry', () => {
  interface Registration {
    target: unknown;
    holdings: unknown;
    token: unknown;
  }
  const registrations = (registry: object): Registration[] =>
    internals.readEngineObject(first, registry)?.fields['registrations'] as Registration[];

  it('captures targets, held values and tokens', () => {
    const { FinalizationRegistry: Own } = first.ambient as { FinalizationRegistry: FinalizationRegistryConstructor };
    const cleanup = (): void => {};
    const registry = new Own<unknown>(cleanup);
    const [a, b, c, token] = [{ a: 1 }, { b: 1 }, Symbol('c'), {}];
    const p = proxy({}, {});
    registry.register(a, 'one');
    registry.register(a, 'two', a);
    registry.register(b, 'three', token);
    registry.register(b, 'gone', p);
    registry.unregister(p);
    registry.register(c as never, 'four', p);
    registry.register(p, 'five', c as never);
    expect(internals.readEngineObject(first, registry)?.fields['cleanup']).toBe(cleanup);
    const found = registrations(registry);
    expect(found.map(({ holdings }) => holdings)).toEqual(['one', 'two', 'three', 'four', 'five']);
    const expected = [a, undefined, a, a, b, token, c, p, p, c];
    expect(found.flatMap(({ target, token: by }) => [target, by]).every((value, i) => value === expected[i])).toBe(
      true,
    );
  });

  it('can unregister restored registrations', () => {
    const { FinalizationRegistry: Own } = first.ambient as { FinalizationRegistry: FinalizationRegistryConstructor };
    const registry = new Own<unknown>(() => {});
    const [target, token] = [{}, {}];
    registry.register(target, 'by token', token);
    registry.register(target, 'by itself', target);
    const made = restoreInSecond(registry) as FinalizationRegistry<unknown>;
    expect([made.unregister(token), made.unregister(token)]).toEqual([true, false]);
    expect(registrations(made).map(({ holdings }) => holdings)).toEqual(['by itself']);
    expect(registrations(registry).length).toBe(2);
  });
});

describe('a Proxy', () => {
  it('is restored from target and handler, revoked or not', () => {
    const made = restoreInSecond(proxy({ n: 1 }, { get: (target, key) => [target, key] })) as { n: unknown };
    expect(made.n).toEqual([{ n: 1 }, 'n']);
    const { proxy: revoked, revoke } = Proxy.revocable(() => {}, {});
    proxies.add(revoked);
    revoke();
    const dead = restoreInSecond(revoked);
    expect(typeof dead).toBe('function');
    expect(() => Object.keys(dead)).toThrow('revoked');
  });
});

describe('a kept iterator', () => {
  const keep = (source: unknown, key: PropertyKey, argument?: unknown): Iterator<unknown> =>
    first.keep(source, key, 'source.key', argument) as Iterator<unknown>;
  const bytes = new Uint8Array([7, 8, 9]);
  const sources: Record<string, () => [source: unknown, key: PropertyKey, argument?: unknown]> = {
    'values of an array': () => [['a', 'b', 'c'], 'values'],
    'keys of an array': () => [['a', 'b', 'c'], 'keys'],
    'entries of an array': () => [['a', 'b', 'c'], 'entries'],
    'entries of a typed array': () => [bytes, 'entries'],
    'values of a Map': () => [new Map(Object.entries({ a: 1, b: 2, c: 3 })), 'values'],
    'keys of a Map': () => [new Map(Object.entries({ a: 1, b: 2, c: 3 })), 'keys'],
    'entries of a Map': () => [new Map(Object.entries({ a: 1, b: 2, c: 3 })), Symbol.iterator],
    'values of a Set': () => [new Set('abc'), 'keys'],
    'entries of a Set': () => [new Set('abc'), 'entries'],
    'characters of a text': () => ['a𝒳b', Symbol.iterator],
    'matches in a text': () => ['one two three', 'matchAll', /\w+/g],
  };

  it.each(Object.keys(sources))('resumes at its position: %s', (name) => {
    const make = sources[name] as () => [unknown, PropertyKey, unknown?];
    for (let steps = 0; steps <= 5; steps++) {
      const [source, key, argument] = make();
      const iterator = keep(source, key, argument);
      const [sameSource, , sameArgument] = make();
      const native = (sameSource as Record<PropertyKey, (argument?: unknown) => Iterator<unknown>>)[key]?.(
        sameArgument,
      );
      for (let i = 0; i < steps; i++) expect(iterator.next()).toEqual(native?.next());
      const restoredIterator = restoreInSecond(iterator) as Iterator<unknown>;
      const rest = [...(native as unknown as Iterable<unknown>)];
      expect(Object.prototype.toString.call(restoredIterator)).toBe(Object.prototype.toString.call(native));
      // One after the other: the expression that finds matches is the same object in both, set to one place.
      const { lastIndex } = (internals.readEngineObject(first, iterator)?.fields['matcher'] ?? /x/) as RegExp;
      expect([...(restoredIterator as unknown as Iterable<unknown>)]).toEqual(rest);
      const matcher = internals.readEngineObject(first, iterator)?.fields['matcher'] as RegExp | undefined;
      if (matcher !== undefined) matcher.lastIndex = lastIndex;
      expect([...(iterator as unknown as Iterable<unknown>)]).toEqual(rest);
    }
  });

  it('distinguishes the end from being done: only at the end does it see later entries', () => {
    for (const finished of [false, true]) {
      const map = new Map([['a', 1]]);
      const iterator = keep(map, 'keys');
      iterator.next();
      if (finished) iterator.next();
      const restoredIterator = restoreInSecond(iterator) as Iterator<unknown>;
      expect([...map.keys()]).toEqual(['a']);
      map.set('b', 2);
      expect(restoredIterator.next().done).toBe(finished);
      expect(iterator.next().done).toBe(finished);
    }
  });

  it('keeps its position when entries before and after it are deleted', () => {
    const map = new Map([1, 2, 3, 4].map((n) => [n, n]));
    const iterator = keep(map, 'values');
    iterator.next();
    iterator.next();
    map.delete(1);
    map.delete(3);
    map.set(5, 5);
    expect([...(restoreInSecond(iterator) as unknown as Iterable<unknown>)]).toEqual([4, 5]);
    expect([...(iterator as unknown as Iterable<unknown>)]).toEqual([4, 5]);
  });

  it('is kept through methods whose result the caller keeps', () => {
    const list = [1, 2];
    const seen: boolean[] = [];
    const wrapper = {
      values(): Iterator<number> {
        seen.push(first.keeping.on);
        return list.values();
      },
    };
    keep(wrapper, 'values');
    wrapper.values();
    expect(() => keep({ keys: () => { throw new Error('mine'); } }, 'keys')).toThrow('mine'); // prettier-ignore
    expect(seen).toEqual([true, false]);
    expect(first.keeping.on).toBe(false);
  });
});
