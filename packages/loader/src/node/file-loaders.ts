// Who loads a file that is required: Node, the program, or a tool that has put its own function among `Module._extensions` (tsx, ts-node). Whether a tool has
// done so before us is not to be told by what was there first, so Node's own are known by their texts: they name what nobody outside of Node has.
import { extname } from 'node:path';
import { internals } from '@turntable/core';
import { NodeModules } from './resolution.ts';

/** Of `.js`, `.json` and `.node`; there are no others. */
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

/** Whether somebody has installed a loader for this kind of file. */
export function isLoadedByTool(filename: string): boolean {
  return loaderOf(filename) !== 'node';
}

type LoaderFunction = (module: NodeModule, filename: string) => void;
type CompileFunction = (content: string, filename: string, format: string) => void;

/** As Node's loaders do it, for formats of Node's. */
export function compile(module: NodeModule, source: string, filename: string, format: string): void {
  const { _compile } = module as unknown as { _compile: CompileFunction };
  Reflect.apply(_compile, module, [source, filename, format]);
}

/**
 * Of code that is no tool's matter and is required meanwhile: `loadModule` stands where tools have put their loaders, and is given the one in whose place. Node's own, where
 * nobody else's are, are as good.
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
      (isNode = NODE_LOADER_SOURCE.test(Reflect.apply(functionSource, loader, []) as string)),
    );
  return isNode;
}
