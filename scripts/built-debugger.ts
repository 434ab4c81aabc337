// The debugger's interface and shell as tests have them, made of the sources as they are: once, before any test, since several files of tests need them at the same time.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BUILD = 'apps/debugger/build.ts';
/** Where whoever builds them otherwise leaves none. */
const STAMP = 'apps/debugger/dist/digest';

/** Makes them, unless they are those of these sources. @param packagesDigest the digest of what they are made of besides */
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
