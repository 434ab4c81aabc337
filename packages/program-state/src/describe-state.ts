// The contents of a state, read from its head alone. Runs nothing and changes nothing in this process.
import { fileURLToPath } from 'node:url';
import type { ModuleStatus } from '@turntable/core';

export interface StateDescription {
  readonly main: string | null;
  readonly node: string;
  readonly bytes: number;
  /** Work that the program has queued. */
  readonly waiting: { readonly jobs: number; readonly ticks: number; readonly timers: number };
  readonly modules: readonly {
    readonly path: string;
    readonly status: ModuleStatus;
    /** Numbers of functions and classes that the state refers to. */
    readonly functions: number;
    readonly classes: number;
  }[];
  /** Builtins that modules import. */
  readonly builtins: readonly string[];
  /** Declared devices, which a restore creates again. */
  readonly devices: readonly string[];
  /** Class of each handle that was left behind. */
  readonly handles: readonly string[];
}

export async function describeState(bytes: Uint8Array): Promise<StateDescription> {
  const { decodeState } = await import('./state-container.ts');
  const { head } = decodeState(bytes);
  return {
    main: head.main?.startsWith('file:') === true ? fileURLToPath(head.main) : head.main,
    node: head.node,
    bytes: bytes.length,
    waiting: head.pendingWork,
    modules: head.records.flatMap(({ key, filename, status, code }) =>
      code === null
        ? []
        : [{ path: filename ?? key, status, functions: code.functions.length, classes: code.classes.length }],
    ),
    builtins: head.records.flatMap(({ key, originKind }) => (originKind === 'builtin' ? [key] : [])),
    devices: head.devices.map(({ name }) => name),
    handles: head.handles.map(({ class: name }) => name),
  };
}
