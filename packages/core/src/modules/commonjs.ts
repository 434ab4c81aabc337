// CommonJS over module records: `require` with its cache and cycles, ES modules for `require`, and CommonJS modules for
// `import`. The order of effects and the shapes of objects are Node's (lib/internal/modules/cjs/loader.js). Module
// objects and the cache come from the host. In Node, native code sees the same objects and cache.
import { journal } from '../undo/journal.ts';
import { Cell, init } from '../cell.ts';
import { importCycle, requireAsyncModule, requireCycle, requireCycleInCache } from './errors.ts';
import { hasAsyncGraph, evaluateNow, setExport } from './evaluate.ts';
import { exportedNames, namespaceOf, resolveExport } from './export-resolution.ts';
import { link, loadRequested } from './link.ts';
import { createNamespace } from './namespace.ts';
import type { ModuleFactory, ModuleRecord } from './record.ts';

/** The object that a CommonJS file sees as `module`. In Node, it is an instance of Node's class `Module`. */
export interface CommonJsModule {
  id: string;
  path: string;
  filename: string | null;
  exports: unknown;
  loaded: boolean;
  children: CommonJsModule[];
  paths: string[] | undefined;
}

/** Source of a file for `require`: code to run, JSON to parse, or an ES module to evaluate. */
export type CommonJsSource =
  | {
      readonly format: 'commonjs';
      readonly record: ModuleRecord;
      readonly factory: ModuleFactory;
      readonly require: unknown;
    }
  | { readonly format: 'json'; readonly parse: () => unknown }
  | { readonly format: 'module'; readonly record: ModuleRecord };

export interface CommonJsHost {
  readonly cache: Record<string, CommonJsModule | undefined>;
  createModule(filename: string, parent: CommonJsModule | undefined): CommonJsModule;
  /** Loads the source of a file whose module is already in the cache. */
  loadSource(filename: string): CommonJsSource;
  directoryOf(filename: string): string;
  /** Exports of a module that is still being loaded, for the `require` that closes the cycle. */
  exportsInCycle(module: CommonJsModule): unknown;
  /** Reverts any change that `exportsInCycle` made to the exports. */
  leaveCycle(module: CommonJsModule): void;
  /** File names from the requiring module up to the entry point. */
  requireStack(parent: CommonJsModule | undefined): readonly string[];
}

/** Implements `require` for a resolved file of the program. */
export function requireFile(host: CommonJsHost, filename: string, parent: CommonJsModule | undefined): unknown {
  const cached = host.cache[filename];
  if (cached !== undefined) {
    if (parent !== undefined && Array.isArray(parent.children) && !parent.children.includes(cached))
      parent.children.push(cached);
    return cached.loaded ? cached.exports : exportsInCycle(host, cached);
  }
  const module = host.createModule(filename, parent);
  host.cache[filename] = module;
  loadModule(host, module, parent);
  return module.exports;
}

/** Loads a cached module's exports. On failure, it removes the module from the cache. */
export function loadModule(host: CommonJsHost, module: CommonJsModule, parent: CommonJsModule | undefined): void {
  const filename = module.filename ?? module.id;
  let isLoaded = false;
  try {
    loadExports(host, module, host.loadSource(filename), parent);
    module.loaded = true;
    isLoaded = true;
  } finally {
    if (isLoaded) {
      host.leaveCycle(module);
    } else {
      delete host.cache[filename];
      const siblings = parent?.children;
      const index = Array.isArray(siblings) ? siblings.indexOf(module) : -1;
      if (index !== -1) siblings?.splice(index, 1);
    }
  }
}

/** Modules whose exports come from an ES module, with its record and the file that required it first. */
const requiredModules: WeakMap<CommonJsModule, { readonly record: ModuleRecord; readonly from: string | undefined }> =
  new WeakMap();

function exportsInCycle(host: CommonJsHost, module: CommonJsModule): unknown {
  const required = requiredModules.get(module);
  if (required !== undefined && required.record.status !== 'evaluated')
    throw requireCycleInCache(module.id, required.from);
  return host.exportsInCycle(module);
}

/** Runs, parses or evaluates a source, and sets the module's exports. The caller handles a failure. */
export function loadExports(
  host: CommonJsHost,
  module: CommonJsModule,
  source: CommonJsSource,
  parent: CommonJsModule | undefined,
): void {
  const filename = module.filename ?? module.id;
  switch (source.format) {
    case 'json':
      module.exports = source.parse();
      return;
    case 'module':
      requiredModules.set(module, { record: source.record, from: parent?.filename ?? undefined });
      requireEsModule(host, source.record, filename, parent);
      module.exports = exportsForRequire(source.record);
      return;
    case 'commonjs': {
      const { record, factory } = source;
      const code = factory as unknown as (this: unknown, ...args: unknown[]) => unknown;
      journal.log?.noteObstacle('a module has been evaluated');
      const { exports } = module;
      const parameters = [exports, source.require, module, filename, host.directoryOf(filename)];
      record.parameters = parameters;
      code.call(exports, record, record.realm.realmForCode, ...parameters);
    }
  }
}

/** Evaluates an ES module for `require`. Its graph must be synchronous and must not wait for the requiring module. */
export function requireEsModule(
  host: CommonJsHost,
  record: ModuleRecord,
  filename: string,
  parent: CommonJsModule | undefined,
): void {
  if (record.status === 'evaluating' || record.status === 'linking')
    throw requireCycle(filename, parent?.filename ?? undefined);
  if (record.status === 'unlinked') {
    loadRequested(record);
    checkNoCycles(host, record, new Set());
    link(record);
  }
  if (hasAsyncGraph(record)) throw requireAsyncModule(filename, host.requireStack(parent));
  evaluateNow(record);
}

function checkNoCycles(host: CommonJsHost, record: ModuleRecord, visited: Set<ModuleRecord>): void {
  if (visited.has(record)) return;
  visited.add(record);
  record.loadedModules.forEach((target, i) => {
    if (target === undefined) return;
    const specifier = record.table.requests[i]?.specifier ?? target.key;
    if (target.status === 'evaluating') throw importCycle('Module', specifier, record.graph.displayNameOf(record));
    const runningFile = record.graph.commonjsFileOf(target);
    if (runningFile !== undefined && target.status !== 'evaluated') {
      const module = host.cache[runningFile];
      if (module !== undefined && !module.loaded)
        throw importCycle('CommonJS Module', specifier, record.graph.displayNameOf(record));
    }
    if (target.status === 'unlinked') checkNoCycles(host, target, visited);
  });
}

const facades: WeakMap<ModuleRecord, object> = new WeakMap();

/** Value that `require` returns for an evaluated ES module. */
export function exportsForRequire(record: ModuleRecord): unknown {
  const names = exportedNames(record);
  const moduleExports = names.has('module.exports') ? resolveExport(record, 'module.exports') : null;
  if (moduleExports instanceof Cell) return moduleExports.v;
  if (!names.has('default') || names.has('__esModule')) return namespaceOf(record);
  let facade = facades.get(record);
  if (facade === undefined) {
    const bindings = new Map<string, Cell>();
    for (const name of names) {
      const resolution = resolveExport(record, name);
      if (resolution instanceof Cell) bindings.set(name, resolution);
    }
    const esModuleCell = new Cell('__esModule');
    init(esModuleCell, true);
    bindings.set('__esModule', esModuleCell);
    facade = record.graph.host.createNamespace?.(record, bindings) ?? createNamespace(bindings);
    facades.set(record, facade);
  }
  return facade;
}

/** Sets the exports of the ES module of a CommonJS module: the names found in its text, and `default`. */
export function exportCommonJs(record: ModuleRecord, exports: unknown): void {
  for (const name of record.cells.keys()) {
    if (name === 'default' || name === 'module.exports') continue;
    if (exports === null || exports === undefined || !Object.hasOwn(exports as object, name)) continue;
    let value: unknown;
    try {
      value = (exports as Record<string, unknown>)[name];
    } catch {
      // As in Node, the export of a getter that throws is undefined.
    }
    setExport(record, name, value);
  }
  setExport(record, 'default', exports);
  setExport(record, 'module.exports', exports);
}
