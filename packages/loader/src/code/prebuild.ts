// Transforms code ahead of time, for a build that writes the result beside each chunk.
import { encodeEntry } from './code-cache.ts';
import { prebuiltOrigin } from './prebuilt.ts';
import { mutableVariables, type CodeKind, type TransformOptions } from './transformer-port.ts';
import { transformer } from './transformer.ts';

/** Bytes to write to `prebuiltFileOf(filename)`. */
export function prebuild(
  filename: string,
  source: string,
  kind: CodeKind,
  isLenientAt: NonNullable<TransformOptions['isLenientAt']>,
): Buffer {
  const options = { path: filename, kind, isLenientAt };
  const { code, mapText, table, source: described } = transformer.transform(source, options);
  const head = { kind, id: table.id, module: table.module, mutable: mutableVariables(table) };
  return encodeEntry(prebuiltOrigin(source, transformer.version), {
    head: JSON.stringify(head),
    code,
    map: mapText,
    table: JSON.stringify(table),
    lowered: described === source ? '' : described,
    compiled: Buffer.alloc(0),
  });
}
