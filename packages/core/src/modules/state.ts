// A module record taken apart to data and put together again: what a snapshot keeps of a graph, in whatever phase it is. Values and
// eventuals are passed through, for the heap to write; code is not part of it. A module that was linked and not evaluated is
// instantiated anew, one that is waiting waits in its frame, and nothing is ever evaluated twice.
import { init } from '../cell.ts';
import { instantiate } from './link.ts';
import { namespaceCellOf } from './namespace.ts';
import { resolveExport } from './exported-names.ts';
import type { Failure, ModuleRecord, ModuleStatus } from './record.ts';

export interface ModuleState {
  readonly key: string;
  readonly status: ModuleStatus;
  readonly failure: Failure | undefined;
  /** Keys of the loaded modules, by request. */
  readonly loaded: readonly (string | undefined)[];
  /** The initialised ones. */
  readonly cells: readonly (readonly [name: string, value: unknown])[];
  readonly cycleRoot: string | undefined;
  readonly asyncEvaluationOrder: number;
  readonly asyncParents: readonly string[];
  readonly pendingAsyncDependencies: number;
  readonly completion: object | undefined;
}

export function readModule(record: ModuleRecord): ModuleState {
  return {
    key: record.key,
    status: record.status,
    failure: record.failure,
    loaded: record.loaded.map((target) => target?.key),
    cells: [...record.cells].flatMap(([name, cell]) => (Object.hasOwn(cell, 'v') ? [[name, cell.v] as const] : [])),
    cycleRoot: record.cycleRoot?.key,
    asyncEvaluationOrder: record.asyncEvaluationOrder,
    asyncParents: record.asyncParents.map((parent) => parent.key),
    pendingAsyncDependencies: record.pendingAsyncDependencies,
    completion: record.completion,
  };
}

/** Gives new records of the same modules the state that others had; `recordOf` knows all of them. */
export function writeModules(states: readonly ModuleState[], recordOf: (key: string) => ModuleRecord): void {
  for (const state of states) {
    const record = recordOf(state.key);
    record.status = state.status;
    record.failure = state.failure;
    state.loaded.forEach((key, i) => (record.loaded[i] = key === undefined ? undefined : recordOf(key)));
    record.cycleRoot = state.cycleRoot === undefined ? undefined : recordOf(state.cycleRoot);
    record.asyncEvaluationOrder = state.asyncEvaluationOrder;
    record.asyncParents.splice(0, Infinity, ...state.asyncParents.map(recordOf));
    record.pendingAsyncDependencies = state.pendingAsyncDependencies;
    record.completion = state.completion;
  }
  for (const state of states) if (state.status !== 'unlinked') reconnect(recordOf(state.key));
  for (const state of states) {
    const record = recordOf(state.key);
    if (isToBeEvaluated(record)) instantiate(record);
    for (const [name, value] of state.cells) init(record.cell(name), value);
  }
}

/** Linked, and its own code has not begun. */
function isToBeEvaluated(record: ModuleRecord): boolean {
  if (record.kind !== 'module') return false;
  return record.status === 'linked' || (record.status === 'evaluating-async' && record.pendingAsyncDependencies > 0);
}

/** The cells that imports are bound to; that they can be resolved was found out when the module was linked. */
function reconnect(record: ModuleRecord): void {
  record.table.imports.forEach((entry, i) => {
    const target = record.loaded[entry.request];
    if (target === undefined) return;
    const resolution = entry.name === '*' ? namespaceCellOf(target) : resolveExport(target, entry.name);
    if (resolution !== null && resolution !== 'ambiguous') record.imported[i] = resolution;
  });
}
