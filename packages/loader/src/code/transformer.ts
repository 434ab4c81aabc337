// The transform of the program's code with the settings of its files, and of expressions that a debugger evaluates.
import { ABI_VERSION, LAZY_GLOBALS, HOST_GLOBALS } from '@turntable/core';
import { readMap } from '@turntable/transform/source-map';
import type { ExpressionWithBarriers, ListedFunction, TypeScriptOptions } from '@turntable/transform';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { readdirSync, readFileSync } from '../files.ts';
import type { RuntimeTransform } from './runtime-code.ts';
import { isTypeScript } from '../node/file-format.ts';
import { cachedTransform } from './cached-transform.ts';
import { packageDirectory } from '../own-packages.ts';
import type { LoaderOptions } from '../settings/options.ts';
import { installedPackage } from '../node/package-scope.ts';
import { mapToOriginal, readSourceMap, type MappedLocation, type BuildMap } from '../source-maps/source-maps.ts';
import { loadTransform } from '../node/lazy-tools.ts';
import type { Transformer } from './transformer-port.ts';
import { typeScriptOptions } from './tsconfig.ts';

/**
 * Version of the transform's output: the version of the ABI, with that of the package or, in this workspace, a digest
 * of its sources.
 */
function transformVersion(): string {
  const entryPoint = fileURLToPath(import.meta.resolve('@turntable/transform'));
  const directory = packageDirectory(entryPoint);
  if (entryPoint.endsWith('.ts')) return `${ABI_VERSION}/${sourceDigest(join(directory, 'src'))}`;
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string };
  return `${ABI_VERSION}/${manifest.version}`;
}

/** A digest of all sources in the folder and of the names of core's globals. */
function sourceDigest(folder: string): string {
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
    .map((name) => readFileSync(join(folder, name)));
  return [...texts, [...HOST_GLOBALS, ...LAZY_GLOBALS].join()].map((text) => crc32(text).toString(36)).join('');
}

export const transformer: Transformer = {
  version: transformVersion(),
  // `eval` and `with` are refused in files of the user, who can change them; in installed packages they stay unchanged.
  transform: (source, { path, kind, isLenientAt, settings, restore, debug }) =>
    loadTransform().transform(source, {
      path,
      kind,
      lenient: isLenientAt ?? (installedPackage(path) !== undefined || createBundleCheck(path, source)),
      ...(isTypeScript(path) ? { typescript: typeScriptOptionsFor(path, settings) } : {}),
      ...(restore === undefined ? {} : { restore }),
      ...(debug === undefined ? {} : { debug }),
    }),
  readMap,
  lower: (source, path, settings) =>
    loadTransform().lowerTypeScript(source, path, typeScriptOptionsFor(path, settings)).code,
  settings: (path) => (isTypeScript(path) ? JSON.stringify(typeScriptOptions(path)) : ''),
};

function typeScriptOptionsFor(path: string, settings: string | undefined): TypeScriptOptions {
  return settings === undefined ? typeScriptOptions(path) : (JSON.parse(settings) as TypeScriptOptions);
}

/** Creates a check whether a location in a bundle comes from an installed package, by the bundle's source map. */
function createBundleCheck(path: string, source: string): (location: Omit<MappedLocation, 'file'>) => boolean {
  let sourceMap: { readonly map: BuildMap | undefined } | undefined;
  return (location) => {
    sourceMap ??= { map: readSourceMap(path, source) };
    const original = mapToOriginal(sourceMap.map, location);
    return original !== undefined && installedPackage(original.file) !== undefined;
  };
}

export const runtimeTransform = ((source, options) => loadTransform().transform(source, options)) as RuntimeTransform;

/** Adds barriers, which report writes to the undo log, to an expression that a user evaluates in debug mode. */
export function barredExpression(text: string): ExpressionWithBarriers {
  return loadTransform().addExpressionBarriers(text);
}

/** Lists the named functions of a file; empty if it is not code. */
export function functionsOf(path: string, source: string): readonly ListedFunction[] {
  return loadTransform().listFunctions(source, path);
}

/** Removes the types of an expression, and lets it read private members through the function named `reader`. */
export function plainExpression(text: string, reader: string): string {
  return loadTransform().toPlainExpression(text, reader);
}

/** The transform for programs whose code has probes. */
export const debugTransform = ((source, options) =>
  loadTransform().transform(source, { ...options, debug: true })) as RuntimeTransform;

/** @param debug whether the program's code has probes @param cache directory of transformed code, or `false` */
export function runtimeTransformFor({ debug, cache }: Pick<LoaderOptions, 'debug' | 'cache'>): RuntimeTransform {
  const formSuffix = debug ? ' debug' : '';
  return cachedTransform(debug ? debugTransform : runtimeTransform, transformer.version + formSuffix, cache);
}
