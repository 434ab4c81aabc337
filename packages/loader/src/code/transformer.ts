// The transform of the program's code with the settings of its files, and of expressions that a debugger evaluates.
import { ABI_VERSION, LAZY_GLOBALS, HOST_GLOBALS } from '@turntable/core';
import { readMap } from '@turntable/transform/source-map';
import type { InputCode } from '@turntable/transform';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { readdirSync, readFileSync } from '../files.ts';
import type { RuntimeTransform } from './runtime-code.ts';
import { isTypeScript } from '../node/file-format.ts';
import { cachedTransform, type RuntimeCacheOptions } from './cached-transform.ts';
import { packageDirectory } from '../own-packages.ts';
import type { LoaderOptions } from '../settings/options.ts';
import { localTransformService } from './local-transform-service.ts';
import type { FileExports, TransformService } from './transform-service.ts';
import type { Transformer } from './transformer-port.ts';
import { typeScriptOptions } from './tsconfig.ts';
import { VerdictDirectory, type VerdictCache } from './verdict-cache.ts';

/** Maximum number of sources compiled at run time whose code the transform service caches. */
const MAX_NEW_RUNTIME_SOURCES = 1000;

let service: TransformService = localTransformService;

/** Transforms code with this service from now on, in this thread. */
export function useTransformService(newService: TransformService): void {
  service = newService;
}

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

const version = transformVersion();

function transformerWith(currentService: () => TransformService): Transformer {
  return {
    version,
    get writesCache() {
      return currentService().writesCache;
    },
    build: (request) => currentService().build(request),
    readMap,
    lower: (source, path, settings) => currentService().lower(source, path, settings),
    settings: settingsOf,
  };
}

/** The transform of this thread's program. */
export const transformer: Transformer = transformerWith(() => service);

/** A transform of code that does not run in this thread. */
export function createTransformer(ownService: TransformService): Transformer {
  return transformerWith(() => ownService);
}

function settingsOf(path: string): string {
  return isTypeScript(path) ? JSON.stringify(typeScriptOptions(path)) : '';
}

export function exportsOf(path: string, source: string): FileExports {
  return service.exportsOf(path, source);
}

/**
 * A cache of verdicts in this directory, which the transform service writes if it writes the cache.
 * @param sharedDirectory another cache, which is only read
 */
export function verdictCacheIn(directory: string, sharedDirectory?: string): VerdictCache {
  const cache = new VerdictDirectory(directory);
  const sharedCache = sharedDirectory === undefined ? undefined : new VerdictDirectory(sharedDirectory);
  return {
    read: (cacheKey) => cache.read(cacheKey) ?? sharedCache?.read(cacheKey),
    write: (cacheKey, verdict) =>
      service.writesCache ? service.cacheVerdict(cacheKey, verdict) : cache.write(cacheKey, verdict),
  };
}

export const runtimeTransform: RuntimeTransform = (source, options) =>
  service.buildRuntimeCode({ source, options, debug: false });

/** The transform for programs whose code has probes. */
export const debugTransform: RuntimeTransform = (source, options) =>
  service.buildRuntimeCode({ source, options, debug: true });

/** @param debug whether the program's code has probes @param cache directory of transformed code, or `false` */
export function runtimeTransformFor({ debug, cache }: Pick<LoaderOptions, 'debug' | 'cache'>): RuntimeTransform {
  const transform = debug ? debugTransform : runtimeTransform;
  if (cache === false) return transform;
  const isReadOnly = service.writesCache;
  const maxNewSources = isReadOnly ? MAX_NEW_RUNTIME_SOURCES : 0;
  return cachedTransform(transform, { ...runtimeCacheOptions(debug, cache), maxNewSources, isReadOnly });
}

/** Options for the cache of the transform service. */
export function runtimeCacheOptions(debug: boolean, directory: string): RuntimeCacheOptions {
  const version = `${transformer.version}${debug ? ' debug' : ''}`;
  return { version, directory, maxNewSources: MAX_NEW_RUNTIME_SOURCES, isReadOnly: false };
}

/** Code of a console input; undefined if it is not valid. @param reader as of `plainExpression` */
export function consoleInput(text: string, reader: string): InputCode | undefined {
  return service.toConsoleInput(text, reader);
}

/** Removes the types of an expression, and lets it read private members through the function named `reader`. */
export function plainExpression(text: string, reader: string): string {
  return service.toPlainExpression(text, reader);
}
