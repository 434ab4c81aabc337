"use strict";
import { natives } from "./natives.js";
function onRejected(reason, callback) {
  if (!reason) {
    const error = Object.assign(new Error("Promise was rejected with falsy value"), {
      code: "ERR_FALSY_VALUE_REJECTION",
      reason
    });
    Error.captureStackTrace(error, onRejected);
    return callback(error);
  }
  return callback(reason);
}
export function callbackify(original) {
  if (typeof original !== "function") return (0, natives.callbackify)(original);
  function callbackified(...args) {
    const last = args.pop();
    if (typeof last !== "function") return (0, natives.callbackify)(callbackify)(last);
    const callback = Reflect.apply(Function.prototype.bind, last, [this]);
    Reflect.apply(original, this, args).then(
      (value) => process.nextTick(callback, null, value),
      (reason) => process.nextTick(onRejected, reason, callback)
    );
  }
  const descriptors = Object.getOwnPropertyDescriptors(original);
  const { length, name } = descriptors;
  if (length !== void 0 && typeof length.value === "number") length.value++;
  if (name !== void 0 && typeof name.value === "string") name.value += "Callbackified";
  Object.defineProperties(callbackified, descriptors);
  return callbackified;
}
