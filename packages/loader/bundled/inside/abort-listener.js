"use strict";
import { natives } from "./natives.js";
import { onceOptions } from "./listening.js";
export function addAbortListener(signal, listener) {
  const isSignal = typeof signal === "object" && signal !== null && "aborted" in signal;
  if (!isSignal || typeof listener !== "function") (0, natives.addAbortListener)(signal, listener);
  let removeEventListener;
  if (signal.aborted) {
    queueMicrotask(() => listener());
  } else {
    signal.addEventListener("abort", listener, onceOptions());
    removeEventListener = () => signal.removeEventListener("abort", listener);
  }
  return {
    __proto__: null,
    [Symbol.dispose]() {
      removeEventListener?.();
    }
  };
}
