// Synchronous access to Node's resolver for any importer. `import.meta.resolve` runs the resolve hooks; Turntable's
// hook recognises a query by the specifier `SCHEME`, calls the next resolver with the real specifier and importer, and
// keeps the answer. So conditions, maps, self-references and all errors are Node's.
import Module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { internals } from '@turntable/core';
import { LoaderError } from '../errors.ts';
import { runAsTool } from '../realm/tool-code.ts';

export interface ResolvedModule {
  readonly url: string;
  readonly format: string | null | undefined;
}

const SCHEME = 'turntable-resolve:';

interface ResolveContext {
  parentURL: string | undefined;
  conditions: string[];
  importAttributes: Record<string, string>;
}
export type NextResolve = (specifier: string, context?: Partial<ResolveContext>) => ResolvedModule;

let pendingQuery: { readonly specifier: string; readonly parentURL: string } | undefined;
let queryAnswer: ResolvedModule | undefined;
let queryFailure: { readonly error: unknown } | undefined;

/** For the resolve hook: answers the pending query if `specifier` is `SCHEME`. */
export function answerResolveQuery(
  specifier: string,
  next: NextResolve,
): (ResolvedModule & { shortCircuit: true }) | undefined {
  if (pendingQuery === undefined || specifier !== SCHEME) return undefined;
  const { specifier: realSpecifier, parentURL } = pendingQuery;
  pendingQuery = undefined;
  try {
    queryAnswer = next(realSpecifier, { parentURL, importAttributes: {} });
  } catch (error) {
    queryFailure = { error };
  }
  return { url: SCHEME, format: 'module', shortCircuit: true };
}

/** The resolution of `import 'specifier'` in `parentURL`. Throws Node's error. */
export function resolveImport(specifier: string, parentURL: string): ResolvedModule {
  pendingQuery = { specifier, parentURL };
  queryAnswer = undefined;
  queryFailure = undefined;
  runResolver(() => import.meta.resolve(SCHEME));
  const failedQuery = queryFailure as { readonly error: unknown } | undefined;
  if (failedQuery !== undefined) throw failedQuery.error;
  if (queryAnswer === undefined)
    throw new LoaderError(
      'TT_NOT_INSTALLED',
      `${specifier} cannot be resolved, because the loader is not installed; start the program with --import turntable/register`,
    );
  return queryAnswer;
}

/** The file of `import 'specifier'` in the file `from`; undefined for a builtin or if it is not found. */
export function importedFile(specifier: string, from: string): string | undefined {
  try {
    const { url } = resolveImport(specifier, pathToFileURL(from).href);
    return url.startsWith('file:') ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves a request with `resolve` and records the result or the failure. */
export type NoteResolution = (request: string, resolve: () => string) => string;

export interface RequireOptions {
  readonly paths?: readonly string[];
}

interface CommonJsInternals {
  _resolveFilename(request: string, parent: unknown, isMain: boolean, options?: RequireOptions): string;
  _resolveLookupPaths(request: string, parent: unknown): string[] | null;
  _nodeModulePaths(from: string): string[];
  _load(request: string, parent: unknown, isMain: boolean): unknown;
  _cache: Record<string, NodeModule | undefined>;
  _extensions: Record<string, ((module: NodeModule, filename: string) => void) | undefined>;
  new (id: string, parent?: NodeModule): NodeModule;
  prototype: NodeModule;
}

/** Node's `Module` with its undocumented members. */
export const NodeModules = Module as unknown as CommonJsInternals;

/** Runs `load` and removes the modules that it requires from `require.cache`. */
export function withoutRequireCache<R>(load: () => R): R {
  const cachedBefore = new Set(Object.keys(NodeModules._cache));
  try {
    return load();
  } finally {
    for (const filename of Object.keys(NodeModules._cache))
      if (!cachedBefore.has(filename)) Reflect.deleteProperty(NodeModules._cache, filename);
  }
}

/** Creates a module object for a file. */
export function moduleAt(filename: string, parent?: NodeModule): NodeModule {
  const module = new NodeModules(filename, parent);
  module.filename = filename;
  module.paths = NodeModules._nodeModulePaths(module.path);
  return module;
}

/** The resolution of `require('specifier')` in `parent`: a file name or a builtin's id. Throws Node's error. */
export function resolveRequire(specifier: string, parent: NodeModule, options?: RequireOptions): string {
  return runResolver(() => NodeModules._resolveFilename(specifier, parent, false, options));
}

/**
 * Runs `resolve` as a tool, because it may call hooks of tools; a resolver that the program has installed is part of
 * the program.
 */
export function runResolver<R>(resolve: () => R): R {
  return internals.isCapturable(NodeModules._resolveFilename as never) ? resolve() : runAsTool(resolve);
}
