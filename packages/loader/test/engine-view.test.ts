// The hidden contents of V8's objects, as captures read them. Reading must not run code of the program or change an
// object.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createEngineView } from '../src/realm/engine-view.ts';

const engineView = createEngineView();
const forbiddenCall = (): never => {
  throw new Error('code of the program ran');
};

describe('the keys of a weak collection', () => {
  it('are found whatever their types and values', () => {
    const keys = [{}, [], () => {}, Object.create(null) as object, new Map(), class {}, new WeakMap(), new Date(NaN)];
    const values = [1, 'text', null, undefined, {}, [], Symbol('s'), 2n];
    const map = new WeakMap(keys.map((key, i) => [key, values[i]]));
    expect(new Set(engineView.weakKeys(map, 100).keys)).toEqual(new Set(keys));
    expect(new Set(engineView.weakKeys(new WeakSet(keys), 100).keys)).toEqual(new Set(keys));
    expect(engineView.weakKeys(new WeakMap(), 100)).toEqual({ keys: [], count: 0 });
    expect(engineView.weakKeys(new WeakSet(), 100)).toEqual({ keys: [], count: 0 });
  });

  it('exclude objects reachable from keys, values and own properties', () => {
    const inner = new WeakMap([[{ deeper: {} }, {}]]);
    const map = Object.assign(new WeakMap<object, unknown>(), { own: { property: {} } });
    const key = { member: {}, inner };
    map
      .set(key, { of: { value: {} } })
      .set(inner, map)
      .set(map, inner);
    const { keys, count } = engineView.weakKeys(map, 100);
    expect(count).toBe(3);
    expect(new Set(keys)).toEqual(new Set([key, inner, map]));
  });

  it('are counted when there are more than the limit', () => {
    const keys = Array.from({ length: 250 }, (_, id) => ({ id }));
    expect(engineView.weakKeys(new WeakMap(keys.map((key) => [key, 0])), 10).count).toBe(250);
    expect(engineView.weakKeys(new WeakSet(keys), 10).count).toBe(250);
    expect(engineView.weakKeys(new WeakSet(keys), 250).keys.length).toBe(250);
  });

  it('are found without running code of the program', () => {
    class Named extends WeakMap<object, unknown> {
      static override get name(): string {
        return forbiddenCall();
      }
      static override [Symbol.hasInstance](): boolean {
        return forbiddenCall();
      }
      override get [Symbol.toStringTag](): string {
        return forbiddenCall();
      }
      override has(): boolean {
        return forbiddenCall();
      }
      override get(): unknown {
        return forbiddenCall();
      }
    }
    const key = {
      get [Symbol.toStringTag](): string {
        return forbiddenCall();
      },
      [Symbol.for('nodejs.util.inspect.custom')]: forbiddenCall,
      toString: forbiddenCall,
    };
    const map = new Named([[key, key]]);
    Object.defineProperty(map, 'own', { get: forbiddenCall, enumerable: true });
    expect(engineView.weakKeys(map, 100)).toEqual({ keys: [key], count: 1 });
    expect(Object.getPrototypeOf(map)).toBe(Named.prototype);
    const watchedProxy = new Proxy({}, new Proxy({}, { get: forbiddenCall }));
    expect(engineView.weakKeys(new WeakSet([watchedProxy, key]), 100).keys).toEqual([key]);
    const withAccessor = Object.defineProperty({}, '0', { get: forbiddenCall });
    const nestedProxies = [
      new Proxy(watchedProxy, {}),
      new Proxy(withAccessor, {}),
      new Proxy(new Proxy(watchedProxy, {}), {}),
    ];
    const entries = [key, ...nestedProxies].map((each) => [each, each] as const);
    expect(engineView.weakKeys(new WeakMap(entries), 100).keys).toEqual([key]);
  });
});

describe('an iterator of a Map or Set', () => {
  it('shows its remaining entries without advancing', () => {
    const map = new Map([1, 2, 3, 4].map((id) => [id, { id }]));
    const iterators = [map.entries(), map.keys(), map.values(), new Set([1, 2, 3, 4]).values(), new Set(map).entries()];
    for (const iterator of iterators) {
      expect(engineView.entriesLeft(iterator)).toBe(4);
      iterator.next();
      expect(engineView.entriesLeft(iterator)).toBe(3);
      expect([...(iterator as Iterable<unknown>)].length).toBe(3);
      expect(engineView.entriesLeft(iterator)).toBe(0);
    }
    const iterator = map.keys();
    iterator.next();
    map.delete(1);
    map.delete(3);
    map.set(5, { id: 5 });
    expect(engineView.entriesLeft(iterator)).toBe(3);
  });
});

describe('a Proxy', () => {
  it('shows its target and handler without calling its traps', () => {
    const target = (): void => {};
    const handler = new Proxy({}, { get: forbiddenCall });
    const proxy = new Proxy(target, handler);
    const outer = new Proxy(proxy, {});
    expect(engineView.proxyParts(proxy)?.target === target && engineView.proxyParts(proxy)?.handler === handler).toBe(
      true,
    );
    expect(engineView.proxyParts(outer)?.target === proxy).toBe(true);
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    expect(engineView.proxyParts(revoked)).toBeDefined();
    revoke();
    expect(engineView.proxyParts(revoked)).toBeUndefined();
  });

  it('is checked before V8 gets it', () => {
    expect(() => engineView.proxyParts({})).toThrow('not a Proxy');
  });

  it('is read by several threads at the same time', async () => {
    const threadCount = 4;
    const started = new Int32Array(new SharedArrayBuffer(4)).fill(threadCount);
    const threadData = { times: 200, started };
    const workers = Array.from(
      { length: threadCount },
      () => new Worker(new URL('engine-view-in-thread.ts', import.meta.url), { workerData: threadData }),
    );
    expect(await Promise.all(workers.map((worker) => once(worker, 'exit')))).toEqual(workers.map(() => [0]));
  });

  it('does not enable V8’s internal syntax for the program', () => {
    engineView.proxyParts(new Proxy({}, {}));
    expect(() => new Function('return %JSProxyGetTarget({})')).toThrow(SyntaxError);
  });
});
