// Server on the loopback interface, in the current process. Closing it closes all its connections.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

export abstract class LoopbackServer {
  readonly #server = createServer((socket) => {
    this.#sockets.add(socket.setNoDelay());
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
    this.serve(socket);
  });
  readonly #sockets = new Set<Socket>();

  protected abstract serve(socket: Socket): void;

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
