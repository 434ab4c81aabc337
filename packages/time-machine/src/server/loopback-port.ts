// WebSocket server at a port of the loopback interface. Its clients can read all data of a recorded program, so the
// address contains a secret, and foreign web pages are refused. Their requests have an Origin header, or a foreign name
// in the Host header (loopback-host.ts).
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { WireBuffer, type Wire } from '../protocol/wire.ts';
import { isSameSecret, loopbackHostOf } from './loopback-host.ts';
import { listenOnLoopback, LOOPBACK_ADDRESS } from './loopback-listener.ts';

export const MAX_MESSAGE_BYTES = 1 << 20;
/** Maximum number of bytes that wait for a client. A client that reads too slowly is disconnected. */
const MAX_BUFFERED_BYTES = 1 << 26;
const MAX_CLIENTS = 32;

export interface LoopbackPortOptions {
  /** Handles requests other than WebSocket upgrades. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether a web page may connect. @param host Host header of the page's request */
  readonly isAllowedOrigin: (origin: string, host: string) => boolean;
  readonly onConnection: (wire: Wire) => void;
  /** Default: a random secret. */
  readonly secret?: string | undefined;
}

export class LoopbackPort {
  readonly #options: LoopbackPortOptions;
  readonly #clients = new Set<WebSocket>();
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  /** Secret that is the path of the address. */
  readonly secret: string;

  constructor(options: LoopbackPortOptions) {
    this.#options = options;
    this.secret = options.secret ?? createSecret();
    this.#http = createServer(options.onRequest);
    this.#http.on('upgrade', (request, socket, head) => {
      const status = this.#rejectionStatus(request);
      if (status !== undefined) rejectUpgrade(socket, status);
      else this.#sockets.handleUpgrade(request, socket, head, (client) => this.#accept(client));
    });
  }

  /** Opens the port; returns the address without its protocol. @param port 0 for any free one */
  async listen(port: number): Promise<string> {
    return `${LOOPBACK_ADDRESS}:${await listenOnLoopback(this.#http, port)}/${this.secret}`;
  }

  /** Disconnects all clients. @param code WebSocket close code */
  disconnectAll(code: number, status: string): void {
    for (const client of this.#clients) client.close(code, status);
  }

  close(): void {
    this.disconnectAll(1001, 'the server shuts down');
    this.#http.close();
  }

  /** HTTP status of the refusal of a request; undefined if the request is accepted. */
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
    // After an invalid or too large message, a `close` event follows.
    client.on('error', () => {});
    const inbox = new WireBuffer();
    client.on('message', (data, isBinary) => {
      if (isBinary) client.close(1003, 'binary messages are not supported');
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

function createSecret(): string {
  return randomBytes(16).toString('hex');
}

function rejectUpgrade(socket: Duplex, status: string): void {
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
