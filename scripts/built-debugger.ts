// Builds the debugger's interface and shell from the current sources, once before all tests: several test files need
// them at the same time.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BUILD = 'apps/debugger/build.ts';
/** Digest of the sources of the last build; other ways to build it leave none. */
const STAMP = 'apps/debugger/dist/digest';

/**
 * Builds the debugger unless it was built from the current sources.
 * @param packagesDigest digest of the packages' sources
 */
export function buildDebugger(root: string, packagesDigest: string): void {
  const hash = createHash('sha1').update(packagesDigest);
  for (const file of globSync('apps/debugger/src/**/*.*', { cwd: root }).toSorted().concat(BUILD))
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  const digest = hash.digest('hex');
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  const { status, stderr } = spawnSync(process.execPath, [BUILD], { cwd: root, encoding: 'utf8' });
  if (status !== 0 || stderr !== '') throw new Error(`the debugger cannot be built: ${stderr}`);
  writeFileSync(stamp, digest);
}
