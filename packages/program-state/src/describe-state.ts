// What a state holds, read from its head alone: nothing of it is run, and nothing of this process changes.
import { fileURLToPath } from 'node:url';
import type { ModuleStatus } from '@turntable/core';

export interface StateDescription {
  readonly main: string | null;
  readonly node: string;
  readonly bytes: number;
  /** What the program has to do at once. */
  readonly waiting: { readonly jobs: number; readonly ticks: number; readonly timers: number };
  readonly modules: readonly {
    readonly path: string;
    readonly status: ModuleStatus;
    /** Functions and classes that the state refers to. */
    readonly functions: number;
    readonly classes: number;
  }[];
  /** Those that modules import. */
  readonly builtins: readonly string[];
  /** Declared devices, which will be made again. */
  readonly devices: readonly string[];
  /** Classes of what stayed behind, each as often as it was met. */
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
