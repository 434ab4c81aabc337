// The actors of going.ts.
import { Actor } from 'turntable';

export class Ledger extends Actor {
  readonly #entries = new Map<string, number[]>();
  #count = 0;
  readonly seen = new Set<string>();
  readonly totals: Record<string, number> = {};
  readonly bytes: Uint8Array = new Uint8Array(8);
  readonly history: { readonly name: string; at?: number }[] = [];

  *#shares(from: number): Generator<number> {
    for (let i = from; i > 0; i--) {
      try {
        yield i;
      } finally {
        this.#count++;
      }
    }
  }

  enter(name: string, amounts: number[]): number {
    const known = this.#entries.get(name) ?? [];
    this.#entries.set(name, [...known, ...amounts]);
    const entry = { name, at: this.#count };
    this.history.push(entry);
    for (const amount of amounts) this.totals[name] = (this.totals[name] ?? 0) + amount;
    for (const share of this.#shares(amounts.length + 1)) {
      this.bytes[share] = (this.bytes[share] ?? 0) + share;
      if (share === 2) break;
    }
    if (this.seen.has(name)) this.seen.delete(name);
    else this.seen.add(name);
    if (amounts.length === 3) throw new RangeError(`${name} has too much`);
    if (this.history.length > 5) this.history.splice(0, 2);
    this.history.sort((one, other) => (one.name < other.name ? -1 : 1));
    return this.totals[name] ?? 0;
  }
}

interface Entering {
  enter(name: string, amounts: number[]): Promise<number>;
}

export class Agent extends Actor {
  readonly #ledger: Entering;
  readonly name: string;
  readonly log: string[] = [];
  chance = 0;

  constructor(ledger: Entering, name: string) {
    super();
    this.#ledger = ledger;
    this.name = name;
  }

  async work(times: number): Promise<string> {
    let failed = 0;
    const note = (text: string): void => {
      failed += text.includes('too much') ? 1 : 0;
      this.log.push(text);
    };
    for (let i = 1; i <= times; i++) {
      const amounts = Array.from({ length: 1 + (i % 3) }, (_, at) => at + i);
      try {
        note(`${i}: ${await this.#ledger.enter(this.name, amounts)}`);
      } catch (error) {
        note((error as Error).message);
      } finally {
        if (this.log.length > 4) this.log.shift();
      }
      const [half, same] = await Promise.all([
        this.half(i),
        new Promise<number>((resolve) => queueMicrotask(() => resolve(i))),
      ]);
      this.chance = Math.floor(Math.random() * 1000) + half + same;
    }
    return `${this.name} has failed ${failed} times by ${typeof Date.now()}`;
  }

  async half(number: number): Promise<number> {
    await Promise.resolve();
    return number / 2;
  }
}
