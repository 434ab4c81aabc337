"use strict";
import { AbortError } from "./abort-error.js";
import { addAbortListener } from "./abort-listener.js";
import { addListener, checkOptions, removeListener } from "./listening.js";
import { natives } from "./natives.js";
const NO_OPTIONS = Object.freeze({ __proto__: null });
const WATERMARKS = /* @__PURE__ */ Symbol.for("nodejs.watermarkData");
const asyncIteratorPrototype = Object.getPrototypeOf(
  Object.getPrototypeOf(async function* () {
  }.prototype)
);
const isDoneFirst = Number.parseInt(process.versions.node, 10) >= 26;
function resultOf(value, done) {
  return isDoneFirst ? { done, value } : { value, done };
}
class Queue {
  items = [];
  head = 0;
  get isEmpty() {
    return this.head === this.items.length;
  }
  push(item) {
    this.items.push(item);
  }
  shift() {
    const item = this.items[this.head];
    this.items[this.head++] = void 0;
    if (this.head === this.items.length || this.head === 1024) {
      this.items.splice(0, this.head);
      this.head = 0;
    }
    return item;
  }
}
export function on(emitter, event, options = NO_OPTIONS) {
  checkOptions(emitter, event, options);
  const { signal } = options;
  if (signal?.aborted) throw new AbortError(void 0, { cause: signal.reason });
  const highWatermark = options.highWaterMark ?? options.highWatermark ?? Number.MAX_SAFE_INTEGER;
  const lowWatermark = options.lowWaterMark ?? options.lowWatermark ?? 1;
  for (const mark of [highWatermark, lowWatermark])
    if (!Number.isSafeInteger(mark) || mark < 1) (0, natives.on)(emitter, event, options);
  const events = new Queue();
  const waiting = new Queue();
  const listeners = [];
  let paused = false;
  let error = null;
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
          const rejection = Promise.reject(error);
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
      throw(reason) {
        if (!reason || !(reason instanceof Error))
          (0, natives.on)(REFUSING, "x").throw(reason);
        fail(reason);
      },
      [Symbol.asyncIterator]() {
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
        }
      }
    },
    asyncIteratorPrototype
  );
  listen(event, function(...args) {
    return take(args);
  });
  if (event !== "error" && typeof emitter.on === "function") listen("error", fail);
  const closing = options?.close;
  if (closing?.length) for (let i = 0; i < closing.length; i++) listen(closing[i], close);
  const abortListener = signal ? addAbortListener(signal, onAbort) : null;
  return iterator;
  function listen(name, listener) {
    addListener(emitter, name, listener);
    listeners.push([emitter, name, listener]);
  }
  function onAbort() {
    fail(new AbortError(void 0, { cause: signal?.reason }));
  }
  function take(value) {
    if (!waiting.isEmpty) return waiting.shift().resolve(resultOf(value, false));
    size++;
    if (!paused && size > highWatermark) {
      paused = true;
      emitter.pause?.();
    }
    events.push(value);
  }
  function fail(reason) {
    if (waiting.isEmpty) error = reason;
    else waiting.shift().reject(reason);
    void close();
  }
  function close() {
    abortListener?.[Symbol.dispose]();
    while (listeners.length > 0) removeListener(...listeners.pop());
    finished = true;
    paused = false;
    const end = resultOf(void 0, true);
    while (!waiting.isEmpty) waiting.shift().resolve(end);
    return Promise.resolve(end);
  }
}
const REFUSING = { on: () => void 0, removeListener: () => void 0 };
