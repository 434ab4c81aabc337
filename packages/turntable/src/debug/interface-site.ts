// The debugger's interface as a site for the server's port. All files are read once, at the start.
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Site, SiteFile } from '@turntable/time-machine/server';
import { INTERFACE_DIRECTORY } from '../interface-directory.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

class InterfaceError extends Error {
  readonly code = 'TT_NO_INTERFACE';
}

/** Reads the interface's files. Throws if the interface has not been built. */
export function interfaceSite(directory: URL = INTERFACE_DIRECTORY): Site {
  const files = new Map<string, SiteFile>();
  for (const name of fileNamesIn(directory)) {
    const type = TYPES[extname(name)];
    if (type !== undefined) files.set(`/${name}`, { type, body: readFileSync(new URL(name, directory)) });
  }
  const page = files.get('/index.html');
  if (page === undefined) throw new InterfaceError('the browser interface is not built; run npm run build:interface');
  return files.set('/', page);
}

function fileNamesIn(directory: URL): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Address to open in a browser. The part after # is never sent. @param address address of the server */
export function pageAddress(address: string): string {
  const { host, pathname } = new URL(address);
  return `http://${host}/#${pathname.slice(1)}`;
}
