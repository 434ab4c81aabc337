// Where processes that run a recording again for the time machine keep what they have made of its code: a directory for each recording, which is there the next time. What
// stands there is run, so it is written by processes of that recording and by no others. The few that were looked at last stay.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { ownCache } from './own-cache.ts';

const MOST = 4;

/** Nothing, where nothing is kept. @param recording its directory */
export function codePlaceOf(recording: string, environment: NodeJS.ProcessEnv): string | undefined {
  const all = ownCache('code', environment);
  if (all === undefined) return undefined;
  try {
    const manifest = readFileSync(join(recording, 'manifest.json'));
    const place = join(all, createHash('sha256').update(manifest).digest('hex'));
    mkdirSync(place, { recursive: true, mode: 0o700 });
    const now = new Date();
    utimesSync(place, now, now);
    deleteOld(all);
    return place;
  } catch {
    return undefined;
  }
}

function deleteOld(all: string): void {
  const places = readdirSync(all)
    .map((name) => ({ place: join(all, name), time: statSync(join(all, name)).mtimeMs }))
    .toSorted((a, b) => b.time - a.time);
  for (const { place } of places.slice(MOST)) rmSync(place, { recursive: true, force: true });
}
