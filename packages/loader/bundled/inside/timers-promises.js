"use strict";
import { AbortError } from "./abort-error.js";
import { natives } from "./natives.js";
const NO_OPTIONS = Object.freeze({ __proto__: null });
function areOptions(options) {
  if (typeof options !== "object" || options === null || Array.isArray(options)) return false;
  if (typeof options.signal !== "undefined" && !isSignal(options.signal)) return false;
  return typeof options.ref === "undefined" || typeof options.ref === "boolean";
}
function isSignal(signal) {
  return signal === void 0 || typeof signal === "object" && signal !== null && "aborted" in signal;
}
function isDelay(after) {
  return typeof after === "undefined" || typeof after === "number";
}
function abortedBy(signal) {
  return new AbortError(void 0, { cause: signal?.reason });
}
function following(promise, signal, timer, clear, reject) {
  if (!signal) return promise;
  const cancel = () => {
    if (timer._destroyed) return;
    clear(timer);
    reject(abortedBy(signal));
  };
  signal.addEventListener("abort", cancel, { __proto__: null, [natives.resistStopPropagation]: true });
  return new Promise((resolve, rejectOuter) => {
    new Promise((fulfill, fail) => {
      promise.then(fulfill, fail);
    }).finally(() => signal.removeEventListener("abort", cancel)).then(resolve, rejectOuter);
  });
}
export function setTimeout(after, value, options = NO_OPTIONS) {
  if (!isDelay(after) || !areOptions(options))
    return Promise.reject((0, natives.refusalOf)("setTimeout", after, value, options));
  const { signal, ref = true } = options;
  if (signal?.aborted) return Promise.reject(abortedBy(signal));
  const { promise, resolve, reject } = Promise.withResolvers();
  const timeout = natives.timers.setTimeout(resolve, after, value);
  if (!ref) timeout.unref();
  return following(promise, signal, timeout, natives.timers.clearTimeout, reject);
}
export function setImmediate(value, options = NO_OPTIONS) {
  if (!areOptions(options)) return Promise.reject((0, natives.refusalOf)("setImmediate", value, options));
  const { signal, ref = true } = options;
  if (signal?.aborted) return Promise.reject(abortedBy(signal));
  const { promise, resolve, reject } = Promise.withResolvers();
  const immediate = natives.timers.setImmediate(resolve, value);
  if (!ref) immediate.unref();
  return following(promise, signal, immediate, natives.timers.clearImmediate, reject);
}
export async function* setInterval(after, value, options = NO_OPTIONS) {
  if (!isDelay(after) || !areOptions(options)) throw (0, natives.refusalOf)("setTimeout", after, value, options);
  const { signal, ref = true } = options;
  if (signal?.aborted) throw abortedBy(signal);
  let onCancel;
  let interval;
  try {
    let notYielded = 0;
    let callback;
    interval = natives.timers.setInterval(() => {
      notYielded++;
      if (callback) {
        callback();
        callback = void 0;
      }
    }, after);
    if (!ref) interval.unref();
    if (signal) {
      onCancel = () => {
        natives.timers.clearTimeout(interval);
        if (callback) {
          callback(Promise.reject(abortedBy(signal)));
          callback = void 0;
        }
      };
      const once = { __proto__: null, once: true, [natives.resistStopPropagation]: true };
      signal.addEventListener("abort", onCancel, once);
    }
    while (!signal?.aborted) {
      if (notYielded === 0) {
        await new Promise((resolve) => {
          callback = resolve;
        });
      }
      for (; notYielded > 0; notYielded--) yield value;
    }
    throw abortedBy(signal);
  } finally {
    natives.timers.clearTimeout(interval);
    signal?.removeEventListener("abort", onCancel);
  }
}
