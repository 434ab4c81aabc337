// The desktop's recent recordings, each with the digest of the code to which the user has consented. Pages receive only
// paths, names and times.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { RecentRecordings } from '@turntable/time-machine/recent';
import type { WindowState } from '../bridge.ts';

export class DesktopRecents extends RecentRecordings {
  entries(): WindowState['recent'] {
    return this.list().map(({ path, openedAt: time }) => ({
      path,
      name: basename(path),
      time,
      exists: existsSync(path),
    }));
  }

  has(path: string): boolean {
    return this.list().some((each) => each.path === path);
  }

  /** Whether the user has agreed to run the code with this digest (`digestCode`) when opening this path. */
  hasConsent(path: string, codeDigest: string | undefined): boolean {
    return codeDigest !== undefined && this.list().some((each) => each.path === path && each.codeDigest === codeDigest);
  }
}

/**
 * Returns a digest of the code that opening a recording runs: of the manifest, which has the digests of all sources, or
 * of a packed recording as a whole. Undefined for a directory of several recordings and for anything else.
 */
export async function digestCode(path: string): Promise<string | undefined> {
  try {
    const file = statSync(path).isDirectory() ? join(path, 'manifest.json') : path;
    // Reading a pipe or device might never end.
    if (!statSync(file).isFile()) return undefined;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}
