// `process.nextTick` through the realm's own tick queue, so that waiting ticks are data. Every tick has an anchor in
// Node's queue, so order, asynchronous context and errors are Node's. Devices use this function too.
import { AsyncResource, executionAsyncId, executionAsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import { createHiddenField, internals, type Realm } from '@turntable/core';
import { wrapFunction } from '@turntable/loader';

type Callback = (...args: never[]) => unknown;

/** @param isHandle whether a value is the program's view of a host object */
export function installTicks(realm: Realm, isHandle: (value: object) => boolean): void {
  const nativeNextTick = process.nextTick as (callback: unknown, ...args: unknown[]) => void;
  // In a thread with a tape, ticks of Node itself are not steps of the program: how many there are depends on where the
  // output goes.
  const isUntaped = realm.parts.host.tape === undefined;
  const { nextTick } = {
    nextTick(callback: unknown, ...args: unknown[]): void {
      // Node reports a callback that is no function, and drops ticks of a process that is exiting.
      if (typeof callback !== 'function' || (process as { _exiting?: boolean })._exiting === true)
        return nativeNextTick(callback, ...args);
      // Only the program passes handles. A callback of host code, be it native or a proxy of a program function, is no
      // step.
      if (!isUntaped && !isHandle(callback) && !isProgramCallback(callback as Callback))
        return nativeNextTick(callback, ...args);
      realm.nextTick(callback as Callback, ...args);
    },
  };
  Object.defineProperty(process, 'nextTick', { value: nextTick, writable: true, enumerable: true, configurable: true });
  if (!isUntaped) trackAsyncScopes(realm);
}

const [asyncId, asyncResource] = [executionAsyncId, executionAsyncResource];
/** Whether the outermost caller of `runInAsyncScope` runs as a microtask; undefined outside of all scopes. */
let isOuterScopeMicrotask: boolean | undefined;

/** Tracks async scopes, because within one Node reports the scope's resource and not the actual caller. */
function trackAsyncScopes(realm: Realm): void {
  wrapFunction(AsyncResource.prototype, 'runInAsyncScope', (native, self, args) => {
    if (isOuterScopeMicrotask !== undefined) return Reflect.apply(native, self, args);
    isOuterScopeMicrotask = isInMicrotask(realm);
    try {
      return Reflect.apply(native, self, args);
    } finally {
      isOuterScopeMicrotask = undefined;
    }
  });
}

/** Result of the last check, with the resource and the step count for which it is valid. */
const lastCheck = { id: 0, steps: -1, isInMicrotask: false };

/**
 * Whether native code runs as a microtask: with no resource, with a promise (if promises are tracked) or
 * `queueMicrotask` as the resource, or without a tick while ticks of the program wait. Repeated checks with the same
 * resource in the same step give the first result.
 */
export function isInMicrotask(realm: Realm): boolean {
  if (isOuterScopeMicrotask !== undefined) return isOuterScopeMicrotask;
  const id = asyncId();
  if (id === 0) return true;
  const { steps } = realm.jobs;
  if (id !== lastCheck.id || steps !== lastCheck.steps) {
    lastCheck.isInMicrotask = isMicrotaskNow(realm);
    lastCheck.id = id;
    lastCheck.steps = steps;
  }
  return lastCheck.isInMicrotask;
}

function isMicrotaskNow(realm: Realm): boolean {
  const resource = asyncResource();
  if (types.isPromise(resource)) return true;
  if (Reflect.getPrototypeOf(resource) === AsyncResource.prototype && 'callback' in resource) return true;
  return realm.jobs.hasTicks() && !('args' in resource && 'callback' in resource);
}

/** Cached results for functions that were ticked before, because reading a function's text takes long. */
const programCallbacks = createHiddenField<boolean>();

function isProgramCallback(callback: Callback): boolean {
  const cachedAnswer = programCallbacks.get(callback);
  if (cachedAnswer !== undefined) return cachedAnswer;
  const answer = looksLikeProgramCallback(callback);
  programCallbacks.set(callback, answer);
  return answer;
}

/** Looks at the target of a bound function, because Node binds its own functions, and the program may bind handles. */
function looksLikeProgramCallback(callback: Callback): boolean {
  let bound: Callback = callback;
  for (let parts = internals.boundParts(bound); parts !== undefined; parts = internals.boundParts(bound))
    bound = parts.target;
  return internals.looksCapturable(bound) || (bound !== callback && types.isProxy(bound));
}
