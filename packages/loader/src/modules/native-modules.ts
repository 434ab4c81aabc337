// Module records of native modules: builtins and devices. Node loads a device at its position in the order of
// evaluation, synchronously if possible. The exports stay live.
import { createRequire, isBuiltin } from 'node:module';
import { codedError, exportCommonJs, LiveCell, setExport, type ModuleGraph, type ModuleRecord } from '@turntable/core';
import { readFileSync } from '../files.ts';
import { commonJsNames } from '../node/commonjs-names.ts';
import { withNativeClock } from '../realm/native-clock.ts';
import { NodeModules } from '../node/resolution.ts';
import { readSource } from '../code/code-loader.ts';
import { compile, withLoader } from '../node/file-loaders.ts';

const nativeRequire = createRequire(import.meta.url);
/** Used instead of `require`, which calls resolve hooks. */
const { getBuiltinModule } = process;

type ModuleExports = Record<string, unknown>;
/** Objects that transformed code sees instead of Node's builtins. */
const builtinViews: Map<string, () => ModuleExports> = new Map();
/** Names of the builtins that are beyond the membrane. */
const handleBuiltins: Set<string> = new Set();

/** Shows transformed code the object `view()`, created at the first request, instead of a builtin. */
export function showBuiltinAs(name: string, view: () => ModuleExports): void {
  builtinViews.set(name, view);
}

/**
 * Like `showBuiltinAs` for a builtin beyond the membrane: `view()` is a handle, and only the program may read its
 * properties.
 */
export function showBuiltinAsHandle(name: string, view: () => object): void {
  let cachedView: ModuleExports | undefined;
  handleBuiltins.add(name);
  builtinViews.set(name, () => (cachedView ??= view() as ModuleExports));
}

export function hasBuiltinView(url: string): boolean {
  return builtinViews.has(builtinNameOf(url));
}

/** Whether transformed code sees a builtin through a handle. */
export function isHandleBuiltin(url: string): boolean {
  return handleBuiltins.has(builtinNameOf(url));
}

function builtinNameOf(url: string): string {
  return url.startsWith('node:') ? url.slice(5) : url;
}

export function builtinExports(url: string): ModuleExports {
  const view = builtinViews.get(builtinNameOf(url));
  return view === undefined ? nativeExports(url) : view();
}

export function nativeExports(url: string): ModuleExports {
  if (!isBuiltin(url)) throw codedError(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${url}`);
  return withNativeClock(url, () => getBuiltinModule(url) as ModuleExports);
}

/** @param exports the object that transformed code sees, which may differ from Node's */
export function builtinRecord(graph: ModuleGraph, url: string, exports: Record<string, unknown>): ModuleRecord {
  const record = graph.synthetic(url, [], () => undefined);
  const isHandle = isHandleBuiltin(url);
  // The program has not read the properties of a handle yet, so they are not read here. Node's own object shows which
  // exports are functions.
  const nativeObject = isHandle ? nativeExports(url) : exports;
  for (const name of Object.keys(nativeObject)) {
    if (name === 'default') continue;
    const descriptor = Object.getOwnPropertyDescriptor(nativeObject, name);
    if (isHandle ? typeof descriptor?.value === 'function' : descriptor?.get === undefined) {
      setExport(record, name, exports[name]);
    } else {
      // Some getters of builtins load parts of Node.
      const cell = new LiveCell(name);
      cell.source = exports;
      record.cells.set(name, cell);
    }
  }
  setExport(record, 'default', exports);
  return record;
}

/** Updates a builtin's record, as `module.syncBuiltinESMExports` does for native importers. */
export function syncBuiltinRecord(record: ModuleRecord): void {
  const exports = record.cells.get('default')?.v as Record<string, unknown>;
  for (const [name, cell] of record.cells)
    if (name !== 'default' && !(cell instanceof LiveCell)) cell.v = exports[name];
}

/** Loads the files of devices. */
export interface NativeLoader {
  /** Exports of a CommonJS file or an addon. */
  load(filename: string): unknown;
  /** Namespace of an ES module, or a promise of it. */
  namespace(key: string, filename: string): ModuleExports | PromiseLike<ModuleExports>;
}

export const NATIVE_LOADER: NativeLoader = {
  load: (filename) => NodeModules._load(filename, undefined, false),
  namespace: (key, filename) => requireNamespace(key, filename) ?? (import(key) as Promise<ModuleExports>),
};

export function commonJsDeviceRecord(
  graph: ModuleGraph,
  key: string,
  filename: string,
  source: string,
  loader: NativeLoader,
): ModuleRecord {
  const names = commonJsNames(source, filename, (file) => readFileSync(file, 'utf8'));
  return graph.synthetic(key, [...names, 'default', 'module.exports'], (record) => {
    exportCommonJs(record, loader.load(filename));
  });
}

/** A device whose export names are unknown before it runs, such as an addon. */
export function addonRecord(graph: ModuleGraph, key: string, filename: string, loader: NativeLoader): ModuleRecord {
  return graph.synthetic(key, ['default', 'module.exports'], (record) => {
    exportCommonJs(record, loader.load(filename));
  });
}

export function moduleDeviceRecord(
  graph: ModuleGraph,
  key: string,
  filename: string,
  names: Iterable<string>,
  loader: NativeLoader,
): ModuleRecord {
  const cells: LiveCell[] = [];
  const setSources = (namespace: ModuleExports): void => cells.forEach((cell) => (cell.source = namespace));
  const record = graph.synthetic(key, [], () => {
    const namespace = loader.namespace(key, filename);
    return 'then' in namespace && typeof namespace.then === 'function'
      ? (namespace as PromiseLike<ModuleExports>).then(setSources)
      : setSources(namespace as ModuleExports);
  });
  for (const name of names) {
    const cell = new LiveCell(name);
    cells.push(cell);
    record.cells.set(name, cell);
  }
  return record;
}

let onNativeFileLoaded: (filename: string) => void = () => {};

/** Calls `listener` for files that are loaded natively without a hook. Owner: the installed hooks of this thread. */
export function setOnNativeFile(listener: (filename: string) => void): void {
  onNativeFileLoaded = listener;
}

/** The namespace of a native ES module; undefined if it can only be loaded asynchronously. */
export function requireNamespace(key: string, filename: string): Record<string, unknown> | undefined {
  // A query in the URL selects another instance of the file, which `require` cannot load.
  if (key.includes('?') || key.includes('#')) return undefined;
  // Loads the file as an ES module even if a tool handles its extension.
  const loadModule: Parameters<typeof withLoader>[0] = (module, file, nativeLoad) => {
    if (file !== filename) return nativeLoad(module, file);
    onNativeFileLoaded(filename);
    compile(module, readSource(filename), filename, 'module');
  };
  try {
    const exports = withLoader(loadModule, () => nativeRequire(filename) as Record<string, unknown> | null);
    // An export named 'module.exports' hides the namespace.
    return typeof exports === 'object' && exports !== null && isNamespaceObject(exports) ? exports : undefined;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_REQUIRE_ASYNC_MODULE') return undefined;
    throw error;
  }
}

function isNamespaceObject(value: object): boolean {
  return Object.getPrototypeOf(value) === null && Object.prototype.toString.call(value) === '[object Module]';
}
