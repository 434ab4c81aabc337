// The names that a native ES module exports: what imports it is linked before it is loaded. A file is parsed for them once, and what was found is kept, so that no thread that loads it again needs a parser.
import { isBuiltin } from 'node:module';
import { extname } from 'node:path';
import { readFileSync } from '../files.ts';
import { parserTools } from '../node/tools.ts';
import type { VerdictCache } from '../code/verdict-cache.ts';
import { localFile } from '../classification/module-classifier.ts';
import { nativeExports } from './native-modules.ts';

interface FileExports {
  readonly names: readonly string[];
  /** Specifiers of those of which it exports all. */
  readonly all: readonly string[];
}

export interface NamesPorts {
  readonly cache: Pick<VerdictCache, 'read' | 'write'> | undefined;
  /** Of Turntable: what another one has found may be something else. */
  readonly version: string;
  /** Of a bare specifier, the file. */
  resolve(specifier: string, from: string): string | undefined;
}

/** Through `export *` of its own package's files and of anything that can be resolved. */
export function nativeExportNames(filename: string, ports: NamesPorts, visited: Set<string> = new Set()): Set<string> {
  if (visited.has(filename)) return new Set();
  visited.add(filename);
  const { names, all } = exportsOf(filename, ports);
  const found = new Set(names);
  for (const specifier of all)
    for (const name of namesBehind(specifier, filename, ports, visited)) if (name !== 'default') found.add(name);
  return found;
}

function namesBehind(specifier: string, from: string, ports: NamesPorts, visited: Set<string>): Iterable<string> {
  if (isBuiltin(specifier)) return Object.keys(nativeExports(specifier));
  const target = specifier.startsWith('.') ? localFile(from, specifier) : ports.resolve(specifier, from);
  return target === undefined ? [] : nativeExportNames(target, ports, visited);
}

function exportsOf(filename: string, { cache, version }: NamesPorts): FileExports {
  const source = readFileSync(filename, 'utf8');
  // The parser goes by the extension.
  const origin = { about: `${version}\nexports of ${extname(filename)}`, source };
  const kept = cache?.read(origin);
  if (kept !== undefined) return kept as FileExports;
  const found = exportsIn(filename, source);
  cache?.write(origin, found);
  return found;
}

function exportsIn(filename: string, source: string): FileExports {
  const names: string[] = [];
  const all: string[] = [];
  const { module } = parserTools().parseSync(filename, source);
  for (const { entries } of module.staticExports)
    for (const { exportName, moduleRequest, importName, isType } of entries) {
      if (isType) continue;
      if (exportName.kind === 'Default') names.push('default');
      else if (exportName.name !== null) names.push(exportName.name);
      if (importName.kind === 'AllButDefault' && moduleRequest !== null) all.push(moduleRequest.value);
    }
  return { names, all };
}
