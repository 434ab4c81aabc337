// Who loads a file that is required: Node, the program, or a tool that has put its own function among `Module._extensions` (tsx, ts-node). Whether a tool has
// done so before us is not to be told by what was there first, so Node's own are known by their texts: they name what nobody outside of Node has.
import { extname } from 'node:path';
import { internals } from '@turntable/core';
import { NodeModules } from './resolution.ts';

/** Of `.js`, `.json` and `.node`; there are no others. */
const NODES = /\bStringPrototypeEndsWith\(filename\b|\bsetOwnProperty\(module\b|\bprocess\.dlopen\(module, path\./;
const { toString: textOf } = Function.prototype;
const known = new WeakMap<object, boolean>();

export type FileLoader = 'node' | 'program' | 'tool';

export function loaderOf(filename: string): FileLoader {
  const loader = NodeModules._extensions[extname(filename)] ?? NodeModules._extensions['.js'];
  if (loader === undefined || isNodes(loader)) return 'node';
  return internals.isOurs(loader as () => unknown) ? 'program' : 'tool';
}

/** Whether somebody has installed a loader for this kind of file. */
export function isLoadedByTool(filename: string): boolean {
  return loaderOf(filename) !== 'node';
}

type Load = (module: NodeModule, filename: string) => void;
type Compile = (content: string, filename: string, format: string) => void;

/** As Node's loaders do it, for formats of Node's. */
export function compile(module: NodeModule, text: string, filename: string, format: string): void {
  const { _compile } = module as unknown as { _compile: Compile };
  Reflect.apply(_compile, module, [text, filename, format]);
}

/**
 * Of code that is no tool's matter and is required meanwhile: `load` stands where tools have put their loaders, and is given the one in whose place. Node's own, where
 * nobody else's are, are as good.
 */
export function withLoader<T>(load: (...args: [...Parameters<Load>, instead: Load]) => void, run: () => T): T {
  const { _extensions: loaders } = NodeModules;
  const taken = Object.getOwnPropertyNames(loaders).filter(
    (extension) => /^\.[cm]?[jt]s$/.test(extension) && loaderOf(`a${extension}`) !== 'node',
  );
  const before = taken.map((extension) => loaders[extension]);
  taken.forEach((extension, i) => {
    loaders[extension] = (module, filename) => load(module, filename, before[i] as Load);
  });
  try {
    return run();
  } finally {
    taken.forEach((extension, i) => (loaders[extension] = before[i]));
  }
}

function isNodes(loader: object): boolean {
  let answer = known.get(loader);
  if (answer === undefined) known.set(loader, (answer = NODES.test(Reflect.apply(textOf, loader, []) as string)));
  return answer;
}
