// Bound functions, WeakRefs, finalization registries and proxies: read in one realm and made again in another, they do what the
// originals did. Keys of the engine's tables come from the engine's view, which is the loader's.
import { createRealm, internals } from '@turntable/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngineView } from '../../loader/src/engine-view.ts';
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
const before = engineMethods.map(([holder, names]) =>
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
    names.forEach((name, k) => Object.defineProperty(holder, name, before[i]?.[k] as PropertyDescriptor)),
  );
});

function again(object: object, replace: (value: unknown) => unknown = (value) => value): object {
  const state = internals.readEngineObject(first, object) as EngineState;
  const made = internals.allocateEngineObject(second, state.kind, state.operands.map(replace));
  internals.fillEngineObject(second, made, state);
  return made;
}

describe('a bound function', () => {
  function join(this: unknown, ...args: unknown[]): string {
    return [this, ...args].join(' ');
  }

  it('is made again from its target, receiver and arguments', () => {
    const state = internals.readEngineObject(first, join.bind('to', 1, 2)) as EngineState;
    expect(state).toEqual({ kind: 'boundFunction', operands: [join, 'to', [1, 2]], fields: {} });
    expect((again(join.bind('to', 1, 2)) as typeof join)(3)).toBe('to 1 2 3');
    expect((again(join.bind('to')) as typeof join)(3)).toBe('to 3');
  });

  it('can be read again after it was made again', () => {
    const once = again(join.bind('to', 1));
    expect((again(once) as typeof join)(2)).toBe('to 1 2');
  });

  it('is known however `bind` was reached', () => {
    const ways = [
      Reflect.apply(Function.prototype.bind, join, ['x']),
      Function.prototype.call.bind(Function.prototype.bind)(join, 'x'),
    ];
    for (const bound of ways) expect(internals.readEngineObject(first, bound as object)?.operands[0]).toBe(join);
    expect(internals.readEngineObject(first, join)).toBeUndefined();
  });
});

describe('a WeakRef', () => {
  it('is made again from its target, of its class', () => {
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

  it('answers through its realm, and only if the program made it', () => {
    const { WeakRef: Own } = first.ambient as { WeakRef: WeakRefConstructor };
    const target = {};
    const [own, device] = [new Own(target), new WeakRef(target)];
    const seen: unknown[] = [];
    first.parts.weak.observer.dereferenced = (ref, found) => {
      seen.push(ref, found);
      return 'recorded';
    };
    expect([own.deref(), device.deref()]).toEqual(['recorded', target]);
    expect(seen).toEqual([own, target]);
    expect(internals.readEngineObject(first, own)?.operands).toEqual([target]);
    expect(seen.length).toBe(2);
    first.parts.weak.observer.dereferenced = undefined;
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

  it('tells what is registered: targets, what is held for them, tokens', () => {
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

  it('goes on elsewhere: what was registered can be unregistered', () => {
    const { FinalizationRegistry: Own } = first.ambient as { FinalizationRegistry: FinalizationRegistryConstructor };
    const registry = new Own<unknown>(() => {});
    const [target, token] = [{}, {}];
    registry.register(target, 'by token', token);
    registry.register(target, 'by itself', target);
    const made = again(registry) as FinalizationRegistry<unknown>;
    expect([made.unregister(token), made.unregister(token)]).toEqual([true, false]);
    expect(registrations(made).map(({ holdings }) => holdings)).toEqual(['by itself']);
    expect(registrations(registry).length).toBe(2);
  });
});

describe('a Proxy', () => {
  it('is made again from target and handler, revoked or not', () => {
    const made = again(proxy({ n: 1 }, { get: (target, key) => [target, key] })) as { n: unknown };
    expect(made.n).toEqual([{ n: 1 }, 'n']);
    const { proxy: revoked, revoke } = Proxy.revocable(() => {}, {});
    proxies.add(revoked);
    revoke();
    const dead = again(revoked);
    expect(typeof dead).toBe('function');
    expect(() => Object.keys(dead)).toThrow('revoked');
  });
});
