// Interception of the calls between a program and the layer that the loader puts between it and the host (membrane,
// native promises, timers), in a replay whose tasks are undone and re-executed in place (docs/internals/replay-process.md). The runtime
// intercepts the tape, whose class belongs to it.
import { createHandlers, interceptMethods, type CallInterceptor, type CallModes } from '@turntable/core';
import { ReplayedMembrane } from '../membrane/replayed-membrane.ts';
import { interceptTimers } from '../timers/timer-functions.ts';
import type { DataSourceApi } from '../membrane/surrogates.ts';
import type { Devices } from '../devices.ts';
import type { NativePromises } from './native-promises.ts';

/** Protected members of the membrane, not intercepted: the public methods that use them are intercepted. */
const PROTECTED_METHODS = [
  'marks',
  'hostCall',
  'toHost',
  'resultOf',
  'notePrediction',
  'isHostBound',
  'createHandle',
  'noteContext',
  'currentContextNumber',
  'onContextNumbered',
  'promiseTrackerOf',
  'finishedSurrogate',
  'registerSurrogateKind',
  'exportedObjects',
  'pendingPromises',
  'numberedContexts',
  'liveSurrogates',
] as const;
type ProtectedMethod = (typeof PROTECTED_METHODS)[number];

/** Modes (see core's `call-interceptor.ts`) of the methods that a program calls while its task is re-executed. */
export const MEMBRANE_CALLS = {
  // Traps of proxies. They answer known properties without the trace.
  get: 'query',
  set: 'query',
  has: 'query',
  delete: 'query',
  define: 'query',
  describe: 'query',
  keys: 'query',
  getPrototype: 'query',
  setPrototype: 'query',
  isExtensible: 'query',
  preventExtensions: 'query',
  apply: 'query',
  construct: 'query',
  inspect: 'query',
  // Called by data sources.
  getProperty: 'out',
  invoke: 'out',
  reportSettled: 'out',
  // Surrogate types are numbered in the order of declaration.
  defineSurrogate: 'out',
  // Notifies observers of devices.
  reportAnswered: 'apart',
  isHandle: 'free',
  wrapListener: 'out',
  performLookupCallbacks: 'query',
  // Handles of static objects are created once, and not numbered before the trace mentions them.
  proxyFor: 'free',
  boundProxy: 'free',
  handleFromProxy: 'free',
  hostObjectOf: 'free',
  programObjectOf: 'free',
  // Node calls this in tasks of `process` events, which are not re-executed.
  promiseForProgram: 'free',
  // Snapshots: captured and restored with no program code on the stack.
  capture: 'free',
  forgetPredictions: 'free',
  awaitState: 'free',
  restore: 'free',
  restoreReferences: 'free',
  reviveProxy: 'free',
  // Functions that `interceptInputs` sets.
  callProgram: 'free',
  makeForProgram: 'free',
  ...(Object.fromEntries(PROTECTED_METHODS.map((name) => [name, 'free'])) as Record<ProtectedMethod, 'free'>),
} as const satisfies CallModes<ReplayedMembrane, ProtectedMethod>;

export const DEVICES_CALLS = {
  // Calls the program, and numbers devices in the order of declaration.
  declare: 'wrapped',
  read: 'free',
  expect: 'free',
  recreate: 'free',
} as const satisfies CallModes<Devices>;

export interface InterceptedInputs {
  readonly membrane: DataSourceApi;
  readonly promises: NativePromises;
  readonly devices: Devices;
}

export function interceptInputs(interceptor: CallInterceptor, inputs: InterceptedInputs): void {
  const { membrane, promises, devices } = inputs;
  const callProgram = <T>(call: () => T): T => interceptor.callProgram(call, call);
  promises.registerWaiter = (call) => interceptor.callOut('a native promise', call);
  promises.callProgram = callProgram;
  interceptTimers({ callProgram, interceptCall: (name, call) => interceptor.callOut(name, call) });
  interceptMethods(devices, DEVICES_CALLS, {
    wrapped(name, run) {
      interceptor.preventUndo('a device was declared');
      return interceptor.callOut(name, run);
    },
  });
  if (!(membrane instanceof ReplayedMembrane)) return;
  interceptMethods(membrane, MEMBRANE_CALLS, createHandlers(interceptor));
  membrane.callProgram = callProgram;
  membrane.makeForProgram = (make) => interceptor.createForProgram(make);
}
