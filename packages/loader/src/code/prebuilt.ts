// Code transformed ahead of time by a build: `chunk.js.ttc` beside `chunk.js`, in the cache's own format. The chunk stays what it was
// and runs without Turntable too; the file beside it counts only for exactly this text and this version of the transform.
import { encodeEntry, readEntry, type CacheEntry, type Origin } from './code-cache.ts';
import { mutableVariables, type CodeKind, type TransformOptions } from './code.ts';
import { transformer } from './transformer.ts';

const SUFFIX = '.ttc';

function originOf(source: string, version: string): Origin {
  return { about: `prebuilt\n${version}`, source };
}

export function prebuiltFileOf(filename: string): string {
  return filename + SUFFIX;
}

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
  return encodeEntry(originOf(source, transformer.version), {
    head: JSON.stringify(head),
    code,
    map: mapText,
    table: JSON.stringify(table),
    lowered: described === source ? '' : described,
    compiled: Buffer.alloc(0),
  });
}

/** What a build has left for this very text, if anything. */
export function readPrebuilt(filename: string, source: string, version: string): CacheEntry | undefined {
  return readEntry(prebuiltFileOf(filename), originOf(source, version));
}
