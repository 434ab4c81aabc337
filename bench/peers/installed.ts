// Checks whether a peer is installed, and built from the current sources.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Peer } from './catalog.ts';

const INSTALL = 'bench/peers/install';

/** Returns what to do before the peer can run; undefined if it is installed. */
export function missing({ name, installed }: Peer): string | undefined {
  if (installed === undefined) return undefined;
  const { by, file, sources } = installed;
  const at = (relative: string): URL => new URL(relative, import.meta.url);
  const stamp = at(`.installed/${by}/built-from`);
  if (!existsSync(at(`.installed/${file}`)) || !existsSync(stamp))
    return `${name} is not installed; run ${INSTALL} ${by}`;
  const hash = createHash('sha256');
  for (const source of sources) hash.update(readFileSync(at(source)));
  if (readFileSync(stamp, 'utf8').trim() !== hash.digest('hex'))
    return `${name} was built from other sources; rerun ${INSTALL} ${by}`;
  return undefined;
}
