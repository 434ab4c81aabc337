// How texts become code again that a program has made at run time and that a state leads to: as an earlier process has had it, if one has, so that nothing of the transform need be loaded. Texts
// that a program makes now are transformed: there may be any number of them, and no two the same.
import type { RuntimeTransform } from './runtime-code.ts';
import type { CacheKey } from './cache-directory.ts';
import { CodeCache, type CacheEntry } from './code-cache.ts';

type TransformResult = ReturnType<RuntimeTransform>;

/** @param version of all that it depends on; `directory`: of transformed code, if any is kept */
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
