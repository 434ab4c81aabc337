// `process.nextTick` through the realm's own tick queue, so that what waits there is data. Every tick still has its place in Node's queue
// (an anchor each), so order, asynchronous context and errors are Node's; devices come by here as well.
import { AsyncResource, executionAsyncId, executionAsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import { createMarks, internals, type Realm } from '@turntable/core';
import { standInBy } from '@turntable/loader';

type Callback = (...args: never[]) => unknown;

/** `isHandle`: whether something is what the program has of the outside. */
export function installTicks(realm: Realm, isHandle: (value: object) => boolean): void {
  const native = process.nextTick as (callback: unknown, ...args: unknown[]) => void;
  // Ticks of Node's own are none of a program's steps: how many there are depends on where its output goes.
  const countsAll = realm.parts.host.tape === undefined;
  const { nextTick } = {
    nextTick(callback: unknown, ...args: unknown[]): void {
      // Node has the words for what is no function, and drops ticks of a process that is ending.
      if (typeof callback !== 'function' || (process as { _exiting?: boolean })._exiting === true)
        return native(callback, ...args);
      // Only the program has handles to give; what the outside gives of itself, or has of the program's, is no step.
      if (!countsAll && !isHandle(callback) && !isOfProgram(callback as Callback)) return native(callback, ...args);
      realm.nextTick(callback as Callback, ...args);
    },
  };
  Object.defineProperty(process, 'nextTick', { value: nextTick, writable: true, enumerable: true, configurable: true });
  if (!countsAll) followScopes(realm);
}

const [asyncId, asyncResource] = [executionAsyncId, executionAsyncResource];
/** What code runs for that has called `runInAsyncScope`, if any has; of scopes within scopes the outermost. */
let isScopeOfMicrotask: boolean | undefined;

/** Within one Node says whose it is, and no more what has called it. */
function followScopes(realm: Realm): void {
  standInBy(AsyncResource.prototype, 'runInAsyncScope', (native, self, args) => {
    if (isScopeOfMicrotask !== undefined) return Reflect.apply(native, self, args);
    isScopeOfMicrotask = isInMicrotask(realm);
    try {
      return Reflect.apply(native, self, args);
    } finally {
      isScopeOfMicrotask = undefined;
    }
  });
}

/** Where native code was when it was asked last, for whom, and after how many steps. */
const last = { id: 0, steps: -1, isInMicrotask: false };

/**
 * Whether native code runs as a microtask: for nobody that Node knows, or for a promise, if anybody follows those, or for `queueMicrotask`, or, while ticks
 * of the program wait, as no tick. Those may be of its own making: who calls the program twice in a row is where it was.
 */
export function isInMicrotask(realm: Realm): boolean {
  if (isScopeOfMicrotask !== undefined) return isScopeOfMicrotask;
  const id = asyncId();
  if (id === 0) return true;
  const { steps } = realm.jobs;
  if (id !== last.id || steps !== last.steps) {
    last.isInMicrotask = isMicrotaskNow(realm);
    last.id = id;
    last.steps = steps;
  }
  return last.isInMicrotask;
}

function isMicrotaskNow(realm: Realm): boolean {
  const resource = asyncResource();
  if (types.isPromise(resource)) return true;
  if (Reflect.getPrototypeOf(resource) === AsyncResource.prototype && 'callback' in resource) return true;
  return realm.jobs.areTicksLeft() && !('args' in resource && 'callback' in resource);
}

/** Of functions that were ticked before: the text that says it is long. */
const answers = createMarks<boolean>();

function isOfProgram(callback: Callback): boolean {
  const known = answers.of(callback);
  if (known !== undefined) return known;
  const answer = looksOfProgram(callback);
  answers.put(callback, answer);
  return answer;
}

/** Of what was bound it counts what was: Node binds functions of its own, the program may bind those of handles. */
function looksOfProgram(callback: Callback): boolean {
  let bound: Callback = callback;
  for (let parts = internals.boundParts(bound); parts !== undefined; parts = internals.boundParts(bound))
    bound = parts.target;
  return internals.looksOurs(bound) || (bound !== callback && types.isProxy(bound));
}
