// GetExportedNames and ResolveExport (ECMA-262 §16.2.1.7.2), and GetModuleNamespace, which ResolveExport calls. A
// resolution is a cell. Two resolutions are the same binding exactly if they are the same cell, also for namespaces, so
// ambiguity is a comparison of identities.
import { Cell, init } from '../cell.ts';
import { createNamespace } from './namespace.ts';
import type { ModuleRecord } from './record.ts';

/** Result of ResolveExport: the cell, or null if the name does not exist or its resolution is circular. */
export type Resolution = Cell | 'ambiguous' | null;

export function loadedModule(record: ModuleRecord, request: number): ModuleRecord {
  const loaded = record.loadedModules[request];
  if (loaded === undefined) throw new Error(`request ${request} of ${record.key} has not been loaded`);
  return loaded;
}

export function exportedNames(record: ModuleRecord, visited: Set<ModuleRecord> = new Set()): Set<string> {
  const names = new Set<string>();
  if (visited.has(record)) return names;
  visited.add(record);
  if (record.kind === 'synthetic') {
    for (const name of record.cells.keys()) names.add(name);
    return names;
  }
  for (const entry of record.table.exports) if (entry.exported !== null) names.add(entry.exported);
  for (const entry of record.table.exports) {
    if (entry.exported !== null) continue;
    for (const name of exportedNames(loadedModule(record, entry.request), visited))
      if (name !== 'default') names.add(name);
  }
  return names;
}

/** The steps of a resolution so far. Detects cycles. */
export class ResolutionPath {
  readonly #records: ModuleRecord[] = [];
  readonly #names: string[] = [];
  /** Specifier of the import that closed the cycle; undefined without a cycle. */
  cycle: string | undefined = undefined;

  enter(record: ModuleRecord, name: string, specifier: string): boolean {
    for (let i = 0; i < this.#names.length; i++) {
      if (this.#records[i] !== record || this.#names[i] !== name) continue;
      this.cycle ??= specifier;
      return false;
    }
    this.#records.push(record);
    this.#names.push(name);
    return true;
  }
}

export function resolveExport(
  record: ModuleRecord,
  name: string,
  path: ResolutionPath = new ResolutionPath(),
  specifier = '',
): Resolution {
  if (record.kind === 'synthetic') return record.cells.get(name) ?? null;
  if (!path.enter(record, name, specifier)) return null;

  const entry = exportIndex(record).get(name);
  if (entry !== undefined) {
    if ('cell' in entry) return record.cell(entry.cell);
    const target = loadedModule(record, entry.request);
    return entry.name === '*'
      ? namespaceCellOf(target)
      : resolveExport(target, entry.name, path, record.table.requests[entry.request]?.specifier);
  }
  if (name === 'default') return null;

  let found: Cell | null = null;
  for (const starExport of record.table.exports) {
    if (starExport.exported !== null) continue;
    const resolution = resolveExport(
      loadedModule(record, starExport.request),
      name,
      path,
      record.table.requests[starExport.request]?.specifier,
    );
    if (resolution === 'ambiguous') return resolution;
    if (resolution === null) continue;
    if (found === null) found = resolution;
    else if (found !== resolution) return 'ambiguous';
  }
  return found;
}

type NamedExport = { readonly cell: string } | { readonly request: number; readonly name: string };
const exportIndexes: WeakMap<ModuleRecord['table'], Map<string, NamedExport>> = new WeakMap();

function exportIndex(record: ModuleRecord): Map<string, NamedExport> {
  let index = exportIndexes.get(record.table);
  if (index === undefined) {
    index = new Map();
    for (const entry of record.table.exports) if (entry.exported !== null) index.set(entry.exported, entry);
    exportIndexes.set(record.table, index);
  }
  return index;
}

/** Cell of a module's namespace. The namespace is made at the first read, when the whole graph is loaded. */
export class NamespaceCell extends Cell {
  readonly record: ModuleRecord;

  constructor(record: ModuleRecord) {
    super('*namespace*');
    this.record = record;
  }

  override get v(): unknown {
    const namespace = namespaceOf(this.record);
    init(this, namespace);
    return namespace;
  }

  override set v(_value: unknown) {
    throw new TypeError('Assignment to constant variable.');
  }
}

export function namespaceCellOf(record: ModuleRecord): Cell {
  record.namespaceCell ??= new NamespaceCell(record);
  return record.namespaceCell;
}

/** GetModuleNamespace of ECMA-262. Names that are unresolvable or ambiguous are left out. */
export function namespaceOf(record: ModuleRecord): object {
  if (record.namespace === undefined) {
    const bindings = bindingsOf(record);
    record.namespace = record.graph.host.createNamespace?.(record, bindings) ?? createNamespace(bindings);
  }
  return record.namespace;
}

/** Namespace that core makes by itself, without the host, from the exports known now. */
export function coreNamespaceOf(record: ModuleRecord): object {
  return (record.namespace ??= createNamespace(bindingsOf(record)));
}

export function bindingsOf(record: ModuleRecord): Map<string, Cell> {
  const bindings = new Map<string, Cell>();
  for (const name of exportedNames(record)) {
    const resolution = resolveExport(record, name);
    if (resolution !== null && resolution !== 'ambiguous') bindings.set(name, resolution);
  }
  return bindings;
}
