// A loopback port with a DAP session for each connection. A client can make this process run programs, so the port
// requires a token. HTTP requests of web pages are refused as malformed (framing.ts).
import { randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback } from '@turntable/time-machine/server';
import type { DebugEmbedder } from './debug-embedder.ts';
import { serveStreams } from './streams.ts';

const MAX_CLIENTS = 32;

export class DapPort {
  readonly #embedder: DebugEmbedder;
  readonly #sockets = new Map<Socket, Promise<void>>();
  readonly #server: Server;
  /** The token that clients must pass in their launch or attach configuration. */
  readonly token: string;

  /** @param token random by default */
  constructor(embedder: DebugEmbedder, token: string = randomBytes(16).toString('hex')) {
    this.#embedder = embedder;
    this.token = token;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Starts listening and returns the port. @param port 0 for any free port */
  listen(port: number): Promise<number> {
    return listenOnLoopback(this.#server, port);
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
