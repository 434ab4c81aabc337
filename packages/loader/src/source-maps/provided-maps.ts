// Source maps given to Node for emitted code. Node maps the locations that it prints if the text names a map. Compiled
// code names a map that does not exist (`MAP_COMMENT`). A map with the original positions is provided when a location
// is about to be printed.
import Module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StackMapping } from '@turntable/core';
import { NodeModules } from '../node/resolution.ts';

/** Appended to every compiled text. Node never reads a file by this name. */
export const MAP_COMMENT = '\n//# sourceMappingURL=turntable\n';

interface NodeSourceMap {
  findEntry: (line: number, column: number) => object;
  payload: unknown;
}
interface MapSupport {
  setSourceMapsSupport(enabled: boolean, options: { nodeModules: boolean }): void;
  getSourceMapsSupport(): { enabled: boolean; nodeModules: boolean; generatedCode: boolean };
  findSourceMap(file: string): NodeSourceMap | undefined;
}
type Compile = (this: NodeModule, content: string, filename: string) => unknown;

const { setSourceMapsSupport, getSourceMapsSupport, findSourceMap } = Module as unknown as MapSupport;
const compile = (NodeModules.prototype as unknown as { _compile: Compile })._compile;
const EMPTY_MAP = `//# sourceMappingURL=data:application/json;base64,${btoa('{"version":3,"sources":[],"mappings":""}')}`;

/** Whether the user had enabled source maps; undefined until `provideMaps` enables them. */
let userWantsMaps: boolean | undefined;

/** Whether the user wants locations mapped through the program's own source maps. */
export function areSourceMapsWanted(): boolean {
  return userWantsMaps ?? process.sourceMapsEnabled;
}

/** Provides maps for all code that has run. Called when an error is about to end the process. */
export function provideMaps(running: ReadonlyMap<string, { readonly source: string }>, mapping: StackMapping): void {
  try {
    userWantsMaps = process.sourceMapsEnabled;
    setSourceMapsSupport(true, { nodeModules: true });
    for (const [name, { source }] of running) {
      if (name.startsWith('data:')) continue;
      const filename = name.startsWith('file:') ? fileURLToPath(name) : name;
      provideMap(filename, name, source, (line, column) => {
        const location = mapping.locate(name, line + 1, column + 1, null);
        return location === null || location === undefined || location === 'wrapper'
          ? undefined
          : { file: location.file, line: location.line - 1, column: location.column - 1 };
      });
    }
  } catch {
    // Node then prints locations in emitted code, which is better than hiding the program's error behind another one.
  }
}

/** Provides a map for one location in `filename`, to one in `source`, whose name is `name`. Positions start at 1. */
export function provideLocation(
  filename: string,
  { name, source, line, column }: { readonly name: string; readonly source: string } & LineAndColumn,
): void {
  userWantsMaps ??= process.sourceMapsEnabled;
  setSourceMapsSupport(true, { nodeModules: true });
  provideMap(filename, name, source, () => ({ line: line - 1, column: column - 1 }));
}

/** A position. Line and column count from zero, except in `provideLocation`. */
interface LineAndColumn {
  /** The original file if the program's own source map leads to another file than the text's. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}
type LocateOriginal = (line: number, column: number) => LineAndColumn | undefined;

/** Calls `run` while errors located in `filename` are reported at their locations in `source`, whose name is `name`. */
export function withMappedErrors<T>(
  filename: string,
  name: string,
  source: string,
  locate: LocateOriginal,
  run: () => T,
): T {
  const { enabled, ...otherSettings } = getSourceMapsSupport();
  if (!enabled) setSourceMapsSupport(true, otherSettings);
  try {
    provideMap(filename, name, source, locate);
    return run();
  } finally {
    if (!enabled) setSourceMapsSupport(false, otherSettings);
  }
}

/** Provides a map from `filename` to `source`, whose name is `name`. */
function provideMap(filename: string, name: string, source: string, locate: LocateOriginal): void {
  const module = new NodeModules(filename);
  Reflect.apply(compile, module, [EMPTY_MAP, filename]);
  const map = findSourceMap(filename);
  if (map === undefined) return;
  // Node keeps a map while its module is alive.
  mappedModules.push(module);
  // Node would print a URL as a path, unlike without source maps, so the name does not look like a URL when first read.
  let reads = 0;
  const namedSource = { toString: () => (reads++ === 0 ? '' : name) };
  map.findEntry = (line, column) => {
    const location = locate(line, column);
    if (location === undefined) return {};
    const isOtherFile = location.file !== undefined && location.file !== name;
    const originalSource = isOtherFile ? pathToFileURL(location.file).href : namedSource;
    return { originalLine: location.line, originalColumn: location.column, originalSource };
  };
  Object.defineProperty(map, 'payload', { value: { sources: [namedSource], sourcesContent: [source] } });
}

const mappedModules: NodeModule[] = [];
