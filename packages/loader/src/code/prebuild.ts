// Transforms code ahead of time, for a build that writes the result next to each chunk.
import { encodeEntry } from './code-cache.ts';
import { prebuiltCacheKey } from './prebuilt.ts';
import { mutableVariables, type CodeKind, type TransformerOptions } from './transformer-port.ts';
import { transformer } from './transformer.ts';

/** Returns the content of the file that a build must write as `prebuiltFileOf(filename)`. */
export function prebuild(
  filename: string,
  source: string,
  kind: CodeKind,
  isLenientAt: NonNullable<TransformerOptions['isLenientAt']>,
): Buffer {
  const options = { path: filename, kind, isLenientAt };
  const { code, mapText, table, source: describedSource } = transformer.transform(source, options);
  const head = { kind, id: table.id, module: table.module, mutable: mutableVariables(table) };
  return encodeEntry(prebuiltCacheKey(source, transformer.version), {
    head: JSON.stringify(head),
    code,
    map: mapText,
    table: JSON.stringify(table),
    lowered: describedSource === source ? '' : describedSource,
    compiled: Buffer.alloc(0),
  });
}
