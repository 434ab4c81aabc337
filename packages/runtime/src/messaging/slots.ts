// Where messages wait: slots in segments that are used again, first in, first out. What a message is made of stands in slots beside each other.
// Hot path: guarded by bench:peers.

const SEGMENT = 512;
/** Slots of the first segment of few: one message, or two. */
const FEW = 8;
/** The next segment after a small one is so many times as long. */
const GROWTH = 4;
/** Segments that are kept for later; more only until the collector goes through the whole heap. */
const SPARE = 256;
/** Where a segment ends before its last slot. */
const END = { end: true };

export interface Segment {
  slots: unknown[];
  next: Segment | undefined;
}

const blank: readonly unknown[] = Array.from({ length: SEGMENT }, () => undefined);

export class Pool {
  readonly #segments: Segment[] = [];
  /** What a flood leaves is there for the next one, and no memory that anybody else is short of. */
  #more: WeakRef<Segment[]> | undefined;

  take(): Segment {
    return this.#segments.pop() ?? this.#more?.deref()?.pop() ?? { slots: blank.slice(), next: undefined };
  }

  give(segment: Segment): void {
    segment.next = undefined;
    // A longer one was made for one message.
    if (segment.slots.length !== SEGMENT) return;
    if (this.#segments.length < SPARE) this.#segments.push(segment);
    else this.#keep(segment);
  }

  #keep(segment: Segment): void {
    let more = this.#more?.deref();
    if (more === undefined) this.#more = new WeakRef((more = []));
    more.push(segment);
  }
}

function small(length: number): Segment {
  return { slots: blank.slice(0, length), next: undefined };
}

/** For the few messages of one of many that are held: a whole segment each would be most of the memory of them all. */
export function few(): Segment {
  return small(FEW);
}

/** Slots, first in, first out. */
export class Slots {
  readonly #pool: Pool;
  first: Segment;
  last: Segment;
  from = 0;
  to = 0;
  /** Whether a token stands for it. */
  isListed = false;
  /** What stands here is to be told of before it is taken. */
  seal: Seal | undefined = undefined;

  constructor(pool: Pool, first = pool.take()) {
    this.#pool = pool;
    this.first = this.last = first;
  }

  /** The first of `count` slots beside each other, in `last`. */
  place(count: number): number {
    if (this.to + count > this.last.slots.length) this.#extend(count);
    const at = this.to;
    this.to = at + count;
    return at;
  }

  #extend(count: number): void {
    const { slots } = this.last;
    if (this.to < slots.length) slots[this.to] = END;
    const least = Math.max(count, GROWTH * slots.length);
    const next =
      count > SEGMENT
        ? { slots: Array.from({ length: count }, () => undefined), next: undefined }
        : least < SEGMENT
          ? small(least)
          : this.#pool.take();
    this.last = this.last.next = next;
    this.to = 0;
  }

  /** Whether nothing is left; otherwise the next message begins at `first.slots[from]`. */
  isEmpty(): boolean {
    for (;;) {
      const { first } = this;
      if (first === this.last) return this.from === this.to;
      if (this.from < first.slots.length && first.slots[this.from] !== END) return false;
      if (this.from < first.slots.length) first.slots[this.from] = undefined;
      this.first = first.next as Segment;
      this.from = 0;
      if (this.seal !== undefined) this.seal.reach(this.first);
      this.#pool.give(first);
    }
  }

  release(): void {
    this.#pool.give(this.first);
  }

  /** What stands in them, a segment at a time. */
  parts(): Part[] {
    const parts: Part[] = [];
    const seal = new Seal(this, (part) => parts.push(part));
    while (seal.goOn());
    return parts;
  }

  clear(): void {
    this.first = this.last = this.#pool.take();
    this.from = this.to = 0;
  }
}

/** Slots beside each other: the first one, and the one behind the last. */
export type Part = readonly [slots: readonly unknown[], from: number, to: number];

/** What stands in slots at a moment, told of segment by segment, each before anything of it is taken. */
export class Seal {
  readonly #slots: Slots;
  readonly #tell: (part: Part) => void;
  readonly #last: Segment;
  readonly #to: number;
  /** The next one to be told of. */
  #next: Segment | undefined;

  constructor(slots: Slots, tell: (part: Part) => void) {
    this.#slots = slots;
    this.#tell = tell;
    this.#last = slots.last;
    this.#to = slots.to;
    this.#next = slots.first;
  }

  /** What stands in a segment is about to be taken. */
  reach(segment: Segment): void {
    if (segment === this.#next) this.goOn();
  }

  /** Nobody is told any more. */
  end(): void {
    if (this.#slots.seal === this) this.#slots.seal = undefined;
    this.#next = undefined;
  }

  /** Tells of one segment; whether there are more. */
  goOn(): boolean {
    const segment = this.#next;
    if (segment === undefined) return false;
    const { slots } = segment;
    const from = segment === this.#slots.first ? this.#slots.from : 0;
    const isLast = segment === this.#last;
    const end = isLast ? this.#to : slots.indexOf(END, from);
    this.#next = isLast ? undefined : segment.next;
    if (isLast && this.#slots.seal === this) this.#slots.seal = undefined;
    this.#tell([slots, from, end < 0 ? slots.length : end]);
    return !isLast;
  }
}
