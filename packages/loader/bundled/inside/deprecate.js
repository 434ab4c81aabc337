"use strict";
import { natives } from "./natives.js";
const warnedOf = /* @__PURE__ */ new Set();
export function deprecate(fn, message, code, { modifyPrototype = true } = {}) {
  if (code !== void 0 && typeof code !== "string") return (0, natives.deprecate)(fn, message, code);
  let warned = false;
  function warn() {
    if (warned) return;
    warned = true;
    if (code === void 0) {
      process.emitWarning(message, "DeprecationWarning", deprecated);
    } else if (code === "ExperimentalWarning") {
      process.emitWarning(message, code, deprecated);
    } else if (!warnedOf.has(code)) {
      process.emitWarning(message, "DeprecationWarning", code, deprecated);
      warnedOf.add(code);
    }
  }
  function deprecated(...args) {
    if (process.noDeprecation !== true) warn();
    if (new.target) return Reflect.construct(fn, args, new.target);
    return Reflect.apply(fn, this, args);
  }
  if (modifyPrototype) {
    Object.setPrototypeOf(deprecated, fn);
    const { prototype } = fn;
    if (prototype) deprecated.prototype = prototype;
    Object.defineProperty(deprecated, "length", { ...Object.getOwnPropertyDescriptor(fn, "length") });
  }
  return deprecated;
}
