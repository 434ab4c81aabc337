// `Array.fromAsync` and bound contexts as in Node.
import { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId, triggerAsyncId } from 'node:async_hooks';
import { describe, it } from 'vitest';
import { compare, compareRefused, compareValid, outcomeOf, type Log, type Loose } from './both.ts';

const from = (fromAsync: Loose, receiver: unknown, ...args: unknown[]): Promise<unknown> =>
  outcomeOf(() => Reflect.apply(fromAsync, receiver, args));

describe('Array.fromAsync', () => {
  it('collects from iterables, async iterables and array-likes, and awaits their values', () =>
    compareValid(async ({ fromAsync }, log) => {
      const SOURCES: readonly (() => unknown)[] = [
        () => Object.assign([1, Promise.resolve(2)], { 3: 'after a hole' }),
        () => 'a\u{1f600}',
        () => new Set([1, Promise.resolve(2)]),
        () => new Map([['a', 1]]),
        () =>
          (function* () {
            yield 1;
            yield Promise.resolve(2);
          })(),
        () =>
          (async function* () {
            yield 1;
            yield 2;
          })(),
        () => ({ length: 3, 0: 'a', 2: Promise.resolve('c') }),
        () => ({ length: '2', 0: 'a', 1: 'b', 2: 'c' }),
        () => ({ length: 1.9, 0: 'a', 1: 'b' }),
        () => ({ length: -1, 0: 'a' }),
        () => ({ length: Number.NaN, 0: 'a' }),
        () => ({}),
        () => 5,
        () => ({ [Symbol.asyncIterator]: null, [Symbol.iterator]: undefined, length: 1, 0: 'a' }),
        () => ({
          [Symbol.asyncIterator]: undefined,
          *[Symbol.iterator]() {
            yield 'sync';
          },
        }),
        () => ({
          async *[Symbol.asyncIterator]() {
            yield 'async';
          },
          *[Symbol.iterator]() {
            yield 'sync';
          },
        }),
      ];
      for (const source of SOURCES) {
        log(await from(fromAsync, Array, source()));
        log(await from(fromAsync, Array, source(), (value: unknown, index: number) => Promise.resolve([value, index])));
      }
    }));

  it('calls the mapper with its receiver', () =>
    compareValid(async ({ fromAsync }, log) => {
      const mapper = function (this: unknown, value: unknown, index: number): unknown {
        return [this, value, index];
      };
      for (const items of [['a', 'b'], { length: 2, 0: 'a', 1: 'b' }])
        for (const receiver of ['a receiver', undefined]) log(await from(fromAsync, Array, items, mapper, receiver));
    }));

  it('constructs its receiver', () =>
    compareValid(async ({ fromAsync }, log) => {
      class Own extends Array<unknown> {
        constructor(...args: number[]) {
          super(...args);
          log('constructed', args);
        }
      }
      class Plain {
        length = -1;
      }
      for (const items of [['a', 'b'], { length: 2, 0: 'a', 1: 'b' }])
        for (const receiver of [Own, Plain, () => {}, undefined, {}, Math.max]) {
          const { value } = (await from(fromAsync, receiver, items)) as { value: object };
          log(value.constructor.name, { ...value }, (value as unknown[]).length);
        }
    }));

  it('fails where the standard says so, and closes the iterator', async () => {
    const closing = (log: Log): object => ({
      [Symbol.iterator]: () => ({
        next: () => ({ value: 1, done: false }),
        return: () => (log('closed'), {}),
      }),
    });
    class Frozen {
      constructor() {
        Object.preventExtensions(this);
      }
    }
    const throwing = (): never => {
      throw new RangeError('x');
    };
    await compare(async ({ fromAsync }, log) => {
      for (const args of [
        [null],
        [undefined],
        [[1], null],
        [[1], {}],
        [[1], 'x'],
        [{ [Symbol.asyncIterator]: 5 }],
        [{ [Symbol.iterator]: {} }],
        [closing(log), throwing],
        [{ length: 1 }, throwing],
        [[1], () => Promise.reject(new RangeError('y'))],
      ])
        log(await from(fromAsync, Array, ...args));
      log(await from(fromAsync, Frozen, [1]), await from(fromAsync, Frozen, { length: 1, 0: 1 }));
      log(await from(fromAsync, Frozen, closing(log)));
    });
  });
});

describe('a bound function', () => {
  const storage = new AsyncLocalStorage<string>();
  /** Logs the types of the resources that `run` creates. */
  function typesIn(run: () => unknown): string[] {
    const types: string[] = [];
    const hook = createHook({ init: (_, type) => void types.push(type) }).enable();
    try {
      run();
    } finally {
      hook.disable();
    }
    return types;
  }

  it('runs in the context of its resource, with its arguments and receiver', () =>
    compareValid(({ bindToResource }, log) => {
      const resource = storage.run('of the resource', () => new AsyncResource('Own'));
      const show = function (this: unknown, a: unknown, b?: unknown): unknown {
        log(
          this,
          a,
          b,
          storage.getStore(),
          executionAsyncId() === resource.asyncId(),
          triggerAsyncId() === resource.triggerAsyncId(),
        );
        return 'a result';
      };
      for (const receiver of [undefined, 'a bound receiver']) {
        const bound = Reflect.apply(bindToResource, resource, [show, receiver]);
        log(storage.run('of the caller', () => Reflect.apply(bound, 'a receiver', [1, 2])));
        log(bound.length, { ...Object.getOwnPropertyDescriptor(bound, 'length') });
      }
    }));

  it('has a new resource with the given type, or the name of the function', () =>
    compareValid(({ bindToNewResource }, log) => {
      const named = function aName(this: unknown): void {
        log(this, storage.getStore());
      };
      const nameless = (() => () => {})();
      for (const args of [
        [named],
        [named, 'A type'],
        [named, ''],
        [nameless],
        [nameless, 'A type'],
        [named, 'A type', 'a bound receiver'],
      ]) {
        let bound: Loose | undefined;
        log(
          typesIn(
            () => (bound = storage.run('of the binding', () => Reflect.apply(bindToNewResource, AsyncResource, args))),
          ),
        );
        storage.run('of the caller', () => Reflect.apply(bound as Loose, 'a receiver', []));
      }
    }));

  it('runs in the context in which it was bound', () =>
    compareValid(({ bindToContext, snapshotOfContext }, log) => {
      const bound = storage.run('of the binding', () =>
        Reflect.apply(bindToContext, AsyncLocalStorage, [(a: unknown, b: unknown) => [a, b, storage.getStore()]]),
      );
      const snapshot = storage.run('of the snapshot', () => Reflect.apply(snapshotOfContext, AsyncLocalStorage, []));
      log(
        storage.run('of the caller', () => bound(1, 2)),
        bound.length,
      );
      log(storage.run('of the caller', () => snapshot((a: unknown, b: unknown) => [a, b, storage.getStore()], 1, 2)));
    }));

  it('must be a function', async () => {
    for (const value of [undefined, null, 5, {}])
      await compareRefused(({ bindToResource }) => Reflect.apply(bindToResource, new AsyncResource('Own'), [value]));
  });
});
