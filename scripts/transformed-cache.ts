// Where the tests keep transformed code. The cache knows published versions only, and ours is being written: a directory is of sources as they are, all
// of them, so that what one process has transformed all others find, and nobody finds what an older transform has made.
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = 'transformed-';

/** Of all sources as they are, and of what they need. */
export function sourcesDigest(root: string): string {
  const hash = createHash('sha1');
  const files = globSync(
    ['packages/*/src/**/*.ts', 'packages/*/package.json', 'package-lock.json', 'test/engine/machinery.ts'],
    { cwd: root },
  );
  for (const file of files.toSorted()) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/** That of sources with this digest; those of others are deleted. */
export function transformedCache(digest: string, parent: string): string {
  const name = `${PREFIX}${digest}`;
  mkdirSync(join(parent, name), { recursive: true });
  for (const each of readdirSync(parent))
    if (each.startsWith(PREFIX) && each !== name) rmSync(join(parent, each), { recursive: true, force: true });
  return join(parent, name);
}
