// `util.promisify`, `callbackify`, `deprecate` and `debuglog` as in Node.
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createProgram, runNative, runTransformed, type Outcome } from '../running.ts';
import {
  compare,
  compareRefused,
  compareValid,
  NODE,
  notedPromises,
  outcomeOf,
  settle,
  SHIMS,
  type Log,
  type Loose,
} from './both.ts';

const NOT_FUNCTIONS: readonly unknown[] = [undefined, null, 5, {}, 'x'];

/** Logs the warnings that `run` causes. */
async function withWarnings(log: Log, run: () => unknown): Promise<void> {
  const listener = ({ name, message, ...rest }: Error & { code?: string }): void => log(name, message, rest.code);
  process.on('warning', listener);
  try {
    await run();
    await settle();
  } finally {
    process.off('warning', listener);
  }
}

/** Own properties with their attributes, without functions. */
const attributes = (fn: object): unknown =>
  Object.fromEntries(
    Reflect.ownKeys(fn)
      .filter((key) => key !== 'prototype')
      .map((key) => [
        String(key),
        {
          ...Object.getOwnPropertyDescriptor(fn, key),
          value: undefined,
          text: String(Reflect.get(fn, key)).slice(0, 8),
        },
      ]),
  );

describe('promisify', () => {
  it('settles with the callback’s error or its first value', () =>
    compareValid(async ({ promisify }, log) => {
      const add = promisify(function (this: unknown, a: number, b: number, callback: Loose) {
        log('called with', this);
        callback(a < 0 ? new RangeError('x') : null, a + b, 'second');
      });
      log(await outcomeOf(() => add.call('a receiver', 1, 2)), await outcomeOf(() => add(-1, 2)));
      for (const error of [null, undefined, 0, '', 'a text'])
        log(await outcomeOf(() => promisify((callback: Loose) => callback(error, 1))()));
      log(await outcomeOf(() => promisify((callback: Loose) => callback())()));
      log(
        await outcomeOf(() =>
          promisify(() => {
            throw new RangeError('thrown');
          })(),
        ),
      );
    }));

  it('gives the values names where Node has names for them', () =>
    compareValid(async ({ promisify }, log) => {
      const names = Object.getOwnPropertySymbols(fs.read).find(
        ({ description }) => description === 'customPromisifyArgs',
      );
      const named = Object.assign((...args: unknown[]) => (args.pop() as Loose)(null, ...args), {
        [names as symbol]: ['a', 'b'],
      });
      for (const values of [[], [1], [1, 2], [1, 2, 3]]) log(await promisify(named)(...values));
      const descriptor = fs.openSync(import.meta.filename, 'r');
      const { bytesRead, buffer } = (await promisify(fs.read)(descriptor, Buffer.alloc(3), 0, 3, 0)) as {
        bytesRead: number;
        buffer: Buffer;
      };
      fs.closeSync(descriptor);
      log(bytesRead, String(buffer));
    }));

  it('returns a function with the properties of the original, and itself when it is promisified', () =>
    compare(async ({ promisify }, log) => {
      const original = Object.assign(async function named(_a: unknown, _b: unknown) {}, { extra: 1 });
      const promisified = promisify(original);
      log(attributes(promisified), Object.getPrototypeOf(promisified) === Object.getPrototypeOf(original));
      log(promisify(promisified) === promisified);
    }));

  it('uses the implementation that a function brings', async () => {
    const custom = async (): Promise<number> => 1;
    const symbol = Symbol.for('nodejs.util.promisify.custom');
    const own = Object.assign(() => {}, { [symbol]: custom });
    expect(SHIMS.promisify(own)).toBe(NODE.promisify(own));
    await compareRefused(({ promisify }) => promisify(Object.assign(() => {}, { [symbol]: 5 })));
    for (const value of NOT_FUNCTIONS) await compareRefused(({ promisify }) => promisify(value));
  });

  it('warns of a function that returns a promise', () =>
    compareValid(({ promisify }, log) =>
      withWarnings(log, async () => {
        await promisify(async (callback: Loose) => callback(null, 1))();
        await promisify((callback: Loose) => callback(null, 1))();
      }),
    ));

  it('notes which function settles a promise', async () => {
    notedPromises.length = 0;
    const original = (callback: Loose): void => callback(null, 1);
    const promise = SHIMS.promisify(original)();
    expect(notedPromises).toEqual([[original, promise]]);
    expect(await promise).toBe(1);
  });
});

describe('callbackify', () => {
  const called = (callbackify: Loose, original: Loose, log: Log, ...args: unknown[]): Promise<void> =>
    new Promise((resolve) => {
      Reflect.apply(callbackify(original), 'a receiver', [
        ...args,
        function (this: unknown, error: Error & { reason?: unknown }, ...values: unknown[]) {
          log(this, error, error?.message, error?.reason, values);
          resolve();
        },
      ]);
    });

  it('calls back with the value or the reason, with the receiver of the call', () =>
    compareValid(async ({ callbackify }, log) => {
      await called(callbackify, async (...args: unknown[]) => args, log, 1, 2);
      await called(
        callbackify,
        function (this: unknown) {
          return Promise.resolve(this);
        },
        log,
      );
      await called(callbackify, () => Promise.reject(new RangeError('x')), log);
      for (const reason of [null, undefined, 0, '', 'a text'])
        await called(callbackify, () => Promise.reject(reason), log);
    }));

  it('returns a function with the properties of the original, a longer name and one more parameter', () =>
    compareValid(({ callbackify }, log) => {
      async function named(_a: unknown): Promise<void> {}
      log(attributes(callbackify(Object.assign(named, { extra: 1 }))));
      const renamed = async (): Promise<void> => {};
      Object.defineProperties(renamed, { length: { value: 'no number' }, name: { value: 7 } });
      log(attributes(callbackify(renamed)));
      const nameless = async (): Promise<void> => {};
      Reflect.deleteProperty(nameless, 'name');
      Reflect.deleteProperty(nameless, 'length');
      log(attributes(callbackify(nameless)));
    }));

  it('refuses what is no function, and a call without a callback', async () => {
    for (const value of NOT_FUNCTIONS) {
      await compareRefused(({ callbackify }) => callbackify(value));
      await compareRefused(({ callbackify }) => callbackify(async () => {})(value));
    }
    await compareRefused(({ callbackify }) => callbackify(async () => {})());
  });
});

describe('deprecate', () => {
  it('warns at the first call, once for a code', () =>
    compareValid(({ deprecate }, log) =>
      withWarnings(log, async () => {
        const sum = deprecate((a: number, b: number) => a + b, 'use add', 'SHIM1');
        log('not yet called');
        log(sum(1, 2), sum(3, 4));
        await settle();
        log(deprecate(() => 'same code', 'other text', 'SHIM1')());
        log(deprecate(() => 'other code', 'use it', 'SHIM2')());
        for (let i = 0; i < 2; i++) log(deprecate(() => 'without a code', 'use none')());
        for (let i = 0; i < 2; i++) log(deprecate(() => 'experimental', 'may change', 'ExperimentalWarning')());
      }),
    ));

  it('warns as soon as deprecations are no longer ignored', () =>
    compareValid(({ deprecate }, log) =>
      withWarnings(log, async () => {
        const old = deprecate(() => 1, 'old', 'SHIM3');
        process.noDeprecation = true;
        log(old());
        await settle();
        process.noDeprecation = false;
        log(old());
      }),
    ));

  it('keeps receivers, constructors and prototypes', () =>
    compareValid(({ deprecate }, log) =>
      withWarnings(log, () => {
        class Old {
          static extra = 1;
          readonly field: unknown;
          constructor(field: unknown) {
            this.field = field;
          }
        }
        const OldClass = deprecate(Old, 'a class') as unknown as typeof Old;
        class Derived extends OldClass {}
        const made = new OldClass(1);
        log(made.field, made instanceof Old, new Old(2) instanceof OldClass, OldClass.extra, OldClass.length);
        log(new Derived(3) instanceof Derived, new Derived(4).field, Object.getPrototypeOf(OldClass) === Old);
        log(
          Reflect.apply(
            deprecate(function (this: unknown) {
              return this;
            }, 'a function'),
            'a receiver',
            [],
          ),
        );
        const arrow = deprecate((_a: unknown, _b: unknown) => 1, 'an arrow');
        log(arrow.length, typeof arrow.prototype, arrow.name);
        const own = deprecate(Old, 'unmodified', undefined, { modifyPrototype: false }) as unknown as typeof Old;
        log(own.length, Object.getPrototypeOf(own) === Old, own.extra, new own(5) instanceof Old);
      }),
    ));

  it('refuses a code that is no text', async () => {
    for (const code of [5, {}, null, () => {}]) await compareRefused(({ deprecate }) => deprecate(() => {}, 'x', code));
  });
});

describe('debuglog', () => {
  it('writes for the sections of NODE_DEBUG only', { timeout: 60_000 }, async ({ onTestFinished }) => {
    const main = `
      const { debuglog } = require('util');
      const shown = (name) => {
        let seen = [];
        const log = debuglog(name, (logger) => seen.push(typeof logger, logger.enabled));
        console.log(name, Object.getOwnPropertyDescriptor(log, 'enabled').configurable, log.name);
        if (name !== 'late') console.log(log.enabled, log.enabled);
        log('first %d', 1);
        log('second %s', 'two');
        console.log(log.enabled, seen, debuglog(name).enabled);
        debuglog(name)('without a callback');
      };
      ['one', 'TWO', 'three', 'wild1', 'late'].forEach(shown);
      process.env.NODE_DEBUG = 'three';
      debuglog('three')('no longer');`;
    const directory = createProgram({ 'main.cjs': main }, onTestFinished);
    const options = { environment: { NODE_DEBUG: 'One,two,wild*,late' } };
    const [native, transformed] = [
      await runNative(directory, 'main.cjs', options),
      await runTransformed(directory, 'main.cjs', options),
    ];
    const comparable = ({ stdout, stderr, code }: Outcome): object => ({
      stdout,
      code,
      stderr: stderr.replaceAll(/^(\w+) \d+:/gm, '$1 PID:'),
    });
    expect(native.stderr).toContain('first 1');
    expect(comparable(transformed)).toEqual(comparable(native));
  });

  it('neither writes nor tells a section that is not enabled', () =>
    compareValid(({ debuglog }, log) => {
      const logger = debuglog('shims', (implementation: { enabled: boolean }) => log(implementation.enabled));
      logger('one');
      logger('two');
      log(logger.enabled);
      log(debuglog('shims').enabled);
    }));
});
