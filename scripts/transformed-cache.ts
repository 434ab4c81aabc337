// Directory of transformed code for tests. The cache is keyed by published versions, and the workspace changes without
// a new version: so each digest of all sources has its own directory, which all processes share.
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = 'transformed-';

/** Digest of all sources, their dependencies, and how they are bundled. */
export function sourcesDigest(root: string): string {
  const hash = createHash('sha1');
  const files = globSync(
    [
      'packages/*/src/**/*.ts',
      'packages/*/package.json',
      'package-lock.json',
      'scripts/{bundled-packages,package-bundle}.ts',
      'test/engine/machinery.ts',
    ],
    { cwd: root },
  );
  for (const file of files.toSorted()) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Creates the directory for this digest and deletes those of other digests. */
export function transformedCache(digest: string, parent: string): string {
  const name = `${PREFIX}${digest}`;
  mkdirSync(join(parent, name), { recursive: true });
  for (const each of readdirSync(parent))
    if (each.startsWith(PREFIX) && each !== name) rmSync(join(parent, each), { recursive: true, force: true });
  return join(parent, name);
}
