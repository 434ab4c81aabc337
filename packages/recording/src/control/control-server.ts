// Control socket of a recorded process. A process that ends normally removes its socket file. After a kill, the next
// client that finds the file removes it.
import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { ControlConnection, type ControlHandler } from './control-connection.ts';
import {
  isSocketPathTooLong,
  createServiceDirectory,
  socketName,
  listSockets,
  pendingSocketName,
} from './service-directories.ts';
import { removeDeadSocket } from './service-client.ts';

/** Maximum number of simultaneous clients. */
const MAX_CONNECTIONS = 16;

export class ControlServer {
  readonly #handler: ControlHandler;
  readonly #server: Server;
  /** Connections, oldest first. */
  readonly #connections = new Map<Socket, ControlConnection>();
  #socketPath: string | undefined;
  #isClosed = false;

  constructor(handler: ControlHandler) {
    this.#handler = handler;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Resolves when clients can connect. Rejects with the reasons if no directory works. */
  async open(directories: readonly string[]): Promise<void> {
    const reasons: string[] = [];
    for (const directory of directories)
      try {
        createServiceDirectory(directory);
        await this.#listen(directory);
        return await removeDeadSockets(directory).catch(() => {});
      } catch (error) {
        reasons.push((error as Error).message);
      }
    throw new Error(reasons.join('; '));
  }

  /** Listens under a temporary name first, because clients remove sockets on which no process listens. */
  async #listen(directory: string): Promise<void> {
    const socketFileName = socketName(process.pid, randomBytes(4).toString('hex'));
    const [path, pendingPath] = [join(directory, socketFileName), join(directory, pendingSocketName(socketFileName))];
    if (isSocketPathTooLong(pendingPath))
      throw new Error(`${pendingPath} is too long for the path of a socket; name a shorter directory`);
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ path: pendingPath, exclusive: true }, resolve);
    });
    this.#server.on('error', () => {});
    chmodSync(pendingPath, 0o600);
    if (this.#isClosed) return rmSync(pendingPath, { force: true });
    renameSync(pendingPath, path);
    this.#socketPath = path;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#socketPath !== undefined) rmSync(this.#socketPath, { force: true });
    this.#socketPath = undefined;
    this.#server.close();
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  #accept(socket: Socket): void {
    if (this.#connections.size >= MAX_CONNECTIONS) this.#closeIdle();
    if (this.#connections.size >= MAX_CONNECTIONS) return void socket.destroy();
    socket.on('close', () => this.#connections.delete(socket));
    this.#connections.set(socket, new ControlConnection(socket, this.#handler));
  }

  /** Closes an idle connection to make room for another client. */
  #closeIdle(): void {
    for (const [socket, caller] of this.#connections) {
      if (caller.isBusy) continue;
      this.#connections.delete(socket);
      socket.destroy();
      return;
    }
  }
}

/** Removes the sockets of processes that are known to have ended. */
async function removeDeadSockets(directory: string): Promise<void> {
  for (const { path, pid } of listSockets(directory)) if (!isProcessAlive(pid)) await removeDeadSocket(path);
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
