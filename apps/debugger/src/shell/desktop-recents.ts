// Recent recordings with the digest of their code: consent to that code is remembered. Pages get paths only.
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

  /** Whether the user has agreed to run exactly this code: the result of `digestCode` at that time. */
  hasConsent(path: string, codeDigest: string | undefined): boolean {
    return codeDigest !== undefined && this.list().some((each) => each.path === path && each.codeDigest === codeDigest);
  }
}

/**
 * A digest of the code that opening a recording runs: the manifest, which has the digests of all sources, or a whole
 * packed file. Undefined for a directory of several recordings and for anything else.
 */
export async function digestCode(path: string): Promise<string | undefined> {
  try {
    const file = statSync(path).isDirectory() ? join(path, 'manifest.json') : path;
    // Reading anything but a regular file might never end.
    if (!statSync(file).isFile()) return undefined;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}
