"use strict";
import { types } from "node:util";
import { natives } from "./natives.js";
const CUSTOM = /* @__PURE__ */ Symbol.for("nodejs.util.promisify.custom");
function argumentNamesOf(original) {
  for (const key of Object.getOwnPropertySymbols(original))
    if (key.description === "customPromisifyArgs") return original[key];
  return void 0;
}
export function promisify(original) {
  if (typeof original !== "function" || original[CUSTOM])
    return (0, natives.promisify)(original);
  const argumentNames = argumentNamesOf(original);
  function fn(...args) {
    const promise = new Promise((resolve, reject) => {
      args.push((error, ...values) => {
        if (error) return reject(error);
        if (argumentNames !== void 0 && values.length > 1) {
          const results = {};
          for (let i = 0; i < argumentNames.length; i++) results[argumentNames[i]] = values[i];
          resolve(results);
        } else resolve(values[0]);
        return void 0;
      });
      if (types.isPromise(Reflect.apply(original, this, args))) {
        process.emitWarning(
          "Calling promisify on a function that returns a Promise is likely a mistake.",
          "DeprecationWarning",
          "DEP0174"
        );
      }
    });
    (0, natives.beginsOutside)(original, promise);
    return promise;
  }
  Object.setPrototypeOf(fn, Object.getPrototypeOf(original));
  Object.defineProperty(fn, CUSTOM, { value: fn, enumerable: false, writable: false, configurable: true });
  return Object.defineProperties(fn, Object.getOwnPropertyDescriptors(original));
}
