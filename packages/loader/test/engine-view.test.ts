// What capture learns of objects whose content only the engine knows. Nothing here may run code of the program, or change
// what it looks at.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createEngineView } from '../src/realm/engine-view.ts';

const view = createEngineView();
const forbidden = (): never => {
  throw new Error('code of the program ran');
};

describe('the keys of a weak collection', () => {
  it('are found, whatever they and their values are', () => {
    const keys = [{}, [], () => {}, Object.create(null) as object, new Map(), class {}, new WeakMap(), new Date(NaN)];
    const values = [1, 'text', null, undefined, {}, [], Symbol('s'), 2n];
    const map = new WeakMap(keys.map((key, i) => [key, values[i]]));
    expect(new Set(view.weakKeys(map, 100).keys)).toEqual(new Set(keys));
    expect(new Set(view.weakKeys(new WeakSet(keys), 100).keys)).toEqual(new Set(keys));
    expect(view.weakKeys(new WeakMap(), 100)).toEqual({ keys: [], count: 0 });
    expect(view.weakKeys(new WeakSet(), 100)).toEqual({ keys: [], count: 0 });
  });

  it('are those of the collection alone, not what hangs from keys, values and own properties', () => {
    const inner = new WeakMap([[{ deeper: {} }, {}]]);
    const map = Object.assign(new WeakMap<object, unknown>(), { own: { property: {} } });
    const key = { member: {}, inner };
    map
      .set(key, { of: { value: {} } })
      .set(inner, map)
      .set(map, inner);
    const { keys, count } = view.weakKeys(map, 100);
    expect(count).toBe(3);
    expect(new Set(keys)).toEqual(new Set([key, inner, map]));
  });

  it('are counted when there are more than wanted', () => {
    const keys = Array.from({ length: 250 }, (_, id) => ({ id }));
    expect(view.weakKeys(new WeakMap(keys.map((key) => [key, 0])), 10).count).toBe(250);
    expect(view.weakKeys(new WeakSet(keys), 10).count).toBe(250);
    expect(view.weakKeys(new WeakSet(keys), 250).keys.length).toBe(250);
  });

  it('are found without running code of the program', () => {
    class Named extends WeakMap<object, unknown> {
      static override get name(): string {
        return forbidden();
      }
      static override [Symbol.hasInstance](): boolean {
        return forbidden();
      }
      override get [Symbol.toStringTag](): string {
        return forbidden();
      }
      override has(): boolean {
        return forbidden();
      }
      override get(): unknown {
        return forbidden();
      }
    }
    const key = {
      get [Symbol.toStringTag](): string {
        return forbidden();
      },
      [Symbol.for('nodejs.util.inspect.custom')]: forbidden,
      toString: forbidden,
    };
    const map = new Named([[key, key]]);
    Object.defineProperty(map, 'own', { get: forbidden, enumerable: true });
    expect(view.weakKeys(map, 100)).toEqual({ keys: [key], count: 1 });
    expect(Object.getPrototypeOf(map)).toBe(Named.prototype);
    const watched = new Proxy({}, new Proxy({}, { get: forbidden }));
    expect(view.weakKeys(new WeakSet([watched, key]), 100).keys).toEqual([key]);
    const accessor = Object.defineProperty({}, '0', { get: forbidden });
    const nested = [new Proxy(watched, {}), new Proxy(accessor, {}), new Proxy(new Proxy(watched, {}), {})];
    const entries = [key, ...nested].map((each) => [each, each] as const);
    expect(view.weakKeys(new WeakMap(entries), 100).keys).toEqual([key]);
  });
});

describe('an iterator of a Map or Set', () => {
  it('tells what it has left, and goes on as if nobody had asked', () => {
    const map = new Map([1, 2, 3, 4].map((id) => [id, { id }]));
    const iterators = [map.entries(), map.keys(), map.values(), new Set([1, 2, 3, 4]).values(), new Set(map).entries()];
    for (const iterator of iterators) {
      expect(view.entriesLeft(iterator)).toBe(4);
      iterator.next();
      expect(view.entriesLeft(iterator)).toBe(3);
      expect([...(iterator as Iterable<unknown>)].length).toBe(3);
      expect(view.entriesLeft(iterator)).toBe(0);
    }
    const iterator = map.keys();
    iterator.next();
    map.delete(1);
    map.delete(3);
    map.set(5, { id: 5 });
    expect(view.entriesLeft(iterator)).toBe(3);
  });
});

describe('a Proxy', () => {
  it('tells what it stands for, itself asked nothing', () => {
    const target = (): void => {};
    const handler = new Proxy({}, { get: forbidden });
    const proxy = new Proxy(target, handler);
    const outer = new Proxy(proxy, {});
    expect(view.proxyParts(proxy)?.target === target && view.proxyParts(proxy)?.handler === handler).toBe(true);
    expect(view.proxyParts(outer)?.target === proxy).toBe(true);
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    expect(view.proxyParts(revoked)).toBeDefined();
    revoke();
    expect(view.proxyParts(revoked)).toBeUndefined();
  });

  it('is what it must be: anything else is refused before the engine sees it', () => {
    expect(() => view.proxyParts({})).toThrow('no Proxy');
  });

  it('is opened by several threads at the same moment', async () => {
    const threads = 4;
    const started = new Int32Array(new SharedArrayBuffer(4)).fill(threads);
    const workerData = { times: 200, started };
    const workers = Array.from(
      { length: threads },
      () => new Worker(new URL('engine-view-in-thread.ts', import.meta.url), { workerData }),
    );
    expect(await Promise.all(workers.map((worker) => once(worker, 'exit')))).toEqual(workers.map(() => [0]));
  });

  it('leaves the dialect of V8 closed to the program', () => {
    view.proxyParts(new Proxy({}, {}));
    expect(() => new Function('return %JSProxyGetTarget({})')).toThrow(SyntaxError);
  });
});
