// Namespace objects that are the engine's own, live through cells that tell them of assignments. In a cycle, and for what is asked for one by one, core's
// imitation has to do.
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
  /** Gives native code the value of a cell, and each later one. */
  followCell(cell: Cell, setter: BindingSetter): void;
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
  if (origin?.kind === 'builtin' || origin?.kind === 'device') {
    if (origin.kind === 'builtin') publishReplacements();
    // Some of it has been replaced for the program, or is asked for one by one.
    if (record.key === 'node:module' || isHandleBuiltin(record.key)) return undefined;
    if (origin.kind === 'device' && deps.isBeyondMembrane(origin.filename ?? '')) return undefined;
    const nativeNamespace = hasBuiltinView(record.key) ? undefined : nativeNamespaceOf(record.key);
    // Node makes it when somebody asks for it first, which may be later than the import that showed the program what there was.
    if (nativeNamespace !== undefined && showsValues(nativeNamespace, bindings)) return nativeNamespace;
    const { namespace, setters } = createNativeNamespace([...bindings.keys()]);
    if (nativeNamespace === undefined) [...bindings.values()].forEach((cell, i) => setters[i]?.(cell.v));
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

/** Whether an export has its value. Namespaces are made when they are first asked for. */
function isReady(cell: Cell): boolean {
  return Object.hasOwn(cell, 'v') || (cell instanceof NamespaceCell && cell.record.status === 'evaluated');
}
