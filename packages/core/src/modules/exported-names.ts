// GetExportedNames and ResolveExport (ECMA-262 §16.2.1.7.2). A resolution is a cell: two resolutions are the same binding exactly
// when they are the same cell, namespaces included, so ambiguity is a comparison of identities.
import type { Cell } from '../cell.ts';
import { namespaceCellOf } from './namespace.ts';
import type { ModuleRecord } from './record.ts';

/** `null`: no such name, or a cycle. */
export type Resolution = Cell | 'ambiguous' | null;

export function loadedModule(record: ModuleRecord, request: number): ModuleRecord {
  const loaded = record.loaded[request];
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
    for (const name of exportedNames(loadedModule(record, entry.request), visited)) if (name !== 'default') names.add(name);
  }
  return names;
}

interface Visit {
  readonly record: ModuleRecord;
  readonly name: string;
}

export function resolveExport(record: ModuleRecord, name: string, visits: Visit[] = []): Resolution {
  if (record.kind === 'synthetic') return record.cells.get(name) ?? null;
  for (const visit of visits) if (visit.record === record && visit.name === name) return null;
  visits.push({ record, name });

  const entry = exportIndex(record).get(name);
  if (entry !== undefined) {
    if ('cell' in entry) return record.cell(entry.cell);
    const target = loadedModule(record, entry.request);
    return entry.name === '*' ? namespaceCellOf(target) : resolveExport(target, entry.name, visits);
  }
  if (name === 'default') return null;

  let found: Cell | null = null;
  for (const star of record.table.exports) {
    if (star.exported !== null) continue;
    const resolution = resolveExport(loadedModule(record, star.request), name, visits);
    if (resolution === 'ambiguous') return resolution;
    if (resolution === null) continue;
    if (found === null) found = resolution;
    else if (found !== resolution) return 'ambiguous';
  }
  return found;
}

type NamedExport = { readonly cell: string } | { readonly request: number; readonly name: string };
const indexes: WeakMap<ModuleRecord['table'], Map<string, NamedExport>> = new WeakMap();

function exportIndex(record: ModuleRecord): Map<string, NamedExport> {
  let index = indexes.get(record.table);
  if (index === undefined) {
    index = new Map();
    for (const entry of record.table.exports) if (entry.exported !== null) index.set(entry.exported, entry);
    indexes.set(record.table, index);
  }
  return index;
}
