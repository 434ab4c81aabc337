// `bind` of `AsyncResource` and `AsyncLocalStorage`, and `AsyncLocalStorage.snapshot`, like Node's, with results that
// can be captured.
import { AsyncResource } from 'node:async_hooks';
import { natives, type AnyFunction } from './natives.ts';

function bind(this: AsyncResource, fn: AnyFunction, thisArg?: unknown): AnyFunction {
  // Throws Node's error for a value that is not a function.
  if (typeof fn !== 'function') return Reflect.apply(natives.bindToResource, this, [fn]) as never;
  const resource = this;
  let bound: AnyFunction;
  if (thisArg === undefined) {
    bound = function (this: unknown, ...args: unknown[]): unknown {
      return Reflect.apply(resource.runInAsyncScope, resource, [fn, this, ...args] as never);
    };
  } else bound = (this.runInAsyncScope as AnyFunction).bind(this, fn as never, thisArg as never) as AnyFunction;
  const { length } = fn;
  return Object.defineProperty(bound, 'length', {
    value: length,
    writable: false,
    enumerable: false,
    configurable: true,
  });
}

function bindToNew(fn: AnyFunction, type?: string, thisArg?: unknown): AnyFunction {
  const typeName = type || fn.name;
  return Reflect.apply(bind, new AsyncResource(typeName || 'bound-anonymous-fn'), [fn, thisArg]);
}

export const bindToResource = bind;
export const bindToNewResource = bindToNew;

export function bindToContext(fn: AnyFunction): AnyFunction {
  return bindToNew(fn);
}

export function snapshotOfContext(): AnyFunction {
  return bindToNew((fn: AnyFunction, ...args: never[]) => fn(...args));
}
