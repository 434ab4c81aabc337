// Dependencies of capturing and restoring a thread's program.
import type { Realm } from '@turntable/core';
import type { Devices, HostCallbackTracker } from '@turntable/boundary';
import type { ModuleRecordDeps } from './records.ts';

export interface ProgramStateDeps extends ModuleRecordDeps {
  readonly realm: Realm;
  readonly devices: Devices;
  /** Tracks whether the host can call the program. */
  readonly hostCallbacks: HostCallbackTracker;
  /** Functions of Node that node shims replace. */
  readonly nativeFunctions: Record<string, unknown>;
}
