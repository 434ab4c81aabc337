// Native ES modules generated from text and loaded synchronously, by `require` of a specifier with a private scheme.
// The hooks get their URLs and texts here. Generated modules provide real namespace objects of evaluated modules, which
// are as fast and inspectable as V8's own. They also provide V8's messages about syntax errors.
import { createRequire } from 'node:module';
import { runAsTool } from '../realm/tool-code.ts';
import { pathToFileURL } from 'node:url';
import { MAP_COMMENT, withMappedErrors } from '../source-maps/provided-maps.ts';
import { compile, withLoader } from '../node/file-loaders.ts';
import { NodeModules } from '../node/resolution.ts';
import { SHELLS_KEY } from '../realm/hidden-globals.ts';

const SCHEME = 'turntable-native:';
const VIRTUAL_DIRECTORY = '/turntable';
const require = createRequire(import.meta.url);
const sourcesByUrl: Map<string, string> = new Map();
let nextOrdinal = 0;
let receivedValue: unknown;

/** The URL of a generated module, for the resolve hook. */
export function nativeSourceUrl(specifier: string): string | undefined {
  return specifier.startsWith(SCHEME)
    ? pathToFileURL(`${VIRTUAL_DIRECTORY}/${specifier.slice(SCHEME.length)}.mjs`).href
    : undefined;
}

/** The text of a generated module, for the load hook. */
export function nativeSource(url: string): string | undefined {
  return sourcesByUrl.get(url);
}

export function receiveValue(value: unknown): void {
  receivedValue = value;
}

/** Runs the text `sourceOf(ownSpecifier)` and returns the value that it passes to `deliver`. */
function evaluateNativeSource(sourceOf: (ownSpecifier: string) => string): unknown {
  const specifier = `${SCHEME}${nextOrdinal++}`;
  const url = nativeSourceUrl(specifier) as string;
  sourcesByUrl.set(url, sourceOf(specifier));
  receivedValue = undefined;
  try {
    const loadModule = (module: NodeModule, filename: string): void =>
      compile(module, nativeSource(url) ?? '', filename, 'module');
    runAsTool(() => withLoader(loadModule, () => require(specifier) as unknown));
    return receivedValue;
  } finally {
    sourcesByUrl.delete(url);
    receivedValue = undefined;
    Reflect.deleteProperty(NodeModules._cache, `${VIRTUAL_DIRECTORY}/${specifier.slice(SCHEME.length)}.mjs`);
  }
}

const DELIVER_EXPRESSION = `globalThis[Symbol.for(${JSON.stringify(SHELLS_KEY.description)})].deliver`;

export interface NativeNamespace {
  readonly namespace: object;
  readonly setters: readonly ((value: unknown) => void)[];
}

/** Creates a namespace object with these names, and the functions that set its bindings. */
export function createNativeNamespace(names: readonly string[]): NativeNamespace {
  const sourceOf = (self: string): string =>
    [
      `import * as $namespace from '${self}';`,
      ...names.map((name, i) => `let $${i}; export { $${i} as ${JSON.stringify(name)} };`),
      `${DELIVER_EXPRESSION}({ namespace: $namespace, setters: [${names.map((_, i) => `($) => { $${i} = $; }`).join(', ')}] });`,
    ].join('\n');
  return evaluateNativeSource(sourceOf) as NativeNamespace;
}

/** The namespace of a native module that has been evaluated. */
export function nativeNamespaceOf(url: string): object {
  return evaluateNativeSource(
    () => `import * as $namespace from ${JSON.stringify(url)}; ${DELIVER_EXPRESSION}($namespace);`,
  ) as object;
}

/** V8's syntax error for an ES module, if any. The source is compiled and never runs. */
export function nativeSyntaxError(source: string, url: string): SyntaxError | undefined {
  const filename = `${VIRTUAL_DIRECTORY}/${nextOrdinal}.mjs`;
  // The comment comes first, since V8 stops reading at the error.
  const shiftLine = (line: number, column: number): { line: number; column: number } => ({ line: line - 1, column });
  try {
    // A source that compiles fails when its last import is linked, so it does not run.
    const sourceOf = (): string => `${MAP_COMMENT.trim()}\n${source}\nimport 'node:turntable-nothing';`;
    withMappedErrors(filename, url, source, shiftLine, () => evaluateNativeSource(sourceOf));
  } catch (error) {
    if (error instanceof SyntaxError) return error;
  }
  return undefined;
}
