// A port of this computer at which texts come and go by WebSocket. What is behind it may be whatever a program has seen, so the port is of the loopback, its address has a secret in it, and
// pages of the web are kept out: a request whose Host is another name has been led here by somebody's name server, one with an Origin comes from a page.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { Inbox, type Wire } from '../protocol/wire.ts';
import { isSecret, ownHostOf } from './own-host.ts';

/** Bytes of a message of a client. */
export const LARGEST = 1 << 20;
/** Bytes that wait for a client that does not read: beyond, it is let go of. */
const MOST_WAITING = 1 << 26;
const MOST_CLIENTS = 32;
const HOST = '127.0.0.1';

export interface PortWishes {
  /** Who asks without a WebSocket. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether a page may connect. @param host as it has asked for it */
  readonly isWelcome: (origin: string, host: string) => boolean;
  readonly connected: (wire: Wire) => void;
}

export class LoopbackPort {
  readonly #wishes: PortWishes;
  readonly #clients = new Set<WebSocket>();
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST, perMessageDeflate: false });
  /** The path of the address. */
  readonly secret: string = randomBytes(16).toString('hex');

  constructor(wishes: PortWishes) {
    this.#wishes = wishes;
    this.#http = createServer(wishes.answer);
    this.#http.on('upgrade', (request, socket, head) => {
      const why = this.#whyRefused(request);
      if (why !== undefined) refuse(socket, why);
      else this.#sockets.handleUpgrade(request, socket, head, (client) => this.#connected(client));
    });
  }

  /** Answers the address, without what comes before its host. @param port 0 for any that is free */
  async listen(port: number): Promise<string> {
    await new Promise<void>((settle, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, HOST, settle);
    });
    return `${HOST}:${(this.#http.address() as AddressInfo).port}/${this.secret}`;
  }

  /** Ends the connections that there are. @param code of WebSocket */
  letGo(code: number, why: string): void {
    for (const client of this.#clients) client.close(code, why);
  }

  close(): void {
    this.letGo(1001, 'the server ends');
    this.#http.close();
  }

  /** The status that it is refused with. */
  #whyRefused(request: IncomingMessage): string | undefined {
    const host = ownHostOf(request);
    const { headers, url = '' } = request;
    if (host === undefined) return '403 Forbidden';
    if (headers.origin !== undefined && !this.#wishes.isWelcome(headers.origin, host)) return '403 Forbidden';
    if (!isSecret(url.slice(1), this.secret)) return '401 Unauthorized';
    return this.#clients.size >= MOST_CLIENTS ? '503 Service Unavailable' : undefined;
  }

  #connected(client: WebSocket): void {
    this.#clients.add(client);
    let closed: (why: string) => void = () => {};
    client.on('close', (_, reason) => {
      this.#clients.delete(client);
      closed(reason.toString() || 'the connection was closed');
    });
    // What it sends that is no WebSocket message, or too large, ends its connection, which is told as well.
    client.on('error', () => {});
    const inbox = new Inbox();
    client.on('message', (data, isBinary) => {
      if (isBinary) client.close(1003, 'messages are texts');
      else inbox.take((data as Buffer).toString());
    });
    this.#wishes.connected({
      send: (text) => {
        if (client.bufferedAmount > MOST_WAITING) client.terminate();
        else client.send(text);
      },
      onText: inbox.onText,
      onClose: (listener) => void (closed = listener),
      close: () => client.close(1000),
    });
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
