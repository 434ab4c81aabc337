// `timers/promises` and `AbortSignal.timeout` as in Node.
import { createHook } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { useNatives } from '../../src/node-shims/natives.ts';
import { compareRefused, compareValid, NATIVES, outcomeOf, settle, SHIMS, type Functions, type Log } from './both.ts';

const NOT_OPTIONS: readonly unknown[] = [null, 5, 'x', [], { signal: 5 }, { signal: null }, { signal: {} }, { ref: 1 }];
const abortListeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;
interface Timer {
  readonly _destroyed: boolean;
  hasRef(): boolean;
}
/** The timers and immediates that `run` creates at once. */
function timersOf(run: () => unknown): Timer[] {
  const timers: Timer[] = [];
  const init = (_: number, type: string, __: number, resource: object): void => {
    if (type === 'Timeout' || type === 'Immediate') timers.push(resource as Timer);
  };
  const hook = createHook({ init }).enable();
  try {
    run();
  } finally {
    hook.disable();
  }
  return timers;
}
const statesOf = (timers: readonly Timer[]): unknown =>
  timers.map((timer) => ({ isDestroyed: timer._destroyed, keepsRunning: timer.hasRef() }));
function stoppedController(): AbortController {
  const controller = new AbortController();
  controller.signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
  return controller;
}

describe.each(['setTimeout', 'setImmediate'] as const)('%s', (name) => {
  const start = (functions: Functions, value: unknown, options?: unknown, delay = 1): Promise<unknown> =>
    name === 'setTimeout' ? functions.setTimeout(delay, value, options) : functions.setImmediate(value, options);

  it('resolves with its value', () =>
    compareValid(async (functions, log) => {
      const { signal } = new AbortController();
      log(await start(functions, 'a value'), await functions[name](), await start(functions, 1, {}));
      const waiting = start(functions, 'with a signal', { signal });
      log(abortListeners(signal));
      log(await waiting, abortListeners(signal));
    }));

  it('keeps the process running unless it must not', () =>
    compareValid(async (functions, log) => {
      for (const options of [{}, { ref: true }, { ref: undefined }, { ref: false }]) {
        const controller = new AbortController();
        let waiting: Promise<unknown> | undefined;
        const timers = timersOf(() => {
          waiting = outcomeOf(() => start(functions, 1, { ...options, signal: controller.signal }));
        });
        log(statesOf(timers));
        controller.abort();
        await waiting;
      }
    }));

  it('rejects when its signal is aborted, before and while it waits', () =>
    compareValid(async (functions, log) => {
      let before: Promise<unknown> | undefined;
      const none = timersOf(() => {
        before = outcomeOf(() => start(functions, 1, { signal: AbortSignal.abort('before') }, 2 ** 30));
      });
      log(await before, none.length);
      const controller = stoppedController();
      let waiting: Promise<unknown> | undefined;
      const timers = timersOf(() => {
        waiting = outcomeOf(() => start(functions, 1, { signal: controller.signal }, 2 ** 30));
      });
      log(statesOf(timers));
      controller.abort('while');
      log(await waiting, abortListeners(controller.signal), statesOf(timers));
    }));

  it('ignores a signal that is aborted too late', () =>
    compareValid(async (functions, log) => {
      const controller = new AbortController();
      log(await start(functions, 'in time', { signal: controller.signal }));
      controller.abort();
      log(abortListeners(controller.signal));
    }));

  it('refuses options that are none', async () => {
    for (const options of NOT_OPTIONS) await compareRefused((functions) => start(functions, 1, options));
    if (name === 'setTimeout')
      for (const delay of [null, 'x', {}, 1n]) await compareRefused(({ setTimeout }) => setTimeout(delay, 1));
  });
});

describe('setInterval', () => {
  it('yields its value until the loop ends', () =>
    compareValid(async ({ setInterval }, log) => {
      const { signal } = new AbortController();
      const interval = setInterval(1, 'a value', { signal });
      let first: Promise<unknown> | undefined;
      const timers = timersOf(() => (first = interval.next()));
      log(statesOf(timers), abortListeners(signal));
      log(await first, await interval.next(), await interval.next(), statesOf(timers));
      log(await interval.return(), statesOf(timers), abortListeners(signal));
      for await (const value of setInterval()) {
        log(value);
        break;
      }
    }));

  it('keeps the process running unless it must not', () =>
    compareValid(async ({ setInterval }, log) => {
      for (const options of [{}, { ref: true }, { ref: false }]) {
        const controller = new AbortController();
        const interval = setInterval(2 ** 30, 1, { ...options, signal: controller.signal });
        let waiting: Promise<unknown> | undefined;
        const timers = timersOf(() => (waiting = outcomeOf(() => interval.next())));
        log(statesOf(timers));
        controller.abort('enough');
        log(await waiting, statesOf(timers), await interval.next());
      }
    }));

  it('ends with an error when its signal is aborted, before, between and while it waits', () =>
    compareValid(async ({ setInterval }, log) => {
      log(await outcomeOf(() => setInterval(1, 1, { signal: AbortSignal.abort('before') }).next()));
      const between = new AbortController();
      const interval = setInterval(1, 'a value', { signal: between.signal });
      log(await interval.next());
      between.abort('between');
      log(await outcomeOf(() => interval.next()), await interval.next(), abortListeners(between.signal));
      const controller = stoppedController();
      const waiting = outcomeOf(() => setInterval(2 ** 30, 1, { signal: controller.signal }).next());
      controller.abort('while');
      log(await waiting, abortListeners(controller.signal));
    }));

  it('refuses options that are none', async () => {
    for (const options of NOT_OPTIONS) await compareRefused(({ setInterval }) => setInterval(1, 1, options).next());
    for (const delay of [null, 'x', {}]) await compareRefused(({ setInterval }) => setInterval(delay, 1).next());
  });

  describe('with timers that the test fires', () => {
    afterEach(() => useNatives(NATIVES));

    it('yields a value for each tick that its consumer has missed', async () => {
      let fire = (): void => undefined;
      const cleared: unknown[] = [];
      const delays: unknown[] = [];
      useNatives({
        ...NATIVES,
        timers: {
          ...NATIVES.timers,
          setInterval: ((callback: () => void, delay: number) => {
            fire = callback;
            delays.push(delay);
            return 'the interval';
          }) as unknown as typeof setInterval,
          clearTimeout: ((timer: unknown) => void cleared.push(timer)) as typeof clearTimeout,
        },
      });
      const interval = SHIMS.setInterval(7, 'a value');
      const first = interval.next();
      fire();
      expect(await first).toEqual({ value: 'a value', done: false });
      for (let i = 0; i < 3; i++) fire();
      for (let i = 0; i < 3; i++) expect(await interval.next()).toEqual({ value: 'a value', done: false });
      const results: unknown[] = [];
      const log: Log = (...entry) => void results.push(entry);
      const next = (interval.next() as Promise<unknown>).then(log);
      await settle();
      expect(results).toEqual([]);
      fire();
      await next;
      expect(results).toEqual([[{ value: 'a value', done: false }]]);
      expect(await interval.return()).toEqual({ value: undefined, done: true });
      expect({ cleared, delays }).toEqual({ cleared: ['the interval'], delays: [7] });
    });

    it('passes delays, values and timers on', async () => {
      const calls: unknown[] = [];
      const timer = { _destroyed: false, unref: () => calls.push('unref') };
      const set =
        (name: string) =>
        (resolve: (value: unknown) => void, ...args: unknown[]): unknown => {
          calls.push([name, ...args]);
          if (args.at(-1) !== 'never') resolve(args.at(-1));
          return timer;
        };
      useNatives({
        ...NATIVES,
        timers: {
          setTimeout: set('setTimeout'),
          setImmediate: set('setImmediate'),
          clearTimeout: (given: unknown) => calls.push(['clearTimeout', given === timer]),
          clearImmediate: (given: unknown) => calls.push(['clearImmediate', given === timer]),
        } as unknown as typeof NATIVES.timers,
      });
      expect(await SHIMS.setTimeout(5, 'a value', { ref: false })).toBe('a value');
      expect(await SHIMS.setImmediate('a value')).toBe('a value');
      for (const name of ['setTimeout', 'setImmediate'] as const) {
        const args = name === 'setTimeout' ? [5, 'never'] : ['never'];
        for (const isDestroyed of [false, true]) {
          timer._destroyed = isDestroyed;
          const controller = new AbortController();
          let isRejected = false;
          SHIMS[name](...args, { signal: controller.signal }).catch(() => (isRejected = true));
          controller.abort();
          await settle();
          expect(isRejected).toBe(!isDestroyed);
        }
      }
      expect(calls).toEqual([
        ['setTimeout', 5, 'a value'],
        'unref',
        ['setImmediate', 'a value'],
        ['setTimeout', 5, 'never'],
        ['clearTimeout', true],
        ['setTimeout', 5, 'never'],
        ['setImmediate', 'never'],
        ['clearImmediate', true],
        ['setImmediate', 'never'],
      ]);
    });
  });
});

describe('AbortSignal.timeout', () => {
  it('aborts its signal with a timeout error, and does not keep the process running', () =>
    compareValid(async ({ timeout }, log) => {
      for (const delay of [0, 1]) {
        let signal = AbortSignal.abort();
        const timers = timersOf(() => (signal = Reflect.apply(timeout, AbortSignal, [delay]) as AbortSignal));
        log(statesOf(timers), signal.aborted);
        const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
        const running = setInterval(() => {}, 1000);
        await aborted;
        clearInterval(running);
        log(signal.reason.name, signal.reason.message, signal.reason instanceof DOMException);
      }
    }));

  it('accepts the longest delay and refuses what is none', async () => {
    await compareValid(({ timeout }, log) => {
      log(Reflect.apply(timeout, AbortSignal, [2 ** 32 - 1]).aborted);
    });
    for (const delay of [-1, 1.5, 2 ** 32, '1', undefined, Number.NaN])
      await compareRefused(({ timeout }) => Reflect.apply(timeout, AbortSignal, [delay]));
  });
});
