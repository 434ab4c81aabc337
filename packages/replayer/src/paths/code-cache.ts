// Code caches of replay processes, one directory for each recording. Cached code is executed, so only processes of the
// same recording may write to it. The most recently used caches are kept.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { turntableCachePath } from './cache-path.ts';

const MAX_KEPT_RECORDINGS = 4;
/** Time after its last use for which a cache stays, because a replay may be using it. */
const MIN_AGE_MS = 10 * 60_000;

/**
 * Directory of a recording's code cache, created if it is missing. Undefined if caching is off or a file operation
 * fails. @param recording directory of the recording
 */
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
  const unused = directories.slice(MAX_KEPT_RECORDINGS).filter(({ time }) => Date.now() - time > MIN_AGE_MS);
  for (const { directory } of unused) rmSync(directory, { recursive: true, force: true });
}
