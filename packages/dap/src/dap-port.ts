// Conversations at a port of this computer, one for each connection. Whoever may connect to it may have programs run, so nothing is before it has said the token; and what pages of the web
// can send is no message (framing.ts).
import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { DebugEmbedder } from './debug-embedder.ts';
import { serveStreams } from './streams.ts';

const HOST = '127.0.0.1';
const MAX_CLIENTS = 32;

export class DapPort {
  readonly #embedder: DebugEmbedder;
  readonly #sockets = new Map<Socket, Promise<void>>();
  readonly #server: Server;
  /** What clients say as `token` of their configuration. */
  readonly token: string;

  /** @param token a new one, unless it is said */
  constructor(embedder: DebugEmbedder, token: string = randomBytes(16).toString('hex')) {
    this.#embedder = embedder;
    this.token = token;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Answers the port. @param port 0 for any that is free */
  async listen(port: number): Promise<number> {
    await new Promise<void>((settle, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, HOST, settle);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets.keys()) socket.destroy();
    await Promise.all(this.#sockets.values());
  }

  #accept(socket: Socket): void {
    if (this.#sockets.size >= MAX_CLIENTS) {
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    const session = serveStreams(this.#embedder, { input: socket, output: socket, token: this.token });
    this.#sockets.set(
      socket,
      session.finally(() => this.#sockets.delete(socket)),
    );
  }
}
