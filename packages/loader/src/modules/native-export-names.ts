// The export names of a native ES module. Its importers are linked before it is loaded, so the file is parsed. The
// result is cached on disk, so that later threads need no parser.
import { isBuiltin } from 'node:module';
import { extname } from 'node:path';
import { readFileSync } from '../files.ts';
import type { FileExports } from '../code/transform-service.ts';
import { exportsOf } from '../code/transformer.ts';
import type { VerdictCache } from '../code/verdict-cache.ts';
import { resolveLocalFile } from '../classification/module-classifier.ts';
import { nativeExports } from './native-modules.ts';

export interface ExportNamesDeps {
  readonly cache: VerdictCache | undefined;
  /** Version of Turntable. The cached names of another version are not used. */
  readonly version: string;
  /** Resolves a bare specifier to a file. */
  resolve(specifier: string, from: string): string | undefined;
}

/** The export names of a file, including names through `export *` where the specifiers can be resolved. */
export function nativeExportNames(
  filename: string,
  deps: ExportNamesDeps,
  visited: Set<string> = new Set(),
): Set<string> {
  if (visited.has(filename)) return new Set();
  visited.add(filename);
  const { names, all: starSpecifiers } = fileExportsOf(filename, deps);
  const allNames = new Set(names);
  for (const specifier of starSpecifiers)
    for (const name of exportNamesOf(specifier, filename, deps, visited)) if (name !== 'default') allNames.add(name);
  return allNames;
}

function exportNamesOf(specifier: string, from: string, deps: ExportNamesDeps, visited: Set<string>): Iterable<string> {
  if (isBuiltin(specifier)) return Object.keys(nativeExports(specifier));
  const target = specifier.startsWith('.') ? resolveLocalFile(from, specifier) : deps.resolve(specifier, from);
  return target === undefined ? [] : nativeExportNames(target, deps, visited);
}

function fileExportsOf(filename: string, { cache, version }: ExportNamesDeps): FileExports {
  const source = readFileSync(filename, 'utf8');
  // The parser depends on the extension.
  const cacheKey = { context: `${version}\nexports of ${extname(filename)}`, source };
  const cached = cache?.read(cacheKey);
  if (cached !== undefined) return cached as FileExports;
  const found = exportsOf(filename, source);
  cache?.write(cacheKey, found);
  return found;
}
