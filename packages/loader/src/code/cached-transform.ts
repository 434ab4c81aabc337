// The transform of sources that a program compiles at run time, with a cache, so that a later process need not load the
// transform.
import type { RuntimeTransform } from './runtime-code.ts';
import type { CacheKey } from './cache-directory.ts';
import { CodeCache, type CacheEntry } from './code-cache.ts';

type TransformResult = ReturnType<RuntimeTransform>;

export interface RuntimeCacheOptions {
  /** Covers all inputs except source and options. */
  readonly version: string;
  readonly directory: string;
  /** Maximum number of sources that are cached although no state refers to them: a program may compile any number. */
  readonly maxNewSources: number;
  /** Whether the transform writes the cache itself. */
  readonly isReadOnly: boolean;
}

export function cachedTransform(
  transform: RuntimeTransform,
  { version, directory, maxNewSources, isReadOnly }: RuntimeCacheOptions,
): RuntimeTransform {
  const cache = new CodeCache(directory);
  let newSources = 0;
  return (source, options) => {
    if (options.restore === undefined && ++newSources > maxNewSources) return transform(source, options);
    const context = ['made at run time', version, process.version, process.arch, JSON.stringify(options)].join('\n');
    const cacheKey: CacheKey = { context, source };
    const cached = cache.read(cacheKey);
    if (cached !== undefined) return fromCacheEntry(cached);
    const transformed = transform(source, options);
    if (!isReadOnly) cache.write(cacheKey, toCacheEntry(transformed));
    return transformed;
  };
}

function toCacheEntry({ code, table, source }: TransformResult): CacheEntry {
  return { head: '', code, map: '', table: JSON.stringify(table), lowered: source, compiled: Buffer.alloc(0) };
}

function fromCacheEntry({ code, table, lowered }: CacheEntry): TransformResult {
  return { code, table: JSON.parse(table) as TransformResult['table'], source: lowered };
}
