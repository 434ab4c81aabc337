"use strict";
import { natives } from "./natives.js";
export function onceOptions() {
  return { __proto__: null, once: true, [natives.resistStopPropagation]: true };
}
export function addListener(emitter, name, listener, options) {
  if (typeof emitter.on === "function") {
    if (options?.once === true) emitter.once?.(name, listener);
    else emitter.on(name, listener);
  } else if (typeof emitter.addEventListener === "function") {
    emitter.addEventListener(name, listener, options);
  } else (0, natives.on)(emitter, name);
}
export function removeListener(emitter, name, listener, options) {
  if (typeof emitter.removeListener === "function") emitter.removeListener(name, listener);
  else if (typeof emitter.removeEventListener === "function") emitter.removeEventListener(name, listener, options);
  else (0, natives.on)(emitter, name);
}
export function checkOptions(emitter, name, options) {
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options);
  const signal = isObject ? options.signal : void 0;
  const isSignal = signal === void 0 || typeof signal === "object" && signal !== null && "aborted" in signal;
  if (!isObject || !isSignal) (0, natives.on)(emitter, name, options);
}
