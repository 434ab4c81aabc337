"use strict";
import { AsyncResource } from "node:async_hooks";
import { natives } from "./natives.js";
function bind(fn, thisArg) {
  if (typeof fn !== "function") return Reflect.apply(natives.bindToResource, this, [fn]);
  const resource = this;
  let bound;
  if (thisArg === void 0) {
    bound = function(...args) {
      return Reflect.apply(resource.runInAsyncScope, resource, [fn, this, ...args]);
    };
  } else bound = this.runInAsyncScope.bind(this, fn, thisArg);
  const { length } = fn;
  return Object.defineProperty(bound, "length", {
    value: length,
    writable: false,
    enumerable: false,
    configurable: true
  });
}
function bindNow(fn, type, thisArg) {
  const named = type || fn.name;
  return Reflect.apply(bind, new AsyncResource(named || "bound-anonymous-fn"), [fn, thisArg]);
}
export const bindToResource = bind;
export const bindToNewResource = bindNow;
export function bindToContext(fn) {
  return bindNow(fn);
}
export function snapshotOfContext() {
  return bindNow((fn, ...args) => fn(...args));
}
