// Log of the messages that a protocol client sends and receives, in order. Tests can wait for messages and inspect them
// later.

interface MessageWaiter<M> {
  readonly matches: (message: M) => boolean;
  readonly resolve: (message: M) => void;
}

export class MessageLog<M> {
  /** All received messages, in order. */
  readonly received: M[] = [];
  /** All sent and received texts, in order. */
  readonly lines: string[] = [];
  readonly #waiters = new Set<MessageWaiter<M>>();
  /** Index of the first message that `nextReceived` may still return. */
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

  /** The first message at or after `from` that matches, received already or in the future. */
  whenReceived(matches: (message: M) => boolean, from = 0): Promise<M> {
    const received = this.received.find((message, i) => i >= from && matches(message));
    if (received !== undefined) return Promise.resolve(received);
    return new Promise((resolve) => this.#waiters.add({ matches, resolve }));
  }

  /** The next matching message after the last one that this method returned. */
  async nextReceived(matches: (message: M) => boolean): Promise<M> {
    const found = await this.whenReceived(matches, this.#consumed);
    this.#consumed = this.received.indexOf(found) + 1;
    return found;
  }

  /** Excludes the messages received so far from `nextReceived`. */
  discardReceived(): void {
    this.#consumed = this.received.length;
  }
}
