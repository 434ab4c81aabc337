import { Actor, type FarRef, spawn, stop, tell } from 'turntable';
import { draw } from '../js/draw.ts';
import type { Size } from '../js/measure.ts';

export class Sink {
  readonly #sum = Promise.withResolvers<number>();
  #left: number;
  #seeds = 0;

  constructor(actors: number) {
    this.#left = actors;
  }

  sum(): Promise<number> {
    return this.#sum.promise;
  }

  finished(seed: number): void {
    this.#seeds += seed;
    this.#left--;
    if (this.#left === 0) this.#sum.resolve(this.#seeds);
  }
}

export class Peer extends Actor {
  readonly #sink: FarRef<Sink>;
  #peers: readonly FarRef<Peer>[] = [];
  #left: number;
  #seed: number;

  constructor(sink: FarRef<Sink>, count: number, seed: number) {
    super();
    this.#sink = sink;
    this.#left = count;
    this.#seed = seed;
  }

  start(peers: readonly FarRef<Peer>[]): void {
    this.#peers = peers;
    this.#pingNext();
  }

  ping(from: FarRef<Peer>): void {
    tell(from).pong();
  }

  pong(): void {
    this.#left--;
    if (this.#left > 0) this.#pingNext();
    else tell(this.#sink).finished(this.#seed);
  }

  #pingNext(): void {
    this.#seed = draw(this.#seed);
    tell(this.#peers[this.#seed % this.#peers.length]!).ping(this);
  }
}

export async function big({ actors, count }: Size): Promise<number> {
  const sink = spawn(Sink, actors);
  const peers = Array.from({ length: actors }, (_, seed) => spawn(Peer, sink, count, seed));
  for (const peer of peers) tell(peer).start(peers);
  const sum = await sink.sum();
  for (const peer of peers) stop(peer);
  stop(sink);
  return sum;
}
