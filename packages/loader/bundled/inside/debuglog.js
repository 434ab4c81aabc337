"use strict";
import { natives } from "./natives.js";
const implementations = /* @__PURE__ */ Object.create(null);
function silent() {
}
function implementationOf(set, enabled) {
  return implementations[set] ??= enabled ? function debug(...args) {
    (0, natives.debuglog)(set)(...args);
  } : silent;
}
export function debuglog(set, callback) {
  let enabled;
  let isKnown = false;
  let implementation;
  function init() {
    set = Reflect.apply(String.prototype.toUpperCase, set, []);
    return enabled = (0, natives.debuglog)(set).enabled;
  }
  const logger = (...args) => {
    if (enabled === false) return;
    if (implementation === void 0) {
      const isEnabled = init();
      implementation = implementationOf(set, isEnabled);
      if (typeof callback === "function") {
        Object.defineProperty(implementation, "enabled", {
          get: () => isEnabled,
          configurable: true,
          enumerable: true
        });
        callback(implementation);
      }
    }
    implementation(...args);
  };
  Object.defineProperty(logger, "enabled", {
    get() {
      if (!isKnown) {
        isKnown = true;
        init();
      }
      return enabled;
    },
    configurable: true,
    enumerable: true
  });
  return logger;
}
