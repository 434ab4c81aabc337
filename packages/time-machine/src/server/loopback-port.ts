// A port of this computer at which texts come and go by WebSocket. What is behind it may be whatever a program has seen, so the port is of the loopback, its address has a secret in it, and
// pages of the web are kept out: a request whose Host is another name has been led here by somebody's name server, one with an Origin comes from a page.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { WireBuffer, type Wire } from '../protocol/wire.ts';
import { isSameSecret, loopbackHostOf } from './loopback-host.ts';

/** Bytes of a message of a client. */
export const MAX_MESSAGE_BYTES = 1 << 20;
/** Bytes that wait for a client that does not read: beyond, it is let go of. */
const MAX_BUFFERED_BYTES = 1 << 26;
const MAX_CLIENTS = 32;
const HOST = '127.0.0.1';

export interface LoopbackPortOptions {
  /** Who asks without a WebSocket. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether a page may connect. @param host as it has asked for it */
  readonly isAllowedOrigin: (origin: string, host: string) => boolean;
  readonly onConnection: (wire: Wire) => void;
}

export class LoopbackPort {
  readonly #options: LoopbackPortOptions;
  readonly #clients = new Set<WebSocket>();
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  /** The path of the address. */
  readonly secret: string = randomBytes(16).toString('hex');

  constructor(options: LoopbackPortOptions) {
    this.#options = options;
    this.#http = createServer(options.onRequest);
    this.#http.on('upgrade', (request, socket, head) => {
      const status = this.#rejectionStatus(request);
      if (status !== undefined) rejectUpgrade(socket, status);
      else this.#sockets.handleUpgrade(request, socket, head, (client) => this.#accept(client));
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
  disconnectAll(code: number, status: string): void {
    for (const client of this.#clients) client.close(code, status);
  }

  close(): void {
    this.disconnectAll(1001, 'the server ends');
    this.#http.close();
  }

  /** The status that it is refused with. */
  #rejectionStatus(request: IncomingMessage): string | undefined {
    const host = loopbackHostOf(request);
    const { headers, url = '' } = request;
    if (host === undefined) return '403 Forbidden';
    if (headers.origin !== undefined && !this.#options.isAllowedOrigin(headers.origin, host)) return '403 Forbidden';
    if (!isSameSecret(url.slice(1), this.secret)) return '401 Unauthorized';
    return this.#clients.size >= MAX_CLIENTS ? '503 Service Unavailable' : undefined;
  }

  #accept(client: WebSocket): void {
    this.#clients.add(client);
    let onClosed: (status: string) => void = () => {};
    client.on('close', (_, reason) => {
      this.#clients.delete(client);
      onClosed(reason.toString() || 'the connection was closed');
    });
    // What it sends that is no WebSocket message, or too large, ends its connection, which is told as well.
    client.on('error', () => {});
    const inbox = new WireBuffer();
    client.on('message', (data, isBinary) => {
      if (isBinary) client.close(1003, 'messages are texts');
      else inbox.receive((data as Buffer).toString());
    });
    this.#options.onConnection({
      send: (text) => {
        if (client.bufferedAmount > MAX_BUFFERED_BYTES) client.terminate();
        else client.send(text);
      },
      onText: inbox.onText,
      onClose: (listener) => void (onClosed = listener),
      close: () => client.close(1000),
    });
  }
}

function rejectUpgrade(socket: Duplex, status: string): void {
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
