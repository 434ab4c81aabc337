// Transforms code ahead of time, for a build that writes the result next to each chunk.
import { encodeEntry } from './code-cache.ts';
import { cacheEntryOf } from './code-entry.ts';
import { transformFile, type TransformerOptions } from './local-transform-service.ts';
import { prebuiltCacheKey } from './prebuilt.ts';
import { transformer } from './transformer.ts';
import type { CodeKind } from './transform-service.ts';

/** Returns the content of the file that a build must write as `prebuiltFileOf(filename)`. */
export function prebuild(
  filename: string,
  source: string,
  kind: CodeKind,
  isLenientAt: NonNullable<TransformerOptions['isLenientAt']>,
): Buffer {
  const settings = transformer.settings(filename);
  const transformed = transformFile(source, { path: filename, kind, isLenientAt, settings });
  return encodeEntry(prebuiltCacheKey(source, transformer.version), cacheEntryOf(transformed, kind, source));
}
