// Answers the requests of `createRemoteTransformService`, and writes the cache. Requests may come from hostile code,
// which can have any text transformed: the key of an entry is therefore made of the request alone.
import { buildKey } from './build-key.ts';
import { cachedTransform } from './cached-transform.ts';
import { CodeCache, type CacheEntry } from './code-cache.ts';
import type { CacheKey } from './cache-directory.ts';
import { compileScript } from './code-entry.ts';
import { localTransformService } from './local-transform-service.ts';
import type { RuntimeTransform } from './runtime-code.ts';
import { failureOf, type TransformAnswer, type TransformRequest } from './transform-messages.ts';
import type { BuildRequest, TransformService } from './transform-service.ts';
import { runtimeCacheOptions, transformer } from './transformer.ts';
import { VerdictDirectory } from './verdict-cache.ts';

export interface TransformServerOptions {
  /** Directory of the cache; `false` for none. */
  readonly cache: string | false;
}

/** Returns a function that answers a request. Files are written when the caller has sent the answer. */
export function createTransformServer({ cache }: TransformServerOptions): (request: string) => string {
  const service = cache === false ? localTransformService : cachingService(cache);
  return (text) => JSON.stringify(answer(service, text));
}

function answer(service: TransformService, text: string): TransformAnswer {
  try {
    const { call, args } = JSON.parse(text) as TransformRequest;
    if (!Object.hasOwn(localTransformService, call)) throw new Error(`unknown request ${String(call)}`);
    const result = (service[call] as (...args: unknown[]) => unknown)(...(args as unknown[]));
    return { result };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

function cachingService(directory: string): TransformService {
  const cache = new CodeCache(directory);
  const verdicts = new VerdictDirectory(directory);
  const [cachedRuntimeCode, cachedDebugCode] = [false, true].map((debug) =>
    cachedRuntimeTransform(directory, debug),
  ) as [RuntimeTransform, RuntimeTransform];
  return {
    ...localTransformService,
    build(request) {
      checkForm(request);
      const cacheKey = buildKey(transformer.version, request);
      const cached = request.restore === undefined ? cache.read(cacheKey) : undefined;
      if (cached !== undefined) return cached;
      const entry = localTransformService.build(request);
      setImmediate(() => writeEntry(cache, cacheKey, entry, request));
      return entry;
    },
    buildRuntimeCode: ({ source, options, debug }) => (debug ? cachedDebugCode : cachedRuntimeCode)(source, options),
    cacheVerdict: (cacheKey, verdict) => verdicts.write(cacheKey, verdict),
  };
}

/** Refuses values that could give the request the key of another one. */
function checkForm({ path, kind, debug, isLenient }: BuildRequest): void {
  const isForm =
    [undefined, 'module', 'commonjs'].includes(kind) &&
    [undefined, false, true, 'barriers'].includes(debug) &&
    [undefined, false, true].includes(isLenient);
  if (!isForm || path.includes('\n')) throw new Error('invalid form of code');
}

function cachedRuntimeTransform(directory: string, debug: boolean): RuntimeTransform {
  return cachedTransform(
    (source, options) => localTransformService.buildRuntimeCode({ source, options, debug }),
    runtimeCacheOptions(debug, directory),
  );
}

/** Writes an entry, with V8's compiled code of what the file's top level calls. */
function writeEntry(cache: CodeCache, cacheKey: CacheKey, entry: CacheEntry, { path }: BuildRequest): void {
  const { head, code, map, table, lowered } = entry;
  const compiled = compileScript(entry, path).createCachedData();
  cache.write(cacheKey, { head, code, map, table, lowered, compiled });
}
