// The actors of ticking.ts.
import { Actor } from 'turntable';

interface Peer {
  tick(other: Peer, own: Peer): void;
}

export class Ticker extends Actor {
  ticks = 0;
  readonly began = Date.now();

  tick(other: Peer, own: Peer): void {
    this.ticks++;
    void other.tick(own, other);
  }
}
