"use strict";
import { AbortError } from "./abort-error.js";
import { addListener, checkOptions, onceOptions, removeListener } from "./listening.js";
const NO_OPTIONS = Object.freeze({ __proto__: null });
export async function once(emitter, name, options = NO_OPTIONS) {
  checkOptions(emitter, name, options);
  const { signal } = options;
  if (signal?.aborted) throw new AbortError(void 0, { cause: signal.reason });
  return new Promise((resolve, reject) => {
    const errorListener = (error) => {
      emitter.removeListener?.(name, resolver);
      if (signal != null) removeListener(signal, "abort", abortListener);
      reject(error);
    };
    const resolver = (...args) => {
      if (typeof emitter.removeListener === "function") emitter.removeListener("error", errorListener);
      if (signal != null) removeListener(signal, "abort", abortListener);
      resolve(args);
    };
    addListener(emitter, name, resolver, onceOptions());
    if (name !== "error" && typeof emitter.once === "function") emitter.once("error", errorListener);
    function abortListener() {
      removeListener(emitter, name, resolver);
      removeListener(emitter, "error", errorListener);
      reject(new AbortError(void 0, { cause: signal?.reason }));
    }
    if (signal != null) addListener(signal, "abort", abortListener, onceOptions());
  });
}
