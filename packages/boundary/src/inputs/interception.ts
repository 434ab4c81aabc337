// Interception of the calls between a program and what the loader puts between it and the host, in a replay whose tasks are undone and re-executed in place
// (docs/engine.md): the membrane, native promises, timers. The runtime intercepts the tape, whose class it has.
import { handlersOf, interceptMethods, type CallInterceptor, type CallModes } from '@turntable/core';
import { ReplayedMembrane } from '../membrane/replayed.ts';
import { interceptTimers } from '../timers/functions.ts';
import type { DataSources } from '../membrane/hand-made.ts';
import type { Devices } from '../devices.ts';
import type { NativePromises } from './native-promises.ts';

/** Methods that subclasses share, and a class in a field. They are called by public ones, which are intercepted where they act. */
const PROTECTED = [
  'marks',
  'perform',
  'out',
  'copies',
  'crossing',
  'learn',
  'isOpened',
  'newHandle',
  'noteContext',
  'contextNow',
  'contextNumbered',
  'followerOf',
  'handMadeBefore',
  'handMakeBelow',
  'exports',
  'pending',
  'contexts',
  'handMade',
] as const;
type Protected = (typeof PROTECTED)[number];

/** How methods behave that the program calls when its task is re-executed in place; the modes are explained in core's `call-interceptor.ts`. */
export const MEMBRANE_CALLS = {
  // Traps of proxies. They answer known properties without the trace.
  get: 'looks',
  set: 'looks',
  has: 'looks',
  delete: 'looks',
  define: 'looks',
  describe: 'looks',
  keys: 'looks',
  prototype: 'looks',
  setPrototype: 'looks',
  isExtensible: 'looks',
  preventExtensions: 'looks',
  apply: 'looks',
  construct: 'looks',
  inspect: 'looks',
  // Data sources.
  ask: 'out',
  invoke: 'out',
  settle: 'out',
  // Numbers its kinds in the order in which they are declared.
  handMake: 'out',
  // Tells observers of devices.
  answered: 'apart',
  isHandle: 'free',
  // Gives the listener a number.
  listen: 'out',
  // Handles of objects that every process has: made once, and not numbered before the trace mentions them.
  handleOf: 'free',
  boundHandle: 'free',
  handleAt: 'free',
  nativeOf: 'free',
  standsFor: 'free',
  // Marks an object that stays as it is.
  lentWhole: 'free',
  // Node calls these in tasks of `process` events, which are not re-executed.
  uncaught: 'free',
  rejected: 'free',
  seen: 'free',
  // Snapshots: read and restored with nothing of the program on the stack.
  read: 'free',
  forget: 'free',
  hold: 'free',
  write: 'free',
  hand: 'free',
  revive: 'free',
  // Slots, filled below.
  calls: 'free',
  makes: 'free',
  ...(Object.fromEntries(PROTECTED.map((name) => [name, 'free'])) as Record<Protected, 'free'>),
} as const satisfies CallModes<ReplayedMembrane, Protected>;

export const DEVICES_CALLS = {
  // Calls the program, and numbers devices in the order in which they are declared.
  declare: 'wrapped',
  // Snapshots, as above.
  read: 'free',
  expect: 'free',
  makeAgain: 'free',
} as const satisfies CallModes<Devices>;

export interface InterceptedInputs {
  readonly membrane: DataSources;
  readonly promises: NativePromises;
  readonly devices: Devices;
}

export function interceptInputs(
  interceptor: CallInterceptor,
  { membrane, promises, devices }: InterceptedInputs,
): void {
  const calls = <T>(call: () => T): T => interceptor.in(call, call);
  promises.asks = (ask) => interceptor.out('a native promise', ask);
  promises.calls = calls;
  interceptTimers({ calls, asks: (name, ask) => interceptor.out(name, ask) });
  interceptMethods(devices, DEVICES_CALLS, {
    wrapped(name, run) {
      interceptor.cannot('a device was declared');
      return interceptor.out(name, run);
    },
  });
  if (!(membrane instanceof ReplayedMembrane)) return;
  interceptMethods(membrane, MEMBRANE_CALLS, handlersOf(interceptor));
  membrane.calls = calls;
  membrane.makes = (make) => interceptor.makes(make);
}
