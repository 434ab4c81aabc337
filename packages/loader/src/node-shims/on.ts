// `events.on`: as Node's; the iterator, what it has not handed out yet and who waits for it can be captured.
import { AbortError } from './abort-error.ts';
import { addAbortListener } from './abort-listener.ts';
import { addListener, checkOptions, removeListener, type Emitter, type Listener } from './listening.ts';
import { natives } from './natives.ts';

interface Options {
  readonly signal?: AbortSignal | undefined;
  readonly close?: readonly PropertyKey[];
  readonly highWaterMark?: number;
  readonly highWatermark?: number;
  readonly lowWaterMark?: number;
  readonly lowWatermark?: number;
}

interface Waiting {
  resolve(result: IteratorResult<unknown>): void;
  reject(error: unknown): void;
}

const NO_OPTIONS: Options = Object.freeze({ __proto__: null }) as Options;
const WATERMARKS = Symbol.for('nodejs.watermarkData');
const asyncIteratorPrototype = Object.getPrototypeOf(
  Object.getPrototypeOf(async function* () {}.prototype) as object,
) as object;

/** Node 26 names the end first. */
const isDoneFirst = Number.parseInt(process.versions.node, 10) >= 26;

function resultOf(value: unknown, done: boolean): IteratorResult<unknown> {
  return isDoneFirst ? { done, value } : { value, done };
}

/** First in, first out; what has been taken is let go in bulk. */
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
  for (const mark of [highWatermark, lowWatermark])
    if (!Number.isSafeInteger(mark) || mark < 1) (0, natives.on)(emitter, event, options);

  const events = new Queue<unknown>();
  const waiting = new Queue<Waiting>();
  const listeners: [emitter: Emitter, event: PropertyKey, listener: Listener][] = [];
  let paused = false;
  let error: unknown = null;
  let finished = false;
  let size = 0;

  const iterator = Object.setPrototypeOf(
    {
      next() {
        if (size > 0) {
          const value = events.shift();
          size--;
          if (paused && size < lowWatermark) {
            emitter.resume?.();
            paused = false;
          }
          return Promise.resolve(resultOf(value, false));
        }
        if (error) {
          const rejection = Promise.reject(error as Error);
          // Only one element fails.
          error = null;
          return rejection;
        }
        if (finished) return close();
        return new Promise((resolve, reject) => {
          waiting.push({ resolve, reject });
        });
      },
      return() {
        return close();
      },
      throw(reason: unknown) {
        if (!reason || !(reason instanceof Error))
          ((0, natives.on)(REFUSING, 'x') as { throw(reason: unknown): void }).throw(reason);
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
          return paused;
        },
      },
    },
    asyncIteratorPrototype,
  ) as AsyncIterator<unknown>;

  listen(event, function (...args: unknown[]) {
    return take(args);
  });
  if (event !== 'error' && typeof emitter.on === 'function') listen('error', fail);
  const closing = options?.close;
  if (closing?.length) for (let i = 0; i < closing.length; i++) listen(closing[i] as PropertyKey, close);
  const abortListener = signal ? addAbortListener(signal, onAbort) : null;

  return iterator;

  function listen(name: PropertyKey, listener: Listener): void {
    addListener(emitter, name, listener);
    listeners.push([emitter, name, listener]);
  }

  function onAbort(): void {
    fail(new AbortError(undefined, { cause: signal?.reason }));
  }

  function take(value: unknown): void {
    if (!waiting.isEmpty) return waiting.shift().resolve(resultOf(value, false));
    size++;
    if (!paused && size > highWatermark) {
      paused = true;
      emitter.pause?.();
    }
    events.push(value);
  }

  function fail(reason: unknown): void {
    if (waiting.isEmpty) error = reason;
    else waiting.shift().reject(reason);
    void close();
  }

  function close(): Promise<IteratorResult<unknown>> {
    abortListener?.[Symbol.dispose]();
    while (listeners.length > 0) removeListener(...(listeners.pop() as (typeof listeners)[0]));
    finished = true;
    paused = false;
    const end = resultOf(undefined, true);
    while (!waiting.isEmpty) waiting.shift().resolve(end);
    return Promise.resolve(end);
  }
}

/** An emitter for nobody: Node's own iterator of it says what is no error. */
const REFUSING: Emitter = { on: () => undefined, removeListener: () => undefined };
