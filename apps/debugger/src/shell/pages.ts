// Serves the page of all windows from the application's files, under a private URL scheme. The page's security
// policy allows no other sources.
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

export const SCHEME = 'turntable-window';
export const PAGE_URL: string = `${SCHEME}://debugger/index.html`;

const PAGE_FILES: ReadonlySet<string> = new Set(['index.html', 'main.js', 'main.css', 'icon.svg']);
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Responds to a request for a page file. @param directory of the page files @param address the requested URL */
export function servePage(directory: string, address: string): Response {
  const { host, pathname } = new URL(address);
  const name = pathname.slice(1);
  if (host !== 'debugger' || !PAGE_FILES.has(name)) return new Response('there is no such page', { status: 404 });
  return new Response(new Uint8Array(readFileSync(join(directory, name))), {
    headers: {
      'content-type': CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'x-content-type-options': 'nosniff',
    },
  });
}
