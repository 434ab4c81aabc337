// Code that a build has transformed: `chunk.js.ttc` next to `chunk.js`, in the format of the cache. The chunk itself is
// unchanged and runs without Turntable. The file is used only with exactly this text and this version of the transform.
import type { CacheKey } from './cache-directory.ts';
import { readEntry, type CacheEntry } from './code-cache.ts';

const SUFFIX = '.ttc';

export function prebuiltCacheKey(source: string, version: string): CacheKey {
  return { context: `prebuilt\n${version}`, source };
}

export function prebuiltFileOf(filename: string): string {
  return filename + SUFFIX;
}

/** The entry that a build has written for this text, if any. */
export function readPrebuilt(filename: string, source: string, version: string): CacheEntry | undefined {
  return readEntry(prebuiltFileOf(filename), prebuiltCacheKey(source, version));
}
