import { Actor, type FarRef, spawn, stop, tell } from 'turntable';
import type { Size } from '../js/measure.ts';

export class Pong {
  ping(from: FarRef<Ping>): void {
    tell(from).pong();
  }
}

export class Ping extends Actor {
  readonly #pong: FarRef<Pong>;
  readonly #count: number;
  readonly #finished = Promise.withResolvers<number>();
  #pongs = 0;

  constructor(pong: FarRef<Pong>, count: number) {
    super();
    this.#pong = pong;
    this.#count = count;
  }

  /** Resolves when all pongs have arrived. */
  start(): Promise<number> {
    tell(this.#pong).ping(this);
    return this.#finished.promise;
  }

  pong(): void {
    this.#pongs++;
    if (this.#pongs < this.#count) tell(this.#pong).ping(this);
    else this.#finished.resolve(this.#pongs);
  }
}

export async function pingPong({ count }: Size): Promise<number> {
  const pong = spawn(Pong);
  const ping = spawn(Ping, pong, count);
  const pongs = await ping.start();
  stop(ping);
  stop(pong);
  return pongs;
}
