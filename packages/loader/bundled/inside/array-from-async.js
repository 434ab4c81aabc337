"use strict";
function methodOf(items, key) {
  const method = items[key];
  if (method === void 0 || method === null) return void 0;
  if (typeof method !== "function") throw new TypeError(`${String(method)} is not a function`);
  return method;
}
function isConstructor(value) {
  if (typeof value !== "function") return false;
  try {
    Reflect.construct(Object, [], value);
    return true;
  } catch {
    return false;
  }
}
function createElement(array, index, value) {
  const added = Reflect.defineProperty(array, index, { value, writable: true, enumerable: true, configurable: true });
  if (!added) throw new TypeError(`Cannot add property ${index}, object is not extensible`);
}
function walk(items, async, sync) {
  if (async !== void 0) return { [Symbol.asyncIterator]: () => Reflect.apply(async, items, []) };
  if (typeof items === "string" || Array.isArray(items) || items instanceof Map || items instanceof Set)
    return items;
  if (sync !== void 0)
    return { [Symbol.iterator]: () => Reflect.apply(sync, items, []) };
  return void 0;
}
export const { fromAsync } = {
  async fromAsync(items, mapper, receiver) {
    if (mapper !== void 0 && typeof mapper !== "function")
      throw new TypeError(`${String(mapper)} is not a function`);
    const async = methodOf(items, Symbol.asyncIterator);
    const iterable = walk(items, async, async === void 0 ? methodOf(items, Symbol.iterator) : void 0);
    if (iterable !== void 0) {
      const array2 = isConstructor(this) ? new this() : [];
      let index = 0;
      for await (const value of iterable) {
        createElement(
          array2,
          index,
          mapper === void 0 ? value : await Reflect.apply(mapper, receiver, [value, index])
        );
        index++;
      }
      array2["length"] = index;
      return array2;
    }
    const source = Object(items);
    const length = Math.min(Math.max(Math.trunc(Number(source.length)) || 0, 0), Number.MAX_SAFE_INTEGER);
    const array = isConstructor(this) ? new this(length) : new Array(length);
    for (let index = 0; index < length; index++) {
      let value = await source[index];
      if (mapper !== void 0) value = await Reflect.apply(mapper, receiver, [value, index]);
      createElement(array, index, value);
    }
    array["length"] = length;
    return array;
  }
};
