// The debugger's interface as a page that the time machine's port serves: all its files, read once.
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Site, SiteFile } from '@turntable/time-machine/server';
import { INTERFACE } from '../own-interface.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

class NoInterface extends Error {
  readonly code = 'TT_NO_INTERFACE';
}

/** Throws if it has not been built. */
export function interfaceSite(place: URL = INTERFACE): Site {
  const found = new Map<string, SiteFile>();
  for (const name of namesIn(place)) {
    const type = TYPES[extname(name)];
    if (type !== undefined) found.set(`/${name}`, { type, body: readFileSync(new URL(name, place)) });
  }
  const page = found.get('/index.html');
  if (page === undefined)
    throw new NoInterface('the interface for browsers has not been built here: npm run build:interface builds it');
  return found.set('/', page);
}

function namesIn(place: URL): string[] {
  try {
    return readdirSync(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** What to open in a browser. What stands behind the # is not sent to anybody. @param address of the time machine */
export function pageAddress(address: string): string {
  const { host, pathname } = new URL(address);
  return `http://${host}/#${pathname.slice(1)}`;
}
