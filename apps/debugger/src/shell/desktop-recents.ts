// The desktop's recent recordings, each with the digest of the code to which the user has consented. Pages receive only
// paths, names and times.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
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
 * Returns a digest of everything with code that opening a recording runs: the manifest, which has the digests of all
 * sources, the log of modules, and the snapshots; or a packed recording as a whole. Undefined for a directory of several
 * recordings and for anything else.
 */
export async function digestCode(path: string): Promise<string | undefined> {
  try {
    const files = statSync(path).isDirectory() ? filesWithCode(path) : [path];
    // Reading a pipe or device might never end.
    if (!files.every((file) => statSync(file).isFile())) return undefined;
    const hash = createHash('sha256');
    for (const file of files) {
      hash.update(`${relative(path, file)}\n${statSync(file).size}\n`);
      for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    }
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}

function filesWithCode(recording: string): string[] {
  const optional = [join(recording, 'modules.jsonl')].filter((file) => existsSync(file));
  const snapshots = join(recording, 'snapshots');
  const names = existsSync(snapshots) ? readdirSync(snapshots).toSorted() : [];
  return [join(recording, 'manifest.json'), ...optional, ...names.map((name) => join(snapshots, name))];
}
