// The socket of a recorded process. It stands there from when it listens to when the process ends in order; that of one that was killed is removed by the next one that looks.
import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Caller, type Answering } from './caller.ts';
import { isTooLong, makeServicePlace, socketName, socketsIn, unreadyName } from './places.ts';
import { removeIfDead } from './service.ts';

/** Callers at the same time. */
const MOST = 16;

export class ControlDoor {
  readonly #answering: Answering;
  readonly #server: Server;
  /** Who came first, first. */
  readonly #callers = new Map<Socket, Caller>();
  #path: string | undefined;
  #isClosed = false;

  constructor(answering: Answering) {
    this.#answering = answering;
    this.#server = createServer((socket) => this.#take(socket));
  }

  /** Settles when others can connect. Rejects with why none of the places can be had. */
  async open(places: readonly string[]): Promise<void> {
    const reasons: string[] = [];
    for (const place of places)
      try {
        makeServicePlace(place);
        await this.#listen(place);
        return await removeDead(place).catch(() => {});
      } catch (error) {
        reasons.push((error as Error).message);
      }
    throw new Error(reasons.join('; '));
  }

  /** Nobody sees the socket before it listens: whoever finds one that does not may remove it. */
  async #listen(place: string): Promise<void> {
    const name = socketName(process.pid, randomBytes(4).toString('hex'));
    const [path, unready] = [join(place, name), join(place, unreadyName(name))];
    if (isTooLong(unready))
      throw new Error(`${unready} is too long for the path of a socket; name a shorter directory`);
    await new Promise<void>((settle, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ path: unready, exclusive: true }, settle);
    });
    this.#server.on('error', () => {});
    chmodSync(unready, 0o600);
    if (this.#isClosed) return rmSync(unready, { force: true });
    renameSync(unready, path);
    this.#path = path;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
    this.#path = undefined;
    this.#server.close();
    for (const socket of this.#callers.keys()) socket.destroy();
  }

  #take(socket: Socket): void {
    if (this.#callers.size >= MOST) this.#letGo();
    if (this.#callers.size >= MOST) return void socket.destroy();
    socket.on('close', () => this.#callers.delete(socket));
    this.#callers.set(socket, new Caller(socket, this.#answering));
  }

  /** Who has asked nothing keeps nobody out who does. */
  #letGo(): void {
    for (const [socket, caller] of this.#callers) {
      if (caller.isBusy) continue;
      this.#callers.delete(socket);
      socket.destroy();
      return;
    }
  }
}

/** Those of processes that are not there any more, as far as can be known here. */
async function removeDead(place: string): Promise<void> {
  for (const { path, pid } of socketsIn(place)) if (!isAlive(pid)) await removeIfDead(path);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
