// The transform of sources that a program compiled at run time and that a state refers to. The result is cached, so
// that a later process need not load the transform. Sources that a program compiles now are not cached: their number is
// unbounded.
import type { RuntimeTransform } from './runtime-code.ts';
import type { CacheKey } from './cache-directory.ts';
import { CodeCache, type CacheEntry } from './code-cache.ts';

type TransformResult = ReturnType<RuntimeTransform>;

/** @param version covers all inputs except source and options @param directory cache, or `false` for none */
export function cachedTransform(
  transform: RuntimeTransform,
  version: string,
  directory: string | false,
): RuntimeTransform {
  if (directory === false) return transform;
  const cache = new CodeCache(directory);
  return (source, options) => {
    if (options.restore === undefined) return transform(source, options);
    const context = ['made at run time', version, process.version, process.arch, JSON.stringify(options)].join('\n');
    const cacheKey: CacheKey = { context, source };
    const cached = cache.read(cacheKey);
    if (cached !== undefined) return fromCacheEntry(cached);
    const transformed = transform(source, options);
    cache.write(cacheKey, toCacheEntry(transformed));
    return transformed;
  };
}

function toCacheEntry({ code, table, source }: TransformResult): CacheEntry {
  return { head: '', code, map: '', table: JSON.stringify(table), lowered: source, compiled: Buffer.alloc(0) };
}

function fromCacheEntry({ code, table, lowered }: CacheEntry): TransformResult {
  return { code, table: JSON.parse(table) as TransformResult['table'], source: lowered };
}
