// What a client of a protocol says and hears, text by text, all of it kept in order: it can be waited for, and looked at afterwards.

interface Waiting<M> {
  readonly isMeant: (message: M) => boolean;
  readonly settle: (message: M) => void;
}

export class Talk<M> {
  /** All that came, in order. */
  readonly came: M[] = [];
  /** All that went either way, in order. */
  readonly lines: string[] = [];
  readonly #waiting = new Set<Waiting<M>>();
  /** Messages before these were awaited. */
  #seen = 0;

  says(text: string): void {
    this.lines.push(`-> ${text}`);
  }

  hears(text: string): void {
    this.lines.push(`<- ${text}`);
    const message = JSON.parse(text) as M;
    this.came.push(message);
    for (const each of this.#waiting)
      if (each.isMeant(message)) {
        this.#waiting.delete(each);
        each.settle(message);
      }
  }

  /** The first one that has come or will. */
  first(isMeant: (message: M) => boolean, from = 0): Promise<M> {
    const there = this.came.find((message, i) => i >= from && isMeant(message));
    if (there !== undefined) return Promise.resolve(there);
    return new Promise((settle) => this.#waiting.add({ isMeant, settle }));
  }

  /** The next one that nobody has awaited before. */
  async next(isMeant: (message: M) => boolean): Promise<M> {
    const found = await this.first(isMeant, this.#seen);
    this.#seen = this.came.indexOf(found) + 1;
    return found;
  }

  /** What has come so far is nobody's any more. */
  passOver(): void {
    this.#seen = this.came.length;
  }
}
