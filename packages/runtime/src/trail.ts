// What a message with a deadline has led to: the messages that were sent while it was handled, and which of them are still to be answered. Only
// such messages leave a trail; all others pay a look at whether there is one. On another worker a trail goes on: that worker
// reports what it leads to, back along the messages that led there, so that who has set the deadline knows of all of them.

/** Is told what a trail leads to. */
export interface TrailReport {
  /** The message that is numbered `before`, 0 for the first one, has led to another one; answers the number of that. */
  led(before: number, what: string): number;
  /** That message has been answered. */
  over(number: number): void;
}

export class Trail {
  readonly #what: string;
  readonly #before: Trail | undefined;
  readonly #report: TrailReport | undefined;
  readonly #number: number;
  /** What is still to be answered. */
  readonly #next = new Set<Trail>();
  #isOver = false;
  #over: (() => void) | undefined;

  constructor(what: string, report?: TrailReport, before?: Trail) {
    this.#what = what;
    this.#report = report;
    this.#before = before;
    this.#number = before === undefined ? 0 : (report?.led(before.#number, what) ?? 0);
  }

  /** A message that was sent on its way. */
  lead(what: string): Trail {
    const next = new Trail(what, this.#report, this);
    this.#next.add(next);
    return next;
  }

  /** `callback` when what was sent first has been answered. */
  whenOver(callback: () => void): void {
    this.#over = callback;
  }

  /** What was sent first has been answered. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** This message has been answered. */
  end(): void {
    this.#report?.over(this.#number);
    const before = this.#before;
    if (before === undefined || !before.#next.delete(this)) return;
    if (before.#over === undefined) return;
    before.#isOver = true;
    before.#over();
  }

  /** Every chain of messages that nobody has answered yet, first the one that was sent first. */
  chains(): string[] {
    if (this.#next.size === 0) return [this.#what];
    return [...this.#next].flatMap((each) => each.chains().map((chain) => `${this.#what} → ${chain}`));
  }
}

/** A trail as somebody else tells of it, who has numbered what it leads to. */
export class ReportedTrail implements TrailReport {
  readonly #known = new Map<number, Trail>();
  #count = 0;

  constructor(first: Trail) {
    this.#known.set(0, first);
  }

  led(before: number, what: string, number = ++this.#count): number {
    const trail = this.#known.get(before);
    // What leads from an answered message is nothing that anybody waits for.
    if (trail !== undefined) this.#known.set(number, trail.lead(what));
    return number;
  }

  over(number: number): void {
    this.#known.get(number)?.end();
    this.#known.delete(number);
  }
}
