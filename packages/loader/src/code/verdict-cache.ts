// Verdicts about modules on disk: facts about a file or a package that took a parser to find. A cache file that is stale, cut short or damaged is ignored.
//
//   "TTV1"  CRC-32 of the rest  JSON: [about, source, verdict]
import { CacheDirectory, sealed, unsealed, type CacheOrigin } from './cache-directory.ts';

const MAGIC = 'TTV1';

export class VerdictCache {
  readonly #files: CacheDirectory;

  constructor(directory: string) {
    this.#files = new CacheDirectory(directory, 'ttv');
  }

  /** The verdict that was written for just this origin. */
  read(origin: CacheOrigin): unknown {
    const bytes = this.#files.read(origin);
    return bytes === undefined ? undefined : decodeVerdict(bytes, origin);
  }

  /** @param verdict plain data */
  write(origin: CacheOrigin, verdict: unknown): void {
    this.#files.write(origin, () => encodeVerdict(origin, verdict));
  }
}

export function encodeVerdict({ about, source }: CacheOrigin, verdict: unknown): Buffer {
  return sealed(MAGIC, Buffer.from(JSON.stringify([about, source, verdict])));
}

export function decodeVerdict(bytes: Buffer, origin: CacheOrigin): unknown {
  const text = unsealed(MAGIC, bytes);
  if (text === undefined) return undefined;
  const [about, source, verdict] = JSON.parse(text.toString()) as [string, string, unknown];
  return about === origin.about && source === origin.source ? verdict : undefined;
}
