// `events.once`, `events.on` and `events.addAbortListener` as in Node.
import { EventEmitter, getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { compare, compareRefused, compareValid, outcomeOf, settle, type Loose } from './both.ts';

const counts = (emitter: EventEmitter, ...names: string[]): number[] =>
  names.map((name) => emitter.listenerCount(name));
const abortListeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;
/** A signal whose listeners after the first one are not called, except those that resist. */
function stoppedController(): AbortController {
  const controller = new AbortController();
  controller.signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
  return controller;
}
const NOT_OPTIONS: readonly unknown[] = [null, 5, 'x', [], { signal: 5 }, { signal: null }, { signal: {} }];

describe('once', () => {
  it('resolves with the arguments and leaves no listeners', () =>
    compareValid(async ({ once }, log) => {
      const emitter = new EventEmitter();
      const { signal } = new AbortController();
      const waiting = once(emitter, 'a', { signal });
      log(counts(emitter, 'a', 'error'), abortListeners(signal));
      emitter.emit('a', 1, 2);
      emitter.emit('a', 3);
      log(counts(emitter, 'a', 'error'), abortListeners(signal));
      return waiting;
    }));

  it('rejects with an error event and leaves no listeners', () =>
    compareValid(async ({ once }, log) => {
      const emitter = new EventEmitter();
      const { signal } = new AbortController();
      const waiting = outcomeOf(() => once(emitter, 'a', { signal }));
      emitter.emit('error', new RangeError('x'));
      log(counts(emitter, 'a', 'error'), abortListeners(signal));
      return waiting;
    }));

  it('resolves when it waits for the error event itself', () =>
    compareValid(async ({ once }, log) => {
      const emitter = new EventEmitter();
      const waiting = once(emitter, 'error');
      log(counts(emitter, 'error'));
      emitter.emit('error', 'a reason');
      log(counts(emitter, 'error'));
      return waiting;
    }));

  it('rejects when its signal is aborted, before and while it waits', () =>
    compareValid(async ({ once }, log) => {
      const emitter = new EventEmitter();
      log(await outcomeOf(() => once(emitter, 'a', { signal: AbortSignal.abort('before') })), counts(emitter, 'a'));
      const controller = stoppedController();
      const waiting = outcomeOf(() => once(emitter, 'a', { signal: controller.signal }));
      controller.abort('while');
      log(counts(emitter, 'a', 'error'), abortListeners(controller.signal));
      return waiting;
    }));

  it('waits for events of an EventTarget, which has no special error event', () =>
    compareValid(async ({ once }, log) => {
      const target = new EventTarget();
      const { signal } = new AbortController();
      const waiting = once(target, 'a', { signal });
      target.dispatchEvent(new Event('error'));
      target.dispatchEvent(new Event('a'));
      const events = (await waiting) as Event[];
      log(
        events.map(({ type }) => type),
        getEventListeners(target, 'a').length,
        abortListeners(signal),
      );
      const controller = new AbortController();
      const aborted = outcomeOf(() => once(target, 'a', { signal: controller.signal }));
      controller.abort();
      log(getEventListeners(target, 'a').length);
      return aborted;
    }));

  it('uses only the methods that an emitter has', () =>
    compareValid(async ({ once }, log) => {
      const emitterWith = (names: readonly string[]): { calls: unknown[]; emitter: object; emit: () => void } => {
        const calls: unknown[] = [];
        let listener: Loose | undefined;
        const method =
          (name: string): Loose =>
          (event: string, given: Loose) => {
            calls.push([name, event]);
            if (event === 'a') listener = given;
          };
        return {
          calls,
          emitter: Object.fromEntries(names.map((name) => [name, method(name)])),
          emit: () => void listener?.('emitted'),
        };
      };
      for (const names of [
        ['on', 'once'],
        ['on', 'once', 'removeListener'],
        ['addEventListener', 'removeEventListener'],
      ]) {
        const { calls, emitter, emit } = emitterWith(names);
        const waiting = once(emitter, 'a');
        emit();
        log(await waiting, calls);
      }
    }));

  it('refuses what is no emitter, and options that are none', async () => {
    for (const emitter of [{}, { emit() {} }]) await compareRefused(({ once }) => once(emitter, 'a'));
    for (const options of NOT_OPTIONS) {
      const outcome = (await compare(({ once }) => once(new EventEmitter(), 'a', options))).at(-1);
      expect(outcome, JSON.stringify(options)).toHaveProperty('error');
    }
  });
});

describe('on', () => {
  const take = async (iterator: AsyncIterator<unknown>, count: number): Promise<unknown[]> => {
    const results: unknown[] = [];
    for (let i = 0; i < count; i++) results.push(await outcomeOf(() => iterator.next()));
    return results;
  };

  it('yields events in their order, whether they or their consumers are first', () =>
    compareValid(async ({ on }, log) => {
      const emitter = new EventEmitter();
      const iterator = on(emitter, 'a');
      emitter.emit('a', 1, 2);
      emitter.emit('a', 3);
      log(await take(iterator, 2));
      const waiting = [iterator.next(), iterator.next(), iterator.next()];
      for (const value of [4, 5, 6, 7]) emitter.emit('a', value);
      log(await Promise.all(waiting), await take(iterator, 1), counts(emitter, 'a', 'error'));
      const result = (await ((emitter.emit('a', 8), iterator.next()) as Promise<object>)) as object;
      log(Object.keys(result), Object.keys(await iterator.return()));
    }));

  it('keeps the order of thousands of events', () =>
    compareValid(async ({ on }, log) => {
      const emitter = new EventEmitter();
      const iterator = on(emitter, 'a');
      const taken: unknown[] = [];
      let emitted = 0;
      for (const [emits, takes] of [
        [1500, 700],
        [10, 400],
        [2000, 1024],
        [3, 1389],
      ] as const) {
        for (let i = 0; i < emits; i++) emitter.emit('a', emitted++);
        for (let i = 0; i < takes; i++) taken.push(((await iterator.next()) as { value: unknown[] }).value[0]);
      }
      expect(taken).toEqual(Array.from({ length: 3513 }, (_, i) => i));
      const waiting = Array.from({ length: 1030 }, () => iterator.next());
      for (let i = 0; i < 1030; i++) emitter.emit('a', i);
      log((await Promise.all(waiting)).map(({ value }) => value[0]));
    }));

  it('rejects once with an error, after the events before it, and then ends', () =>
    compareValid(async ({ on }, log) => {
      const emitter = new EventEmitter();
      const iterator = on(emitter, 'a');
      emitter.emit('a', 1);
      emitter.emit('error', new RangeError('x'));
      log(counts(emitter, 'a', 'error'));
      log(await take(iterator, 4));
      const waiter = on(emitter, 'a');
      const waiting = [outcomeOf(() => waiter.next()), outcomeOf(() => waiter.next())];
      emitter.emit('error', new RangeError('y'));
      log(await Promise.all(waiting), await take(waiter, 1), counts(emitter, 'a', 'error'));
      const errors = on(emitter, 'error');
      log(counts(emitter, 'error'));
      emitter.emit('error', 'an event');
      log(await take(errors, 1), await errors.return());
    }));

  it('ends when it is closed, and ends its waiting consumers', () =>
    compareValid(async ({ on }, log) => {
      const emitter = new EventEmitter();
      const { signal } = new AbortController();
      const iterator = on(emitter, 'a', { signal });
      const waiting = [iterator.next(), iterator.next()];
      log(counts(emitter, 'a', 'error'), abortListeners(signal));
      log(await iterator.return(), await Promise.all(waiting), await take(iterator, 2));
      log(counts(emitter, 'a', 'error'), abortListeners(signal));
    }));

  it('ends with the first of its close events', () =>
    compareValid(async ({ on }, log) => {
      const emitter = new EventEmitter();
      const iterator = on(emitter, 'a', { close: ['end', 'close'] });
      emitter.emit('a', 1);
      log(counts(emitter, 'a', 'error', 'end', 'close'));
      emitter.emit('close');
      log(counts(emitter, 'a', 'error', 'end', 'close'), await take(iterator, 2));
      const noneGiven = on(emitter, 'a', { close: [] });
      log(counts(emitter, 'a', 'error'), await noneGiven.return());
    }));

  it('ends with the error that its consumer throws', async () => {
    await compareValid(async ({ on }, log) => {
      const emitter = new EventEmitter();
      const iterator = on(emitter, 'a');
      emitter.emit('a', 1);
      log(iterator.throw(new RangeError('x')), counts(emitter, 'a', 'error'));
      log(await take(iterator, 3));
    });
    for (const reason of [undefined, 'a text', {}])
      await compareRefused(({ on }) => on(new EventEmitter(), 'a').throw(reason));
  });

  it('rejects when its signal is aborted, before and while it waits', () =>
    compareValid(async ({ on }, log) => {
      const emitter = new EventEmitter();
      log(await outcomeOf(() => on(emitter, 'a', { signal: AbortSignal.abort('before') })), counts(emitter, 'a'));
      const controller = stoppedController();
      const iterator = on(emitter, 'a', { signal: controller.signal });
      const waiting = outcomeOf(() => iterator.next());
      controller.abort('while');
      log(await waiting, counts(emitter, 'a', 'error'), abortListeners(controller.signal), await take(iterator, 1));
    }));

  it('pauses an emitter at the high watermark and resumes it below the low one', () =>
    compareValid(async ({ on }, log) => {
      const WATERMARKS = Symbol.for('nodejs.watermarkData');
      const names = [
        { highWaterMark: 3, lowWaterMark: 2 },
        { highWatermark: 3, lowWatermark: 2 },
        { highWaterMark: 3 },
        { highWaterMark: 1, highWatermark: 9, lowWaterMark: 1, lowWatermark: 9 },
        {},
      ];
      for (const options of names) {
        const calls: string[] = [];
        const emitter = Object.assign(new EventEmitter(), {
          pause: () => void calls.push('pause'),
          resume: () => void calls.push('resume'),
        });
        const iterator = on(emitter, 'a', options);
        const show = (): void => {
          const { size, low, high, isPaused } = iterator[WATERMARKS];
          log(size, low, high, isPaused, [...calls]);
        };
        show();
        for (let round = 0; round < 2; round++) {
          for (let i = 0; i < 6; i++) {
            emitter.emit('a', i);
            show();
          }
          for (let i = 0; i < 6; i++) {
            await iterator.next();
            show();
          }
        }
        for (let i = 0; i < 6; i++) emitter.emit('a', i);
        await iterator.return();
        show();
      }
      const plain = new EventEmitter();
      const unpausable = on(plain, 'a', { highWaterMark: 1 });
      for (const value of [1, 2, 3]) plain.emit('a', value);
      log(await take(unpausable, 3));
    }));

  it('yields events of an EventTarget', () =>
    compareValid(async ({ on }, log) => {
      const target = new EventTarget();
      const iterator = on(target, 'a');
      target.dispatchEvent(new Event('a'));
      const { value } = (await iterator.next()) as { value: Event[] };
      log(
        value.map(({ type }) => type),
        getEventListeners(target, 'error').length,
      );
      log(await iterator.return(), getEventListeners(target, 'a').length);
    }));

  it('is an async iterator like those of generators', () =>
    compareValid(({ on }, log) => {
      const iterator = on(new EventEmitter(), 'a');
      const generator = (async function* () {})();
      log(iterator[Symbol.asyncIterator]() === iterator, Object.keys(iterator));
      log(
        Object.getPrototypeOf(iterator) ===
          Object.getPrototypeOf(Object.getPrototypeOf(Object.getPrototypeOf(generator))),
      );
    }));

  it('refuses what is no emitter, options that are none, and impossible watermarks', async () => {
    for (const emitter of [{}, { emit() {} }]) await compareRefused(({ on }) => on(emitter, 'a'));
    for (const options of NOT_OPTIONS)
      expect((await compare(({ on }) => on(new EventEmitter(), 'a', options))).at(-1)).toHaveProperty('error');
    for (const watermark of [0, -1, 1.5, Number.NaN, '1', 2 ** 53])
      for (const name of ['highWaterMark', 'lowWaterMark'])
        await compareRefused(({ on }) => on(new EventEmitter(), 'a', { [name]: watermark }));
  });
});

describe('addAbortListener', () => {
  it('calls the listener once, whatever other listeners stop', () =>
    compareValid(async ({ addAbortListener }, log) => {
      const controller = stoppedController();
      const disposable = addAbortListener(controller.signal, (event: Event) => log('called', event.type));
      log(abortListeners(controller.signal), Object.getPrototypeOf(disposable), Reflect.ownKeys(disposable).length);
      controller.abort();
      log(abortListeners(controller.signal));
      disposable[Symbol.dispose]();
    }));

  it('calls the listener soon, without an event, if the signal is aborted already', () =>
    compareValid(async ({ addAbortListener }, log) => {
      const disposable = addAbortListener(AbortSignal.abort(), (...args: unknown[]) => log('called', args));
      log('later');
      disposable[Symbol.dispose]();
      await settle();
    }));

  it('does not call a listener that is disposed of', () =>
    compareValid(({ addAbortListener }, log) => {
      const controller = new AbortController();
      const disposable = addAbortListener(controller.signal, () => log('called'));
      disposable[Symbol.dispose]();
      disposable[Symbol.dispose]();
      log(abortListeners(controller.signal));
      controller.abort();
    }));

  it('refuses what is no signal, and what is no listener', async () => {
    for (const signal of [undefined, null, 5, {}, 'x'])
      await compareRefused(({ addAbortListener }) => addAbortListener(signal, () => {}));
    for (const listener of [undefined, null, {}, 'x'])
      await compareRefused(({ addAbortListener }) => addAbortListener(new AbortController().signal, listener));
  });
});
