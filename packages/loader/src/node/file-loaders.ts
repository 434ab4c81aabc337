// Determines whose function in `Module._extensions` loads a required file: Node's, the program's, or that of a tool
// (tsx, ts-node). A tool may have been installed before Turntable, so Node's functions are recognised by internal names
// in their source text.
import { extname } from 'node:path';
import { internals } from '@turntable/core';
import { nativeFunctionOf } from '../realm/replaced-functions.ts';
import { NodeModules } from './resolution.ts';

/** Matches the source of Node's loaders of `.js`, `.json` and `.node`. Node has no other loaders. */
const NODE_LOADER_SOURCE =
  /\bStringPrototypeEndsWith\(filename\b|\bsetOwnProperty\(module\b|\bprocess\.dlopen\(module, path\./;
const { toString: functionSource } = Function.prototype;
const nodeLoaderChecks = new WeakMap<object, boolean>();

export type FileLoader = 'node' | 'program' | 'tool';

export function loaderOf(filename: string): FileLoader {
  const loader = NodeModules._extensions[extname(filename)] ?? NodeModules._extensions['.js'];
  if (loader === undefined || isNodeLoader(loader)) return 'node';
  return internals.isCapturable(loader as () => unknown) ? 'program' : 'tool';
}

/** Whether a tool or the program has installed a loader for this extension. */
export function isLoadedByTool(filename: string): boolean {
  return loaderOf(filename) !== 'node';
}

type LoaderFunction = (module: NodeModule, filename: string) => void;
type CompileFunction = (content: string, filename: string, format: string) => void;

/** Compiles a source in one of Node's formats, as Node's own loaders do. */
export function compile(module: NodeModule, source: string, filename: string, format: string): void {
  const { _compile } = module as unknown as { _compile: CompileFunction };
  Reflect.apply(_compile, module, [source, filename, format]);
}

/**
 * Calls `run`, which requires code that no tool handles, with `loadModule` in place of the loaders that tools have
 * installed. `loadModule` also gets the replaced loader. Node's own loaders stay.
 */
export function withLoader<T>(
  loadModule: (...args: [...Parameters<LoaderFunction>, nativeLoad: LoaderFunction]) => void,
  run: () => T,
): T {
  const { _extensions: loaders } = NodeModules;
  const takenExtensions = Object.getOwnPropertyNames(loaders).filter(
    (extension) => /^\.[cm]?[jt]s$/.test(extension) && loaderOf(`a${extension}`) !== 'node',
  );
  const previousLoaders = takenExtensions.map((extension) => loaders[extension]);
  takenExtensions.forEach((extension, i) => {
    loaders[extension] = (module, filename) => loadModule(module, filename, previousLoaders[i] as LoaderFunction);
  });
  try {
    return run();
  } finally {
    takenExtensions.forEach((extension, i) => (loaders[extension] = previousLoaders[i]));
  }
}

function isNodeLoader(loader: object): boolean {
  let isNode = nodeLoaderChecks.get(loader);
  if (isNode === undefined)
    nodeLoaderChecks.set(
      loader,
      (isNode = NODE_LOADER_SOURCE.test(
        Reflect.apply(functionSource, nativeFunctionOf(loader) ?? loader, []) as string,
      )),
    );
  return isNode;
}
