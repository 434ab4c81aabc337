// Code transformed ahead of time by a build: `chunk.js.ttc` beside `chunk.js`, in the cache's own format. The chunk stays what it was
// and runs without Turntable too; the file beside it counts only for exactly this text and this version of the transform.
import type { CacheKey } from './cache-directory.ts';
import { readEntry, type CacheEntry } from './code-cache.ts';

const SUFFIX = '.ttc';

export function prebuiltCacheKey(source: string, version: string): CacheKey {
  return { context: `prebuilt\n${version}`, source };
}

export function prebuiltFileOf(filename: string): string {
  return filename + SUFFIX;
}

/** What a build has left for this very text, if anything. */
export function readPrebuilt(filename: string, source: string, version: string): CacheEntry | undefined {
  return readEntry(prebuiltFileOf(filename), prebuiltCacheKey(source, version));
}
