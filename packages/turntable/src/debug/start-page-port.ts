// Loopback port of the start page: serves the interface, and requests that list and open recordings. Only pages of this
// port that know the secret can use it; the secret is after the # of the printed address.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { SERVICE_COMMANDS } from '@turntable/recording/services';
import { isNestedTooDeep, NESTING_PROBLEM } from '@turntable/time-machine/protocol';
import {
  isSameSecret,
  listenOnLoopback,
  LOOPBACK_ADDRESS,
  loopbackHostOf,
  serveSite,
  type Site,
} from '@turntable/time-machine/server';
import type { StartPageService } from './start-page-service.ts';

interface StartPageRequest {
  readonly path?: unknown;
  readonly isForced?: unknown;
  readonly agreedDigest?: unknown;
  readonly pid?: unknown;
  readonly request?: unknown;
}

const PAGE = '/start';
/** Maximum number of characters of a request body. */
const MAX_BODY_CHARS = 1 << 16;

export class StartPagePort {
  readonly #service: StartPageService;
  readonly #site: Site;
  readonly #secret = randomBytes(16).toString('hex');
  readonly #http: Server;

  constructor(service: StartPageService, site: Site) {
    this.#service = service;
    const page = site.get('/');
    this.#site = page === undefined ? site : new Map(site).set(PAGE, page);
    this.#http = createServer((request, response) => void this.#handle(request, response));
  }

  /** Opens the port; returns the address to open in a browser. @param port 0 for any free port */
  async listen(port: number): Promise<string> {
    return `http://${LOOPBACK_ADDRESS}:${await listenOnLoopback(this.#http, port)}${PAGE}#${this.#secret}`;
  }

  async close(): Promise<void> {
    this.#http.close();
    this.#http.closeAllConnections();
    await this.#service.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = loopbackHostOf(request);
    if (request.method !== 'POST') {
      serveSite(request, response, { site: this.#site, host });
      return;
    }
    const isOwnPage = host !== undefined && request.headers.origin === `http://${host}`;
    const isKnown = isSameSecret(request.headers.authorization ?? '', `Bearer ${this.#secret}`);
    const [status, body] =
      isOwnPage && isKnown
        ? await this.#respond(request).catch((error: Error) => [500, { reason: error.message }] as const)
        : [403, { reason: 'only the start page may use this port; open the printed address' }];
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(body));
  }

  async #respond(request: IncomingMessage): Promise<[status: number, body: object]> {
    if (Number(request.headers['content-length'] ?? MAX_BODY_CHARS + 1) > MAX_BODY_CHARS)
      return [413, { reason: 'the request body is too long' }];
    let params: StartPageRequest;
    try {
      const json = await text(request);
      if (isNestedTooDeep(json)) return [400, { reason: NESTING_PROBLEM }];
      params = Object(JSON.parse(json)) as StartPageRequest;
    } catch {
      return [400, { reason: 'a request body must be JSON' }];
    }
    const { path, isForced, agreedDigest } = params;
    if (request.url === '/offers') return [200, this.#service.offers()];
    if (request.url === '/services') return [200, await this.#service.services()];
    if (request.url === '/ask' || request.url === '/look') return await this.#respondOfService(request.url, params);
    if (typeof path !== 'string' || path === '') return [400, { reason: 'which recording? Give a path' }];
    if (request.url === '/open') {
      const agreed = typeof agreedDigest === 'string' ? agreedDigest : undefined;
      return [200, await this.#service.open(path, { isForced: isForced === true, agreedDigest: agreed })];
    }
    if (request.url === '/forget') {
      this.#service.forget(path);
      return [200, this.#service.offers()];
    }
    return [404, { reason: 'unknown request; available: offers, open, forget, services, ask, look' }];
  }

  async #respondOfService(
    action: '/ask' | '/look',
    { pid, request: requestName }: StartPageRequest,
  ): Promise<[status: number, body: object]> {
    if (!Number.isSafeInteger(pid)) return [400, { reason: 'which program? Give its process id' }];
    if (action === '/look') return [200, await this.#service.openService(pid as number)];
    const request = SERVICE_COMMANDS.find((each) => each === requestName);
    if (request === undefined) return [400, { reason: `the command must be one of ${SERVICE_COMMANDS.join(', ')}` }];
    return [200, await this.#service.requestService(pid as number, request)];
  }
}
