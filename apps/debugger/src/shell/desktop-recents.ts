// Which recordings were opened lately, and with which code: that one may be opened again without a question, as long as its code is the same. Pages are told of places only.
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

  /** Whether somebody has agreed to run this very code again: what `digestCode` answered then. */
  hasConsent(path: string, codeDigest: string | undefined): boolean {
    return codeDigest !== undefined && this.list().some((each) => each.path === path && each.codeDigest === codeDigest);
  }
}

/**
 * Which code would be run: a manifest names all texts of its recording by their digests; of a packed recording it is all of the file. Undefined, where that is not known: of a directory with several
 * recordings, and of what is none.
 */
export async function digestCode(path: string): Promise<string | undefined> {
  try {
    const file = statSync(path).isDirectory() ? join(path, 'manifest.json') : path;
    // What is no file might never end.
    if (!statSync(file).isFile()) return undefined;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}
