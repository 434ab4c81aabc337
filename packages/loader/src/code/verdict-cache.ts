// The disk cache of verdicts: reasons why a package is a device, and names that a file exports. Finding them takes a
// scan or a parser. A stale, truncated or damaged file is ignored.
//
//   "TTV1"  CRC-32 of the rest  JSON: [context, source, verdict]
import { CacheDirectory, seal, unseal, type CacheKey } from './cache-directory.ts';

const MAGIC = 'TTV1';

export interface VerdictCache {
  /** The verdict that was written with this key; undefined if there is none. */
  read(cacheKey: CacheKey): unknown;
  /** @param verdict plain data */
  write(cacheKey: CacheKey, verdict: unknown): void;
}

export class VerdictDirectory implements VerdictCache {
  readonly #files: CacheDirectory;

  constructor(directory: string) {
    this.#files = new CacheDirectory(directory, 'ttv');
  }

  read(cacheKey: CacheKey): unknown {
    const bytes = this.#files.read(cacheKey);
    return bytes === undefined ? undefined : decodeVerdict(bytes, cacheKey);
  }

  write(cacheKey: CacheKey, verdict: unknown): void {
    this.#files.write(cacheKey, () => encodeVerdict(cacheKey, verdict));
  }
}

export function encodeVerdict({ context, source }: CacheKey, verdict: unknown): Buffer {
  return seal(MAGIC, Buffer.from(JSON.stringify([context, source, verdict])));
}

export function decodeVerdict(bytes: Buffer, cacheKey: CacheKey): unknown {
  const text = unseal(MAGIC, bytes);
  if (text === undefined) return undefined;
  const [context, source, verdict] = JSON.parse(text.toString()) as [string, string, unknown];
  return context === cacheKey.context && source === cacheKey.source ? verdict : undefined;
}
