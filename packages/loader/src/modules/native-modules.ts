// ES modules that stand for something native: builtins and devices. A device is loaded by Node when its turn in the order of
// evaluation comes, synchronously if it can be; its exports stay live.
import { createRequire, isBuiltin } from 'node:module';
import { codedError, exportCommonJs, LiveCell, setExport, type ModuleGraph, type ModuleRecord } from '@turntable/core';
import { readFileSync } from '../files.ts';
import { commonJsNames } from '../node/commonjs-names.ts';
import { withNativeClock } from '../realm/native-clock.ts';
import { NodeModules } from '../node/resolution.ts';
import { readSource } from '../code/code-loader.ts';
import { compile, withLoader } from '../node/file-loaders.ts';

const nativeRequire = createRequire(import.meta.url);
/** Asks nobody who resolves names, as `require` does. */
const { getBuiltinModule } = process;

type ModuleExports = Record<string, unknown>;
/** Builtins of which transformed code sees another object than Node's. */
const builtinViews: Map<string, () => ModuleExports> = new Map();
/** Those that stand behind a membrane. */
const handleBuiltins: Set<string> = new Set();

/** The view is made when it is first asked for. */
export function showBuiltinAs(name: string, view: () => ModuleExports): void {
  builtinViews.set(name, view);
}

/** The same, of what is outside: `view` is a handle, that is asked for nothing but what the program asks it. */
export function showBuiltinAsHandle(name: string, view: () => object): void {
  let cachedView: ModuleExports | undefined;
  handleBuiltins.add(name);
  builtinViews.set(name, () => (cachedView ??= view() as ModuleExports));
}

export function hasBuiltinView(url: string): boolean {
  return builtinViews.has(builtinNameOf(url));
}

/** Whether transformed code sees a handle of it. */
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

/** `exports` is what transformed code sees of the builtin, which need not be the builtin itself. */
export function builtinRecord(graph: ModuleGraph, url: string, exports: Record<string, unknown>): ModuleRecord {
  const record = graph.synthetic(url, [], () => undefined);
  const isHandle = isHandleBuiltin(url);
  // Of a handle, what nobody has asked for yet is not asked for: classes and functions are known.
  const nativeExportsObject = isHandle ? nativeExports(url) : exports;
  for (const name of Object.keys(nativeExportsObject)) {
    if (name === 'default') continue;
    const descriptor = Object.getOwnPropertyDescriptor(nativeExportsObject, name);
    if (isHandle ? typeof descriptor?.value === 'function' : descriptor?.get === undefined) {
      setExport(record, name, exports[name]);
    } else {
      // Builtins load parts of themselves when these are first read.
      const cell = new LiveCell(name);
      cell.source = exports;
      record.cells.set(name, cell);
    }
  }
  setExport(record, 'default', exports);
  return record;
}

/** What `module.syncBuiltinESMExports` does for native importers. */
export function syncBuiltinRecord(record: ModuleRecord): void {
  const exports = record.cells.get('default')?.v as Record<string, unknown>;
  for (const [name, cell] of record.cells)
    if (name !== 'default' && !(cell instanceof LiveCell)) cell.v = exports[name];
}

/** How a device's file is loaded. */
export interface NativeLoader {
  /** What a CommonJS file or an addon exports. */
  load(filename: string): unknown;
  /** Of an ES module, or a promise of it. */
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

/** Addons and the like: nothing is known of their exports before they run. */
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

/** The namespace, or nothing when it can only be had asynchronously. */
export function requireNamespace(key: string, filename: string): Record<string, unknown> | undefined {
  // A query makes another instance, which `require` cannot name.
  if (key.includes('?') || key.includes('#')) return undefined;
  // An ES module, of which tools make something else for `require`.
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
