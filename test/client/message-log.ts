// What a client of a protocol says and hears, text by text, all of it kept in order: it can be waited for, and looked at afterwards.

interface MessageWaiter<M> {
  readonly matches: (message: M) => boolean;
  readonly resolve: (message: M) => void;
}

export class MessageLog<M> {
  /** All that came, in order. */
  readonly received: M[] = [];
  /** All that went either way, in order. */
  readonly lines: string[] = [];
  readonly #waiters = new Set<MessageWaiter<M>>();
  /** Messages before these were awaited. */
  #consumed = 0;

  logSent(text: string): void {
    this.lines.push(`-> ${text}`);
  }

  receive(text: string): void {
    this.lines.push(`<- ${text}`);
    const message = JSON.parse(text) as M;
    this.received.push(message);
    for (const each of this.#waiters)
      if (each.matches(message)) {
        this.#waiters.delete(each);
        each.resolve(message);
      }
  }

  /** The first one that has come or will. */
  whenReceived(matches: (message: M) => boolean, from = 0): Promise<M> {
    const received = this.received.find((message, i) => i >= from && matches(message));
    if (received !== undefined) return Promise.resolve(received);
    return new Promise((resolve) => this.#waiters.add({ matches, resolve }));
  }

  /** The next one that nobody has awaited before. */
  async nextReceived(matches: (message: M) => boolean): Promise<M> {
    const found = await this.whenReceived(matches, this.#consumed);
    this.#consumed = this.received.indexOf(found) + 1;
    return found;
  }

  /** What has come so far is nobody's any more. */
  discardReceived(): void {
    this.#consumed = this.received.length;
  }
}
