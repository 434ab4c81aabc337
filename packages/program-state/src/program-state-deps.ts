// What the state of a thread's program is read from, and restored into.
import type { Realm } from '@turntable/core';
import type { Devices, Outside } from '@turntable/boundary';
import type { RecordSources } from './records.ts';

export interface ProgramStateDeps extends RecordSources {
  readonly realm: Realm;
  readonly devices: Devices;
  /** Whether the host can call the program back. */
  readonly outside: Outside;
  /** Functions of Node that node shims replace. */
  readonly natives: Record<string, unknown>;
}
