// The start page at a port of the loopback: the interface, which asks here what there is to be opened, and where it is then. Who may ask is who may connect to a time machine: a page of this
// very port that knows the secret, which stands behind the # of the address that is printed.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WISHES } from '@turntable/recording/services';
import { answerPage, isSecret, ownHostOf, type Site } from '@turntable/time-machine/server';
import type { StartDesk } from './start-desk.ts';

interface Asked {
  readonly place?: unknown;
  readonly isForced?: unknown;
  readonly pid?: unknown;
  readonly wish?: unknown;
}

const HOST = '127.0.0.1';
const PAGE = '/start';
/** Characters of what is asked. */
const LONGEST = 1 << 16;

export class StartPort {
  readonly #desk: StartDesk;
  readonly #site: Site;
  readonly #secret = randomBytes(16).toString('hex');
  readonly #http: Server;

  constructor(desk: StartDesk, site: Site) {
    this.#desk = desk;
    const page = site.get('/');
    this.#site = page === undefined ? site : new Map(site).set(PAGE, page);
    this.#http = createServer((request, response) => void this.#answer(request, response));
  }

  /** Answers what to open in a browser. @param port 0 for any that is free */
  async listen(port: number): Promise<string> {
    await new Promise<void>((settle, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, HOST, settle);
    });
    return `http://${HOST}:${(this.#http.address() as AddressInfo).port}${PAGE}#${this.#secret}`;
  }

  async close(): Promise<void> {
    this.#http.close();
    this.#http.closeAllConnections();
    await this.#desk.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const host = ownHostOf(request);
    if (request.method !== 'POST') {
      answerPage(request, response, { site: this.#site, host });
      return;
    }
    const isOwnPage = host !== undefined && request.headers.origin === `http://${host}`;
    const isKnown = isSecret(request.headers.authorization ?? '', `Bearer ${this.#secret}`);
    const [status, said] =
      isOwnPage && isKnown ? await this.#asked(request) : [403, { why: 'this is for its own page' }];
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(said));
  }

  async #asked(request: IncomingMessage): Promise<[status: number, said: object]> {
    if (Number(request.headers['content-length'] ?? LONGEST + 1) > LONGEST) return [413, { why: 'that is too long' }];
    let params: Asked;
    try {
      params = Object(JSON.parse(await text(request))) as Asked;
    } catch {
      return [400, { why: 'what is asked is JSON' }];
    }
    const { place, isForced } = params;
    if (request.url === '/offers') return [200, this.#desk.offers()];
    if (request.url === '/services') return [200, await this.#desk.services()];
    if (request.url === '/ask' || request.url === '/look') return await this.#askedOfService(request.url, params);
    if (typeof place !== 'string' || place === '') return [400, { why: 'which recording? A path has to be written' }];
    if (request.url === '/open') return [200, await this.#desk.open(place, isForced === true)];
    if (request.url === '/forget') {
      this.#desk.forget(place);
      return [200, this.#desk.offers()];
    }
    return [404, { why: 'there is offers, open, forget, services, ask and look' }];
  }

  async #askedOfService(what: '/ask' | '/look', { pid, wish }: Asked): Promise<[status: number, said: object]> {
    if (!Number.isSafeInteger(pid)) return [400, { why: 'which program? It is named by the number of its process' }];
    if (what === '/look') return [200, await this.#desk.look(pid as number)];
    const known = WISHES.find((each) => each === wish);
    if (known === undefined) return [400, { why: `it can be asked for ${WISHES.join(', ')}` }];
    return [200, await this.#desk.ask(pid as number, known)];
  }
}
