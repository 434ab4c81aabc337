// `process.nextTick` through the realm's own tick queue, so that what waits there is data. Every tick still has its place in Node's queue
// (an anchor each), so order, asynchronous context and errors are Node's; devices come by here as well.
import { AsyncResource, executionAsyncId, executionAsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import { createHiddenField, internals, type Realm } from '@turntable/core';
import { wrapFunction } from '@turntable/loader';

type Callback = (...args: never[]) => unknown;

/** `isHandle`: whether something is what the program has of the outside. */
export function installTicks(realm: Realm, isHandle: (value: object) => boolean): void {
  const nativeNextTick = process.nextTick as (callback: unknown, ...args: unknown[]) => void;
  // Ticks of Node's own are none of a program's steps: how many there are depends on where its output goes.
  const isUntaped = realm.parts.host.tape === undefined;
  const { nextTick } = {
    nextTick(callback: unknown, ...args: unknown[]): void {
      // Node has the words for what is no function, and drops ticks of a process that is ending.
      if (typeof callback !== 'function' || (process as { _exiting?: boolean })._exiting === true)
        return nativeNextTick(callback, ...args);
      // Only the program has handles to give; what the outside gives of itself, or has of the program's, is no step.
      if (!isUntaped && !isHandle(callback) && !isProgramCallback(callback as Callback))
        return nativeNextTick(callback, ...args);
      realm.nextTick(callback as Callback, ...args);
    },
  };
  Object.defineProperty(process, 'nextTick', { value: nextTick, writable: true, enumerable: true, configurable: true });
  if (!isUntaped) trackAsyncScopes(realm);
}

const [asyncId, asyncResource] = [executionAsyncId, executionAsyncResource];
/** What code runs for that has called `runInAsyncScope`, if any has; of scopes within scopes the outermost. */
let isOuterScopeMicrotask: boolean | undefined;

/** Within one Node says whose it is, and no more what has called it. */
function trackAsyncScopes(realm: Realm): void {
  wrapFunction(AsyncResource.prototype, 'runInAsyncScope', (nativeNextTick, self, args) => {
    if (isOuterScopeMicrotask !== undefined) return Reflect.apply(nativeNextTick, self, args);
    isOuterScopeMicrotask = isInMicrotask(realm);
    try {
      return Reflect.apply(nativeNextTick, self, args);
    } finally {
      isOuterScopeMicrotask = undefined;
    }
  });
}

/** Where native code was when it was asked last, for whom, and after how many steps. */
const lastCheck = { id: 0, steps: -1, isInMicrotask: false };

/**
 * Whether native code runs as a microtask: for nobody that Node knows, or for a promise, if anybody follows those, or for `queueMicrotask`, or, while ticks
 * of the program wait, as no tick. Those may be of its own making: who calls the program twice in a row is where it was.
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

/** Of functions that were ticked before: the text that says it is long. */
const programCallbacks = createHiddenField<boolean>();

function isProgramCallback(callback: Callback): boolean {
  const cachedAnswer = programCallbacks.get(callback);
  if (cachedAnswer !== undefined) return cachedAnswer;
  const answer = looksLikeProgramCallback(callback);
  programCallbacks.set(callback, answer);
  return answer;
}

/** Of what was bound it counts what was: Node binds functions of its own, the program may bind those of handles. */
function looksLikeProgramCallback(callback: Callback): boolean {
  let bound: Callback = callback;
  for (let parts = internals.boundParts(bound); parts !== undefined; parts = internals.boundParts(bound))
    bound = parts.target;
  return internals.looksCapturable(bound) || (bound !== callback && types.isProxy(bound));
}
