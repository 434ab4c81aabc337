// A loopback port that serves one recording to CDP clients: discovery under /SECRET/json, and a session for each
// connection. A session evaluates code as the owner, so both need the secret of the address. A port that the user made
// discoverable tells its address to any local process, as `node --inspect` does, but never to web pages other than
// Chrome's own developer tools.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client, Wire } from '@turntable/time-machine/client';
import { isSameSecret, LoopbackPort, loopbackHostOf } from '@turntable/time-machine/server';
import { describeProtocol, CDP_VERSION } from './protocol/domains.ts';
import { Scripts } from './scripts.ts';
import { CdpSession } from './cdp-session.ts';

export interface DevtoolsTarget {
  /** The recording's title. */
  readonly title: string;
  /** The URL of the program's main file. */
  readonly url: string;
  /** The version of Turntable. */
  readonly version: string;
  /** Whether clients without the secret may read the address under /json. Default: false. */
  readonly isDiscoverable?: boolean;
  /** The secret of an earlier address, which remains valid. Default: a new secret. */
  readonly secret?: string | undefined;
  /** Opens a connection to the server for a session. */
  readonly connect: () => Wire;
}

export interface DevtoolsAddress {
  /** The WebSocket address for CDP clients. */
  readonly socket: string;
  /** The address to open in Chrome, which shows its developer tools. */
  readonly frontEnd: string;
  readonly port: number;
  readonly secret: string;
}

const FRONT_END_URL = 'devtools://devtools/bundled/js_app.html?ws=';
/** The origin of Chrome's own developer tools. */
const DEVTOOLS_ORIGIN = 'devtools://devtools';

export class DevtoolsPort {
  readonly #target: DevtoolsTarget;
  readonly #port: LoopbackPort;
  readonly #sessions = new Set<Promise<CdpSession | undefined>>();
  #scripts: Promise<Scripts> | undefined;

  constructor(target: DevtoolsTarget) {
    this.#target = target;
    this.#port = new LoopbackPort({
      secret: target.secret,
      onRequest: (request, response) => this.#answer(request, response),
      isAllowedOrigin: (origin) => origin === DEVTOOLS_ORIGIN,
      onConnection: (wire) => this.#accept(wire),
    });
  }

  /** Starts listening and returns the addresses. @param port 0 for any free port */
  async listen(port: number): Promise<DevtoolsAddress> {
    const authority = await this.#port.listen(port);
    const { socket, frontEnd } = urlsOf(authority);
    return { socket, frontEnd, port: Number(new URL(socket).port), secret: this.#port.secret };
  }

  async close(): Promise<void> {
    this.#port.close();
    for (const each of this.#sessions) await (await each)?.end();
  }

  #accept(wire: Wire): void {
    const deps = {
      entry: this.#target.url,
      connect: this.#target.connect,
      loadScripts: (client: Client): Promise<Scripts> => (this.#scripts ??= Scripts.read(client)),
    };
    const opening = CdpSession.open(wire, deps).catch(() => {
      wire.close();
      return undefined;
    });
    this.#sessions.add(opening);
    wire.onClose(() => {
      this.#sessions.delete(opening);
      void opening.then((session) => session?.end());
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url = '/' } = request;
    const host = loopbackHostOf(request);
    const respond = (status: number, body: unknown): void => {
      const text = `${JSON.stringify(body, null, 2)}\n`;
      response.writeHead(status, {
        'content-type': 'application/json; charset=UTF-8',
        // Chrome does not read responses without a length.
        'content-length': Buffer.byteLength(text),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      response.end(method === 'HEAD' ? undefined : text);
    };
    const isFromPage = headers.origin !== undefined && headers.origin !== DEVTOOLS_ORIGIN;
    if (host === undefined || isFromPage) respond(403, { error: 'only tools on this computer may connect' });
    else if (method !== 'GET' && method !== 'HEAD') respond(405, { error: 'method not allowed: use GET or HEAD' });
    else {
      const path = this.#permittedPath(url.replace(/[?#].*$/, '').replace(/\/$/, ''));
      if (path === undefined) {
        respond(401, { error: 'the path must start with the secret of the printed address, as in /SECRET/json/list' });
        return;
      }
      const found = this.#resource(path, host);
      respond(
        found === undefined ? 404 : 200,
        found ?? { error: 'not found; available: /json/list, /json/version, /json/protocol' },
      );
    }
  }

  /** Returns the path without the secret; undefined if the secret is missing and the port is not discoverable. */
  #permittedPath(path: string): string | undefined {
    const [, first = ''] = path.split('/');
    if (isSameSecret(first, this.#port.secret)) return path.slice(first.length + 1);
    return this.#target.isDiscoverable === true ? path : undefined;
  }

  #resource(path: string, host: string): unknown {
    if (path === '/json' || path === '/json/list') return [this.#describeTarget(host)];
    if (path === '/json/version')
      return {
        Browser: `turntable/${this.#target.version}`,
        'Protocol-Version': `${CDP_VERSION.major}.${CDP_VERSION.minor}`,
      };
    return path === '/json/protocol' ? describeProtocol() : undefined;
  }

  #describeTarget(host: string): object {
    const { title, url } = this.#target;
    const { secret } = this.#port;
    const { socket, frontEnd } = urlsOf(`${host}/${secret}`);
    return {
      description: 'a recording of Turntable',
      devtoolsFrontendUrl: frontEnd,
      devtoolsFrontendUrlCompat: frontEnd.replace('js_app', 'inspector'),
      id: secret,
      title,
      type: 'node',
      url,
      webSocketDebuggerUrl: socket,
    };
  }
}

function urlsOf(authority: string): Pick<DevtoolsAddress, 'socket' | 'frontEnd'> {
  return { socket: `ws://${authority}`, frontEnd: `${FRONT_END_URL}${authority}` };
}
