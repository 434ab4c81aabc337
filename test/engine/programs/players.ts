// Two actors, and promises of every kind between them.
import type { FarRef } from 'turntable';

export class Pong {
  #settle: ((value: string) => void) | undefined;

  hit(count: number): number {
    const next = count + 1;
    return next;
  }

  nothing(): null {
    return null;
  }

  chained(): Promise<number> {
    const inner = this.#later(7);
    return inner;
  }

  async #later(value: number): Promise<number> {
    await Promise.resolve();
    return value;
  }

  open(): Promise<string> {
    return new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  close(value: string): void {
    this.#settle?.(value);
  }

  ready(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    resolve('ready');
    return promise;
  }

  miss(): never {
    throw new Error('missed');
  }
}

export class Ping {
  readonly #pong: FarRef<Pong>;

  constructor(pong: FarRef<Pong>) {
    this.#pong = pong;
  }

  normal(): Promise<number> {
    const answer = this.#pong.hit(1);
    return answer;
  }

  nothing(): Promise<null> {
    return this.#pong.nothing();
  }

  chained(): Promise<number> {
    return this.#pong.chained();
  }

  async open(): Promise<string> {
    const opened = this.#pong.open();
    await this.#pong.hit(5);
    void this.#pong.close('closed');
    return opened;
  }

  async ready(): Promise<string> {
    const word = await this.#pong.ready();
    return word;
  }

  whenResolved(): Promise<string> {
    return this.#pong.hit(10).then((value) => {
      const text = `heard ${value}`;
      return text;
    });
  }

  onError(): Promise<string> {
    return this.#pong.miss().catch((error: Error) => {
      const text = `lost: ${error.message}`;
      return text;
    });
  }

  whenResolvedOnError(): Promise<string> {
    return this.#pong.miss().then(
      () => 'never',
      (error: Error) => {
        const text = `lost either way: ${error.message}`;
        return text;
      },
    );
  }

  again(self: FarRef<Ping>, times: number): Promise<string> | string {
    if (times === 0) return 'over';
    return self.again(self, times - 1);
  }
}
