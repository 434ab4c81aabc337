// LoadRequestedModules and Link (ECMA-262 §16.2.1.6.1.1–2). Loading is synchronous: where a browser fetches, this reads
// files. A module that fails to link becomes `unlinked` again, so a later attempt starts over.
import { journal } from '../undo/journal.ts';
import { init, Cell as CellClass, type Cell } from '../cell.ts';
import { ambiguousExport, circularExport, missingExport } from './errors.ts';
import { loadedModule, namespaceCellOf, resolveExport, ResolutionPath } from './export-resolution.ts';
import type { ModuleRecord } from './record.ts';
import type { ImportEntry, ModuleRequest } from './module-table.ts';

/** Loads all requested modules, depth first in source order. Throws the first failure. */
export function loadRequested(record: ModuleRecord, visited: Set<ModuleRecord> = new Set()): void {
  if (visited.has(record) || record.status !== 'unlinked') return;
  visited.add(record);
  const { requests } = record.table;
  for (let i = 0; i < requests.length; i++) {
    const target = (record.loadedModules[i] ??= record.graph.host.load(record, requests[i] as ModuleRequest));
    loadRequested(target, visited);
  }
}

export function link(record: ModuleRecord): void {
  const stack: ModuleRecord[] = [];
  try {
    linkFrom(record, stack, 0);
  } catch (error) {
    for (const unfinished of stack) unfinished.status = 'unlinked';
    throw error;
  }
}

function linkFrom(record: ModuleRecord, stack: ModuleRecord[], nextIndex: number): number {
  if (record.status !== 'unlinked') return nextIndex;
  record.status = 'linking';
  record.dfsIndex = nextIndex;
  record.dfsAncestorIndex = nextIndex;
  let index = nextIndex + 1;
  stack.push(record);

  for (let i = 0; i < record.table.requests.length; i++) {
    const target = loadedModule(record, i);
    index = linkFrom(target, stack, index);
    if (target.status === 'linking')
      record.dfsAncestorIndex = Math.min(record.dfsAncestorIndex, target.dfsAncestorIndex);
  }
  initializeEnvironment(record);

  if (record.dfsAncestorIndex === record.dfsIndex) {
    let done: ModuleRecord | undefined;
    do {
      done = stack.pop();
      if (done !== undefined) done.status = 'linked';
    } while (done !== record);
  }
  return index;
}

function initializeEnvironment(record: ModuleRecord): void {
  if (record.kind === 'synthetic') {
    // In V8, exports of a synthetic module start as `undefined` and have no dead zone.
    for (const cell of record.cells.values())
      if (cell.constructor === CellClass && !Object.hasOwn(cell, 'v')) init(cell, undefined);
    return;
  }
  const { table } = record;
  for (const entry of table.exports) {
    if (entry.exported === null || 'cell' in entry || entry.name === '*') continue;
    // The resolution starts at this module's exported name, so that it also finds cycles.
    const path = new ResolutionPath();
    const resolution = resolveExport(record, entry.exported, path);
    if (resolution === null || resolution === 'ambiguous')
      throw unresolvableError(record, entry.request, entry.name, resolution, path);
  }
  for (let i = 0; i < table.imports.length; i++) {
    const entry = table.imports[i];
    if (entry === undefined) continue;
    const target = loadedModule(record, entry.request);
    record.importedCells[i] = entry.name === '*' ? namespaceCellOf(target) : importedCell(record, target, entry);
  }
  instantiate(record);
}

function importedCell(record: ModuleRecord, target: ModuleRecord, entry: ImportEntry): Cell {
  const path = new ResolutionPath();
  const resolution = resolveExport(target, entry.name, path);
  if (resolution !== null && resolution !== 'ambiguous') return resolution;
  if (entry.optional !== true) throw unresolvableError(record, entry.request, entry.name, resolution, path);
  const absent = new CellClass(entry.name);
  init(absent, undefined);
  return absent;
}

function unresolvableError(
  record: ModuleRecord,
  requestIndex: number,
  name: string,
  resolution: null | 'ambiguous',
  path: ResolutionPath,
): unknown {
  const request = record.table.requests[requestIndex] as ModuleRequest;
  if (resolution === 'ambiguous') return ambiguousExport(request, name);
  if (path.cycle !== undefined) return circularExport(path.cycle, name);
  const error = missingExport(request, name);
  return record.graph.host.explainMissingExport?.(record, request, name, error) ?? error;
}

/** Runs a module up to its first statement: makes functions, sets cells of exported ones. Restores use it too. */
export function instantiate(record: ModuleRecord): void {
  if (record.body !== undefined) return;
  journal.log?.noteObstacle('a module has been evaluated');
  const { factory } = record;
  if (factory === undefined) throw new Error(`${record.key} has no code to instantiate`);
  const body = factory(record, record.realm.realmForCode);
  if (!record.table.async) (body as Generator).next();
  record.body = body;
}
