// The actors of busy.ts.
import { Actor } from 'turntable';

type Peer = { pass(n: number, hops: number): Promise<number> };

export class Busy extends Actor {
  #peer: Peer | undefined;
  readonly #seen: number[] = [];
  readonly #late = new Map<number, () => void>();
  sum = 0;
  meet(peer: Peer): void {
    this.#peer = peer;
  }
  /** Computes for a while, waits for a timer now and then, and lets the other actor continue meanwhile. */
  async pass(n: number, hops: number): Promise<number> {
    let x = n;
    for (let i = 0; i < 400_000; i++) x = (x * 31 + i) % 100_003;
    this.#seen.push(x);
    if (this.#seen.length % 5 === 0)
      await new Promise<void>((resolve) => {
        this.#late.set(n, resolve);
        setTimeout(() => this.#late.get(n)?.(), 1);
      });
    if (hops > 0) x += (await this.#peer?.pass(n, hops - 1)) ?? 0;
    this.sum = (this.sum + x + Math.floor(Math.random() * 2)) % 1_000_003;
    return x % 7;
  }
}
