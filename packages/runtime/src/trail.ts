// What a message with a deadline has led to: the messages that were sent while it was handled, and which of them are still to be answered. Only
// such messages leave a trail; all others pay a look at whether there is one.

export class Trail {
  readonly #what: string;
  readonly #before: Trail | undefined;
  readonly #next: Trail[] = [];
  #isOver = false;
  #over: (() => void) | undefined;

  constructor(what: string, before?: Trail) {
    this.#what = what;
    this.#before = before;
  }

  /** A message that was sent on its way. */
  lead(what: string): Trail {
    const next = new Trail(what, this);
    this.#next.push(next);
    return next;
  }

  /** `callback` when what was sent first has been answered. */
  whenOver(callback: () => void): void {
    this.#over = callback;
  }

  /** What was sent has been answered. */
  get isOver(): boolean {
    const first = this.#next[0];
    return first !== undefined && first.#isOver;
  }

  end(): void {
    this.#isOver = true;
    if (this.#before !== undefined) this.#before.#over?.();
  }

  /** Every chain of messages that nobody has answered yet, first the one that was sent first. */
  chains(): string[] {
    const next = this.#next.filter((each) => !each.#isOver);
    if (next.length === 0) return [this.#what];
    return next.flatMap((each) => each.chains().map((chain) => `${this.#what} → ${chain}`));
  }
}
