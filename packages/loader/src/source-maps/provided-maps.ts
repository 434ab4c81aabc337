// Source maps that Node is given for emitted code. Node looks up the places that it prints in source maps, if a text names one: compiled code names a map that is
// read from nowhere (`MAP_COMMENT`), and a map that answers with our own positions is provided when a place is about to be printed.
import Module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StackMapping } from '@turntable/core';
import { NodeModules } from '../node/resolution.ts';

/** Ends every compiled text. Nothing is ever read from there. */
export const MAP_COMMENT = '\n//# sourceMappingURL=turntable\n';

interface SourceMapOfNode {
  findEntry: (line: number, column: number) => object;
  payload: unknown;
}
interface MapSupport {
  setSourceMapsSupport(enabled: boolean, options: { nodeModules: boolean }): void;
  getSourceMapsSupport(): { enabled: boolean; nodeModules: boolean; generatedCode: boolean };
  findSourceMap(file: string): SourceMapOfNode | undefined;
}
type Compile = (this: NodeModule, content: string, filename: string) => unknown;

const { setSourceMapsSupport, getSourceMapsSupport, findSourceMap } = Module as unknown as MapSupport;
const compile = (NodeModules.prototype as unknown as { _compile: Compile })._compile;
const EMPTY_MAP = `//# sourceMappingURL=data:application/json;base64,${btoa('{"version":3,"sources":[],"mappings":""}')}`;

/** Before we have turned them on for our own ends. */
let wanted: boolean | undefined;

/** Whether the program's user wants to see through the source maps that the program brings. */
export function sourceMapsAreWanted(): boolean {
  return wanted ?? process.sourceMapsEnabled;
}

/** For an error that ends the process: maps for all code that has run. */
export function provideMaps(running: ReadonlyMap<string, { readonly source: string }>, mapping: StackMapping): void {
  try {
    wanted = process.sourceMapsEnabled;
    setSourceMapsSupport(true, { nodeModules: true });
    for (const [name, { source }] of running) {
      if (name.startsWith('data:')) continue;
      const filename = name.startsWith('file:') ? fileURLToPath(name) : name;
      provideMap(filename, name, source, (line, column) => {
        const place = mapping.place(name, line + 1, column + 1, null);
        return place === null || place === undefined || place === 'wrapper'
          ? undefined
          : { file: place.file, line: place.line - 1, column: place.column - 1 };
      });
    }
  } catch {
    // Then Node shows emitted code, which is better than hiding the error behind one of ours.
  }
}

/** Node is about to show a place in the text of `filename` that is one in `source`, which is called `name`. Counted from one. */
export function showElsewhere(
  filename: string,
  { name, source, line, column }: { readonly name: string; readonly source: string } & LineAndColumn,
): void {
  wanted ??= process.sourceMapsEnabled;
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
type Locate = (line: number, column: number) => LineAndColumn | undefined;

/** Runs `run`, during which an error in the text of `filename` is reported at its place in `source`, which is called `name`. */
export function withErrorsPlaced<T>(filename: string, name: string, source: string, locate: Locate, run: () => T): T {
  const { enabled, ...others } = getSourceMapsSupport();
  if (!enabled) setSourceMapsSupport(true, others);
  try {
    provideMap(filename, name, source, locate);
    return run();
  } finally {
    if (!enabled) setSourceMapsSupport(false, others);
  }
}

/** Tells Node that what it knows as `filename` is `source`, called `name`. */
function provideMap(filename: string, name: string, source: string, locate: Locate): void {
  const module = new NodeModules(filename);
  Reflect.apply(compile, module, [EMPTY_MAP, filename]);
  const map = findSourceMap(filename);
  if (map === undefined) return;
  // Node keeps a map as long as its module lives.
  kept.push(module);
  // Node would print a URL as a path, other than without source maps: at first glance the name does not look like one.
  let glances = 0;
  const shown = { toString: () => (glances++ === 0 ? '' : name) };
  map.findEntry = (line, column) => {
    const place = locate(line, column);
    if (place === undefined) return {};
    const isElsewhere = place.file !== undefined && place.file !== name;
    const originalSource = isElsewhere ? pathToFileURL(place.file).href : shown;
    return { originalLine: place.line, originalColumn: place.column, originalSource };
  };
  Object.defineProperty(map, 'payload', { value: { sources: [shown], sourcesContent: [source] } });
}

const kept: NodeModule[] = [];
