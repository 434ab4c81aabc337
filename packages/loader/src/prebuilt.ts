// Code transformed ahead of time by a build: `chunk.js.ttc` beside `chunk.js`, in the cache's own format. The chunk stays what it was
// and runs without Turntable too; the file beside it counts only for exactly this text and this version of the transform.
import { readFileSync } from 'node:fs';
import { cacheKey, decodeEntry, encodeEntry, type CacheEntry } from './code-cache.ts';
import { mutableVariables, type CodeKind, type TransformOptions } from './code.ts';
import { transformer } from './transformer.ts';

const SUFFIX = '.ttc';

interface PrebuiltHead {
  readonly prebuilt: string;
  readonly kind: CodeKind;
}

function identity(source: string, version: string): string {
  return cacheKey(['prebuilt', version, source]);
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
  const head: PrebuiltHead & { id: string; module: unknown; mutable: readonly string[] } = {
    prebuilt: identity(source, transformer.version),
    kind,
    id: table.id,
    module: table.module,
    mutable: mutableVariables(table),
  };
  return encodeEntry({
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
  let bytes: Buffer;
  try {
    bytes = readFileSync(prebuiltFileOf(filename));
  } catch {
    return undefined;
  }
  const entry = decodeEntry(bytes);
  if (entry === undefined) return undefined;
  return (JSON.parse(entry.head) as Partial<PrebuiltHead>).prebuilt === identity(source, version) ? entry : undefined;
}
