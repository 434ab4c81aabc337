// Source maps that Node is given for emitted code. Node looks up the places that it prints in source maps, if a text names one: compiled code names a map that is
// read from nowhere (`MAP_COMMENT`), and a map that answers with our own positions is provided when a place is about to be printed.
import Module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StackMapping } from '@turntable/core';
import { NodeModules } from '../node/resolution.ts';

/** Ends every compiled text. Nothing is ever read from there. */
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

/** Before we have turned them on for our own ends. */
let userWantsMaps: boolean | undefined;

/** Whether the program's user wants to see through the source maps that the program brings. */
export function areSourceMapsWanted(): boolean {
  return userWantsMaps ?? process.sourceMapsEnabled;
}

/** For an error that ends the process: maps for all code that has run. */
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
    // Then Node shows emitted code, which is better than hiding the error behind one of ours.
  }
}

/** Node is about to show a place in the text of `filename` that is one in `source`, which is called `name`. Counted from one. */
export function provideLocation(
  filename: string,
  { name, source, line, column }: { readonly name: string; readonly source: string } & LineAndColumn,
): void {
  userWantsMaps ??= process.sourceMapsEnabled;
  setSourceMapsSupport(true, { nodeModules: true });
  provideMap(filename, name, source, () => ({ line: line - 1, column: column - 1 }));
}

/** Both count from zero. */
interface LineAndColumn {
  /** Another one than the text's own, when the program's source maps are followed. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}
type LocateOriginal = (line: number, column: number) => LineAndColumn | undefined;

/** Runs `run`, during which an error in the text of `filename` is reported at its place in `source`, which is called `name`. */
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

/** Tells Node that what it knows as `filename` is `source`, called `name`. */
function provideMap(filename: string, name: string, source: string, locate: LocateOriginal): void {
  const module = new NodeModules(filename);
  Reflect.apply(compile, module, [EMPTY_MAP, filename]);
  const map = findSourceMap(filename);
  if (map === undefined) return;
  // Node keeps a map as long as its module lives.
  mappedModules.push(module);
  // Node would print a URL as a path, other than without source maps: at first glance the name does not look like one.
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
