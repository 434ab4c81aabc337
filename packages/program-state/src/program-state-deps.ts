// What the state of a thread's program is read from, and restored into.
import type { Realm } from '@turntable/core';
import type { Devices, HostCallbackTracker } from '@turntable/boundary';
import type { ModuleRecordDeps } from './records.ts';

export interface ProgramStateDeps extends ModuleRecordDeps {
  readonly realm: Realm;
  readonly devices: Devices;
  /** Whether the host can call the program back. */
  readonly hostCallbacks: HostCallbackTracker;
  /** Functions of Node that node shims replace. */
  readonly nativeFunctions: Record<string, unknown>;
}
