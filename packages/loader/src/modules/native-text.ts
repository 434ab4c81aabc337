// Native ES modules made of generated text, loaded at once: `require` of a module of our own scheme, whose resolution and text the
// hooks take from here. Two uses: real namespace objects for evaluated modules (as fast and as inspectable as the engine's), and
// the engine's own words for a syntax error.
import { createRequire } from 'node:module';
import { whileForeign } from '../realm/foreign-code.ts';
import { pathToFileURL } from 'node:url';
import { MAP_COMMENT, withErrorsPlaced } from '../source-maps/provided-maps.ts';
import { compile, withLoader } from '../node/file-loaders.ts';
import { NodeModules } from '../node/resolution.ts';
import { SHELLS } from '../realm/hidden.ts';

const SCHEME = 'turntable-native:';
const DIRECTORY = '/turntable';
const require = createRequire(import.meta.url);
const texts: Map<string, string> = new Map();
let ordinal = 0;
let delivered: unknown;

/** For the resolve hook. */
export function nativeTextUrl(specifier: string): string | undefined {
  return specifier.startsWith(SCHEME)
    ? pathToFileURL(`${DIRECTORY}/${specifier.slice(SCHEME.length)}.mjs`).href
    : undefined;
}

/** For the load hook. */
export function nativeText(url: string): string | undefined {
  return texts.get(url);
}

export function deliver(value: unknown): void {
  delivered = value;
}

/** Runs the text `textOf(ownSpecifier)`; answers what it passes to `deliver`. */
function runNativeText(textOf: (ownSpecifier: string) => string): unknown {
  const specifier = `${SCHEME}${ordinal++}`;
  const url = nativeTextUrl(specifier) as string;
  texts.set(url, textOf(specifier));
  delivered = undefined;
  try {
    const load = (module: NodeModule, filename: string): void =>
      compile(module, nativeText(url) ?? '', filename, 'module');
    whileForeign(() => withLoader(load, () => require(specifier) as unknown));
    return delivered;
  } finally {
    texts.delete(url);
    delivered = undefined;
    Reflect.deleteProperty(NodeModules._cache, `${DIRECTORY}/${specifier.slice(SCHEME.length)}.mjs`);
  }
}

const DELIVER = `globalThis[Symbol.for(${JSON.stringify(SHELLS.description)})].deliver`;

export interface NativeNamespace {
  readonly namespace: object;
  readonly setters: readonly ((value: unknown) => void)[];
}

/** A namespace object with these names, and the functions that set its bindings. */
export function createNativeNamespace(names: readonly string[]): NativeNamespace {
  const text = (self: string): string =>
    [
      `import * as $namespace from '${self}';`,
      ...names.map((name, i) => `let $${i}; export { $${i} as ${JSON.stringify(name)} };`),
      `${DELIVER}({ namespace: $namespace, setters: [${names.map((_, i) => `($) => { $${i} = $; }`).join(', ')}] });`,
    ].join('\n');
  return runNativeText(text) as NativeNamespace;
}

/** The namespace of a native module that has been evaluated. */
export function nativeNamespaceOf(url: string): object {
  return runNativeText(() => `import * as $namespace from ${JSON.stringify(url)}; ${DELIVER}($namespace);`) as object;
}

/** What the engine has to say against an ES module's text, if anything. The text is compiled and never runs. */
export function nativeSyntaxError(source: string, url: string): SyntaxError | undefined {
  const filename = `${DIRECTORY}/${ordinal}.mjs`;
  // The comment comes first, since V8 reads no further than to the error.
  const locate = (line: number, column: number): { line: number; column: number } => ({ line: line - 1, column });
  try {
    // The import cannot be linked; a text that compiles fails there.
    const text = (): string => `${MAP_COMMENT.trim()}\n${source}\nimport 'node:turntable-nothing';`;
    withErrorsPlaced(filename, url, source, locate, () => runNativeText(text));
  } catch (error) {
    if (error instanceof SyntaxError) return error;
  }
  return undefined;
}
