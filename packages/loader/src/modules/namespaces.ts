// Native namespace objects for modules of the program, kept up to date through cells that report assignments. Where
// that is impossible (cycles, exports that are evaluated on access) core's imitation is used.
import {
  bindingsOf,
  coreNamespaceOf,
  LiveCell,
  NamespaceCell,
  namespaceOf,
  type Cell,
  type ModuleRecord,
} from '@turntable/core';
import { createNativeNamespace, nativeNamespaceOf } from './native-source.ts';
import { publishReplacements } from '../realm/replaced-functions.ts';
import type { BindingSetter } from './live-bindings.ts';
import { hasBuiltinView, isHandleBuiltin } from './native-modules.ts';
import { originOf } from '../code/record-origin.ts';

export interface NamespaceDeps {
  /** Calls `setter` with the value of a cell, now and after each assignment. */
  followCell(cell: Cell, setter: BindingSetter): void;
  isBeyondMembrane(filename: string): boolean;
}

/** The namespace of an evaluated module; undefined if only an imitation is possible. */
export function createNamespace(
  record: ModuleRecord,
  bindings: ReadonlyMap<string, Cell>,
  deps: NamespaceDeps,
): object | undefined {
  if (record.status !== 'evaluated' || record.failure !== undefined) return undefined;
  const origin = originOf(record);
  if (origin?.kind === 'builtin' || origin?.kind === 'device') {
    if (origin.kind === 'builtin') publishReplacements();
    // The exports of these modules are replaced for the program, or evaluated on access.
    if (record.key === 'node:module' || isHandleBuiltin(record.key)) return undefined;
    if (origin.kind === 'device' && deps.isBeyondMembrane(origin.filename ?? '')) return undefined;
    const nativeNamespace = hasBuiltinView(record.key) ? undefined : nativeNamespaceOf(record.key);
    // Node creates the namespace at the first request, which may be later than the import that showed the program
    // the exports.
    if (nativeNamespace !== undefined && showsValues(nativeNamespace, bindings)) return nativeNamespace;
    const { namespace, setters } = createNativeNamespace([...bindings.keys()]);
    if (nativeNamespace === undefined) [...bindings.values()].forEach((cell, i) => setters[i]?.(cell.v));
    else followAll(bindings, setters, deps);
    return namespace;
  }
  if (![...bindings.values()].every(isReady)) return undefined;
  const { namespace, setters } = createNativeNamespace([...bindings.keys()]);
  // Set before the exports are read: the module may export its own namespace.
  record.namespace = namespace;
  followAll(bindings, setters, deps);
  return namespace;
}

/**
 * Creates the namespace of a module that is being restored. The returned function fills in the values once they exist.
 */
export function restoreNamespace(record: ModuleRecord, kind: 'real' | 'imitated', deps: NamespaceDeps): () => void {
  const originKind = originOf(record)?.kind;
  if (originKind === 'builtin' || originKind === 'device' || kind === 'imitated') {
    if (kind === 'real') namespaceOf(record);
    else coreNamespaceOf(record);
    return () => undefined;
  }
  const bindings = bindingsOf(record);
  const { namespace, setters } = createNativeNamespace([...bindings.keys()]);
  record.namespace = namespace;
  return () => followAll(bindings, setters, deps);
}

function showsValues(namespace: object, bindings: ReadonlyMap<string, Cell>): boolean {
  return [...bindings].every(([name, cell]) => cell instanceof LiveCell || Reflect.get(namespace, name) === cell.v);
}

function followAll(bindings: ReadonlyMap<string, Cell>, setters: readonly BindingSetter[], deps: NamespaceDeps): void {
  let i = 0;
  for (const cell of bindings.values()) deps.followCell(cell, setters[i++] as BindingSetter);
}

/** Whether an export has its value. Namespaces are created at the first access. */
function isReady(cell: Cell): boolean {
  return Object.hasOwn(cell, 'v') || (cell instanceof NamespaceCell && cell.record.status === 'evaluated');
}
