// Web page that is a client of the time machine, served at the same port. Its files are public; the secret is after the
// # of the address, which a browser never sends. The page may load files from this port only, and connect only to it.
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface SiteFile {
  /** Media type of the file. */
  readonly type: string;
  readonly body: Uint8Array;
}

/** The files of a site by path. Paths have a leading `/`. */
export type Site = ReadonlyMap<string, SiteFile>;

/** Answers a request with a file. @param host see `loopbackHostOf` */
export function serveSite(
  request: IncomingMessage,
  response: ServerResponse,
  { site, host }: { readonly site: Site | undefined; readonly host: string | undefined },
): void {
  const sendText = (status: number, text: string): void => {
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
    response.end(`${text}\n`);
  };
  if (site === undefined) sendText(426, 'This port speaks WebSocket. Connect with: turntable debug --connect ADDRESS');
  else if (host === undefined) sendText(403, 'Forbidden: open the address that turntable debug printed');
  else if (request.method !== 'GET' && request.method !== 'HEAD') sendText(405, 'Method not allowed: use GET or HEAD');
  else {
    const [path = '/'] = (request.url ?? '/').split('?');
    const file = site.get(path);
    if (file === undefined) sendText(404, 'Page not found');
    else {
      response.writeHead(200, {
        ...securityHeaders(host),
        'content-type': file.type,
        'content-length': file.body.length,
      });
      response.end(request.method === 'HEAD' ? undefined : file.body);
    }
  }
}

function securityHeaders(host: string): Record<string, string> {
  const self = "'self'";
  const policy = {
    'default-src': "'none'",
    'script-src': self,
    'style-src': self,
    'img-src': `${self} data:`,
    'connect-src': `${self} ws://${host}`,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map((each) => each.join(' '))
      .join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}
