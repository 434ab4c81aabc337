// The state of a module record as data, in any phase. The skeleton describes the links between records, with numbers
// instead of references (for JSON), and must be restored before any code of a module. The contents are values, which
// the heap writes. Code is in neither of them: a restore instantiates a linked module again, and a waiting module has a
// frame. Nothing is evaluated twice.
import { init } from '../cell.ts';
import { UNINITIALISED } from '../probe.ts';
import { instantiate } from './link.ts';
import { namespaceCellOf, resolveExport } from './export-resolution.ts';
import type { ModuleFailure, ModuleKind, ModuleRecord, ModuleStatus } from './record.ts';

export interface ModuleSkeleton {
  readonly key: string;
  readonly kind: ModuleKind;
  readonly status: ModuleStatus;
  /** Numbers of the loaded modules, by index of the request; null if not loaded. */
  readonly loaded: readonly (number | null)[];
  readonly cycleRoot: number | null;
  readonly asyncEvaluationOrder: number;
  readonly asyncParents: readonly number[];
  readonly pendingAsyncDependencies: number;
}

export function readSkeleton(record: ModuleRecord, numberOf: (record: ModuleRecord) => number): ModuleSkeleton {
  return {
    key: record.key,
    kind: record.kind,
    status: record.status,
    loaded: Array.from(record.loadedModules, (target) => (target === undefined ? null : numberOf(target))),
    cycleRoot: record.cycleRoot === undefined ? null : numberOf(record.cycleRoot),
    asyncEvaluationOrder: record.asyncEvaluationOrder,
    asyncParents: record.asyncParents.map(numberOf),
    pendingAsyncDependencies: record.pendingAsyncDependencies,
  };
}

/** Restores the links between new records of the same modules. `skeletons[i]` belongs to `records[i]`. */
export function connectModules(skeletons: readonly ModuleSkeleton[], records: readonly ModuleRecord[]): void {
  const recordAt = (number: number): ModuleRecord => records[number] as ModuleRecord;
  skeletons.forEach((skeleton, i) => {
    const record = recordAt(i);
    record.status = skeleton.status;
    skeleton.loaded.forEach(
      (number, request) => (record.loadedModules[request] = number === null ? undefined : recordAt(number)),
    );
    record.cycleRoot = skeleton.cycleRoot === null ? undefined : recordAt(skeleton.cycleRoot);
    record.asyncEvaluationOrder = skeleton.asyncEvaluationOrder;
    record.asyncParents.splice(0, Infinity, ...skeleton.asyncParents.map(recordAt));
    record.pendingAsyncDependencies = skeleton.pendingAsyncDependencies;
  });
  for (const record of records) if (record.status !== 'unlinked') reconnectImports(record);
  for (const record of records) if (needsEvaluation(record)) instantiate(record);
}

/** Whether a module is linked, but its own code has not started. */
export function needsEvaluation(record: Pick<ModuleRecord, 'kind' | 'status' | 'pendingAsyncDependencies'>): boolean {
  if (record.kind !== 'module') return false;
  return record.status === 'linked' || (record.status === 'evaluating-async' && record.pendingAsyncDependencies > 0);
}

/** Binds imports to their cells. Resolution cannot fail, because the module was linked before the capture. */
function reconnectImports(record: ModuleRecord): void {
  record.table.imports.forEach((entry, i) => {
    const target = record.loadedModules[entry.request];
    if (target === undefined) return;
    const resolution = entry.name === '*' ? namespaceCellOf(target) : resolveExport(target, entry.name);
    if (resolution !== null && resolution !== 'ambiguous') record.importedCells[i] = resolution;
  });
}

const FIRST_CELL = 6;

/** Failure, completion, templates, parameters, `import.meta` changes, set cells (names, values), and the top scope. */
export function readContents(record: ModuleRecord): unknown[] {
  // Sorted by name, because the order in which cells were first requested is not part of the state.
  const cells = [...record.cells].filter(([, cell]) => Object.hasOwn(cell, 'v')).toSorted(compareNames);
  return [
    record.failure,
    record.completion,
    record.templates,
    record.parameters,
    metaChanges(record),
    cells.map(([name]) => name),
    ...cells.map(([, cell]) => cell.v),
    ...readVariables(record),
  ];
}

function compareNames([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Properties of `import.meta` that the program has added or changed. */
function metaChanges(record: ModuleRecord): Record<string, unknown> | undefined {
  if (record.metaObject === undefined) return undefined;
  const original: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  record.graph.host.fillMeta?.(record, original);
  let changes: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(record.metaObject)) {
    const isSame =
      Object.is(value, original[name]) || (typeof value === 'function' && typeof original[name] === 'function');
    if (!isSame) (changes ??= {})[name] = value;
  }
  return changes;
}

function readVariables(record: ModuleRecord): unknown[] {
  const { readScope } = record;
  if (readScope === undefined) return [];
  return (record.table.variables ?? []).map((_, i) => {
    try {
      return readScope(i);
    } catch {
      return UNINITIALISED;
    }
  });
}

/** Names of the variables of the top scope that are still in their dead zones. */
export function uninitialisedVariables(record: ModuleRecord): string[] {
  const { variables = [] } = record.table;
  return readVariables(record).flatMap((value, i) => (value === UNINITIALISED ? [variables[i] as string] : []));
}

/** Name of the element of a record's contents at an index. */
export function contentName(record: ModuleRecord, contents: readonly unknown[], index: number): string {
  const names = contents[FIRST_CELL - 1] as readonly string[];
  if (index < FIRST_CELL)
    return ['failure', 'completion', 'templates', 'parameters', 'import.meta', 'exports'][index] as string;
  return names[index - FIRST_CELL] ?? record.table.variables?.[index - FIRST_CELL - names.length] ?? `${index}`;
}

function dataDescriptors(changes: unknown): PropertyDescriptorMap {
  const descriptors = Object.getOwnPropertyDescriptors(changes as object);
  if (Object.values(descriptors).every((descriptor) => 'value' in descriptor)) return descriptors;
  throw new TypeError('module state: changes of import.meta must be values');
}

export function writeContents(record: ModuleRecord, contents: readonly unknown[]): void {
  if (contents.length === 0) return;
  const [failure, completion, templates, parameters, meta, names] = contents;
  record.failure = failure as ModuleFailure | undefined;
  record.completion = completion as object | undefined;
  record.templates = templates as (readonly string[])[] | undefined;
  // Damaged bytes can yield any value here, so no method of a value may be called before these checks.
  if (!Array.isArray(names) || (parameters !== undefined && !Array.isArray(parameters)))
    throw new TypeError('module state: exports and parameters must be lists');
  if (meta !== undefined) Object.defineProperties(record.meta, dataDescriptors(meta));
  names.forEach((name: string, i) => init(record.cell(name), contents[FIRST_CELL + i]));
  if (parameters !== undefined) {
    record.parameters = parameters;
    record.writeParameters?.(record.parameters);
  }
  const variables = contents.slice(FIRST_CELL + names.length);
  record.writeScope?.(variables.map((value) => (value === UNINITIALISED ? undefined : value)));
}
