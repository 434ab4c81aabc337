// Where processes that run a recording again for the time machine keep what they have made of its code: a directory for each recording, which is there the next time. What
// stands there is run, so it is written by processes of that recording and by no others. The few that were looked at last stay.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { turntableCachePath } from './cache-path.ts';

const MAX_KEPT_RECORDINGS = 4;

/** Nothing, where nothing is kept. @param recording its directory */
export function codeCacheDirectory(recording: string, environment: NodeJS.ProcessEnv): string | undefined {
  const cacheRoot = turntableCachePath('code', environment);
  if (cacheRoot === undefined) return undefined;
  try {
    const manifest = readFileSync(join(recording, 'manifest.json'));
    const directory = join(cacheRoot, createHash('sha256').update(manifest).digest('hex'));
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const now = new Date();
    utimesSync(directory, now, now);
    deleteOldest(cacheRoot);
    return directory;
  } catch {
    return undefined;
  }
}

function deleteOldest(cacheRoot: string): void {
  const directories = readdirSync(cacheRoot)
    .map((name) => ({ directory: join(cacheRoot, name), time: statSync(join(cacheRoot, name)).mtimeMs }))
    .toSorted((a, b) => b.time - a.time);
  for (const { directory } of directories.slice(MAX_KEPT_RECORDINGS))
    rmSync(directory, { recursive: true, force: true });
}
