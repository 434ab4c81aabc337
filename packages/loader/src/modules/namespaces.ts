// Namespace objects that are the engine's own, live through cells that tell them of assignments. In a cycle, and for what is asked for one by one, core's
// imitation has to do.
import {
  bindingsOf,
  imitateNamespace,
  LiveCell,
  NamespaceCell,
  namespaceOf,
  type Cell,
  type ModuleRecord,
} from '@turntable/core';
import { createNativeNamespace, nativeNamespaceOf } from './native-text.ts';
import { showStandIns } from '../realm/stand-in.ts';
import type { Setter } from './follow.ts';
import { isShownOtherwise, standsOutside } from './native-modules.ts';
import { originOf } from '../code/origin.ts';

export interface NamespaceDeps {
  /** Gives native code the value of a cell, and each later one. */
  follow(cell: Cell, setter: Setter): void;
  isBeyondMembrane(filename: string): boolean;
}

/** Of a module whose bindings are all there. */
export function createNamespace(
  record: ModuleRecord,
  bindings: ReadonlyMap<string, Cell>,
  deps: NamespaceDeps,
): object | undefined {
  if (record.status !== 'evaluated' || record.failure !== undefined) return undefined;
  const origin = originOf(record);
  if (origin?.what === 'builtin' || origin?.what === 'device') {
    if (origin.what === 'builtin') showStandIns();
    // Some of it has been replaced for the program, or is asked for one by one.
    if (record.key === 'node:module' || standsOutside(record.key)) return undefined;
    if (origin.what === 'device' && deps.isBeyondMembrane(origin.filename ?? '')) return undefined;
    const native = isShownOtherwise(record.key) ? undefined : nativeNamespaceOf(record.key);
    // Node makes it when somebody asks for it first, which may be later than the import that showed the program what there was.
    if (native !== undefined && shows(native, bindings)) return native;
    const { namespace, setters } = createNativeNamespace([...bindings.keys()]);
    if (native === undefined) [...bindings.values()].forEach((cell, i) => setters[i]?.(cell.v));
    else followAll(bindings, setters, deps);
    return namespace;
  }
  if (![...bindings.values()].every(isReady)) return undefined;
  const { namespace, setters } = createNativeNamespace([...bindings.keys()]);
  // It may be among its own exports.
  record.namespace = namespace;
  followAll(bindings, setters, deps);
  return namespace;
}

/** Of one that is being restored; what it answers gives the object its values once there are any. */
export function restoreNamespace(record: ModuleRecord, kind: 'real' | 'imitated', deps: NamespaceDeps): () => void {
  const what = originOf(record)?.what;
  if (what === 'builtin' || what === 'device' || kind === 'imitated') {
    if (kind === 'real') namespaceOf(record);
    else imitateNamespace(record);
    return () => undefined;
  }
  const bindings = bindingsOf(record);
  const { namespace, setters } = createNativeNamespace([...bindings.keys()]);
  record.namespace = namespace;
  return () => followAll(bindings, setters, deps);
}

function shows(namespace: object, bindings: ReadonlyMap<string, Cell>): boolean {
  return [...bindings].every(([name, cell]) => cell instanceof LiveCell || Reflect.get(namespace, name) === cell.v);
}

function followAll(bindings: ReadonlyMap<string, Cell>, setters: readonly Setter[], deps: NamespaceDeps): void {
  let i = 0;
  for (const cell of bindings.values()) deps.follow(cell, setters[i++] as Setter);
}

/** Whether an export has its value. Namespaces are made when they are first asked for. */
function isReady(cell: Cell): boolean {
  return Object.hasOwn(cell, 'v') || (cell instanceof NamespaceCell && cell.record.status === 'evaluated');
}
