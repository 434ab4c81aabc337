// `events.on` like Node's. The iterator, its queued events and its waiting consumers can be captured.
import { AbortError } from './abort-error.ts';
import { addAbortListener } from './abort-listener.ts';
import { addListener, checkOptions, removeListener, type Emitter, type Listener } from './event-listeners.ts';
import { natives } from './natives.ts';

interface Options {
  readonly signal?: AbortSignal | undefined;
  readonly close?: readonly PropertyKey[];
  readonly highWaterMark?: number;
  readonly highWatermark?: number;
  readonly lowWaterMark?: number;
  readonly lowWatermark?: number;
}

interface Waiter {
  resolve(result: IteratorResult<unknown>): void;
  reject(error: unknown): void;
}

const NO_OPTIONS: Options = Object.freeze({ __proto__: null }) as Options;
const WATERMARKS = Symbol.for('nodejs.watermarkData');
const asyncIteratorPrototype = Object.getPrototypeOf(
  Object.getPrototypeOf(async function* () {}.prototype) as object,
) as object;

/** Whether `done` is the first property of a result, as in Node 26. */
const isDoneFirst = Number.parseInt(process.versions.node, 10) >= 26;

function iteratorResult(value: unknown, done: boolean): IteratorResult<unknown> {
  return isDoneFirst ? { done, value } : { value, done };
}

/** A first-in, first-out queue. Removed items are released in batches. */
class Queue<T> {
  items: T[] = [];
  head = 0;

  get isEmpty(): boolean {
    return this.head === this.items.length;
  }

  push(item: T): void {
    this.items.push(item);
  }

  shift(): T {
    const item = this.items[this.head] as T;
    (this.items as unknown[])[this.head++] = undefined;
    if (this.head === this.items.length || this.head === 1024) {
      this.items.splice(0, this.head);
      this.head = 0;
    }
    return item;
  }
}

export function on(emitter: Emitter, event: PropertyKey, options: Options = NO_OPTIONS): AsyncIterator<unknown> {
  checkOptions(emitter, event, options);
  const { signal } = options;
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  const highWatermark = options.highWaterMark ?? options.highWatermark ?? Number.MAX_SAFE_INTEGER;
  const lowWatermark = options.lowWaterMark ?? options.lowWatermark ?? 1;
  for (const watermark of [highWatermark, lowWatermark])
    if (!Number.isSafeInteger(watermark) || watermark < 1) (0, natives.on)(emitter, event, options);

  const events = new Queue<unknown>();
  const waiters = new Queue<Waiter>();
  const listeners: [emitter: Emitter, event: PropertyKey, listener: Listener][] = [];
  let isPaused = false;
  let error: unknown = null;
  let isFinished = false;
  let size = 0;

  const iterator = Object.setPrototypeOf(
    {
      next() {
        if (size > 0) {
          const value = events.shift();
          size--;
          if (isPaused && size < lowWatermark) {
            emitter.resume();
            isPaused = false;
          }
          return Promise.resolve(iteratorResult(value, false));
        }
        if (error) {
          const rejection = Promise.reject(error as Error);
          // As in Node, only one call of `next` rejects.
          error = null;
          return rejection;
        }
        if (isFinished) return close();
        return new Promise((resolve, reject) => {
          waiters.push({ resolve, reject });
        });
      },
      return() {
        return close();
      },
      throw(reason: unknown) {
        if (!reason || !(reason instanceof Error))
          ((0, natives.on)(DUMMY_EMITTER, 'x') as { throw(reason: unknown): void }).throw(reason);
        fail(reason);
      },
      [Symbol.asyncIterator](): unknown {
        return this;
      },
      [WATERMARKS]: {
        get size() {
          return size;
        },
        get low() {
          return lowWatermark;
        },
        get high() {
          return highWatermark;
        },
        get isPaused() {
          return isPaused;
        },
      },
    },
    asyncIteratorPrototype,
  ) as AsyncIterator<unknown>;

  listen(event, function (...args: unknown[]) {
    return pushEvent(args);
  });
  if (event !== 'error' && typeof emitter.on === 'function') listen('error', fail);
  const closeEvents = options?.close;
  if (closeEvents?.length) for (let i = 0; i < closeEvents.length; i++) listen(closeEvents[i] as PropertyKey, close);
  const abortListener = signal ? addAbortListener(signal, onAbort) : null;

  return iterator;

  function listen(name: PropertyKey, listener: Listener): void {
    addListener(emitter, name, listener);
    listeners.push([emitter, name, listener]);
  }

  function onAbort(): void {
    fail(new AbortError(undefined, { cause: signal?.reason }));
  }

  function pushEvent(value: unknown): void {
    if (!waiters.isEmpty) return waiters.shift().resolve(iteratorResult(value, false));
    size++;
    if (!isPaused && size > highWatermark) {
      isPaused = true;
      emitter.pause();
    }
    events.push(value);
  }

  function fail(reason: unknown): void {
    if (waiters.isEmpty) error = reason;
    else waiters.shift().reject(reason);
    void close();
  }

  function close(): Promise<IteratorResult<unknown>> {
    abortListener?.[Symbol.dispose]();
    while (listeners.length > 0) removeListener(...(listeners.pop() as (typeof listeners)[0]));
    isFinished = true;
    isPaused = false;
    const endResult = iteratorResult(undefined, true);
    while (!waiters.isEmpty) waiters.shift().resolve(endResult);
    return Promise.resolve(endResult);
  }
}

/** An emitter without events, to get the error message of Node's own iterator. */
const DUMMY_EMITTER = { on: () => undefined, removeListener: () => undefined };
