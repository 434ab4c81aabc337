// How texts become code again that a program has made at run time and that a state leads to: as an earlier process has had it, if one has, so that nothing of the transform need be loaded. Texts
// that a program makes now are transformed: there may be any number of them, and no two the same.
import type { RuntimeTransform } from './runtime-code.ts';
import type { CacheOrigin } from './cache-directory.ts';
import { CodeCache, type CacheEntry } from './code-cache.ts';

type Made = ReturnType<RuntimeTransform>;

/** @param version of all that it depends on; `directory`: of transformed code, if any is kept */
export function keptTransform(
  transform: RuntimeTransform,
  version: string,
  directory: string | false,
): RuntimeTransform {
  if (directory === false) return transform;
  const cache = new CodeCache(directory);
  return (source, options) => {
    if (options.restore === undefined) return transform(source, options);
    const about = ['made at run time', version, process.version, process.arch, JSON.stringify(options)].join('\n');
    const origin: CacheOrigin = { about, source };
    const kept = cache.read(origin);
    if (kept !== undefined) return madeFrom(kept);
    const made = transform(source, options);
    cache.write(origin, entryFrom(made));
    return made;
  };
}

function entryFrom({ code, table, source }: Made): CacheEntry {
  return { head: '', code, map: '', table: JSON.stringify(table), lowered: source, compiled: Buffer.alloc(0) };
}

function madeFrom({ code, table, lowered }: CacheEntry): Made {
  return { code, table: JSON.parse(table) as Made['table'], source: lowered };
}
