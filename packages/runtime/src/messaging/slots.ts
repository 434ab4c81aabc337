// Where messages wait: slots in segments that are used again, first in, first out. What a message is made of stands in slots beside each other.
// Hot path: guarded by bench:peers.

const SEGMENT_SLOTS = 512;
/** Slots of the first segment of few: one message, or two. */
const MIN_SEGMENT_SLOTS = 8;
/** The next segment after a small one is so many times as long. */
const SEGMENT_GROWTH = 4;
/** Segments that are kept for later; more only until the collector goes through the whole heap. */
const MAX_SPARE_SEGMENTS = 256;
/** Where a segment ends before its last slot. */
const SEGMENT_END = { end: true };

export interface Segment {
  slots: unknown[];
  next: Segment | undefined;
}

const EMPTY_SLOTS: readonly unknown[] = Array.from({ length: SEGMENT_SLOTS }, () => undefined);

export class SegmentPool {
  readonly #segments: Segment[] = [];
  /** What a flood leaves is there for the next one, and no memory that anybody else is short of. */
  #overflow: WeakRef<Segment[]> | undefined;

  take(): Segment {
    return this.#segments.pop() ?? this.#overflow?.deref()?.pop() ?? { slots: EMPTY_SLOTS.slice(), next: undefined };
  }

  give(segment: Segment): void {
    segment.next = undefined;
    // A longer one was made for one message.
    if (segment.slots.length !== SEGMENT_SLOTS) return;
    if (this.#segments.length < MAX_SPARE_SEGMENTS) this.#segments.push(segment);
    else this.#keepOverflow(segment);
  }

  #keepOverflow(segment: Segment): void {
    let overflow = this.#overflow?.deref();
    if (overflow === undefined) this.#overflow = new WeakRef((overflow = []));
    overflow.push(segment);
  }
}

function createSmallSegment(length: number): Segment {
  return { slots: EMPTY_SLOTS.slice(0, length), next: undefined };
}

/** For the few messages of one of many that are held: a whole segment each would be most of the memory of them all. */
export function createFewSegment(): Segment {
  return createSmallSegment(MIN_SEGMENT_SLOTS);
}

/** Slots, first in, first out. */
export class Slots {
  readonly #pool: SegmentPool;
  first: Segment;
  last: Segment;
  from = 0;
  to = 0;
  /** Whether a token stands for it. */
  hasToken = false;
  /** What stands here is to be told of before it is taken. */
  seal: Seal | undefined = undefined;

  constructor(pool: SegmentPool, first = pool.take()) {
    this.#pool = pool;
    this.first = this.last = first;
  }

  /** The first of `count` slots beside each other, in `last`. */
  reserve(count: number): number {
    if (this.to + count > this.last.slots.length) this.#extend(count);
    const at = this.to;
    this.to = at + count;
    return at;
  }

  #extend(count: number): void {
    const { slots } = this.last;
    if (this.to < slots.length) slots[this.to] = SEGMENT_END;
    const minimum = Math.max(count, SEGMENT_GROWTH * slots.length);
    const next =
      count > SEGMENT_SLOTS
        ? { slots: Array.from({ length: count }, () => undefined), next: undefined }
        : minimum < SEGMENT_SLOTS
          ? createSmallSegment(minimum)
          : this.#pool.take();
    this.last = this.last.next = next;
    this.to = 0;
  }

  /** Whether nothing is left; otherwise the next message begins at `first.slots[from]`. */
  isEmpty(): boolean {
    for (;;) {
      const { first } = this;
      if (first === this.last) return this.from === this.to;
      if (this.from < first.slots.length && first.slots[this.from] !== SEGMENT_END) return false;
      if (this.from < first.slots.length) first.slots[this.from] = undefined;
      this.first = first.next as Segment;
      this.from = 0;
      if (this.seal !== undefined) this.seal.beforeTake(this.first);
      this.#pool.give(first);
    }
  }

  release(): void {
    this.#pool.give(this.first);
  }

  /** What stands in them, a segment at a time. */
  ranges(): SlotRange[] {
    const ranges: SlotRange[] = [];
    const seal = new Seal(this, (part) => ranges.push(part));
    while (seal.advance());
    return ranges;
  }

  clear(): void {
    this.first = this.last = this.#pool.take();
    this.from = this.to = 0;
  }
}

/** Slots beside each other: the first one, and the one behind the last. */
export type SlotRange = readonly [slots: readonly unknown[], from: number, to: number];

/** What stands in slots at a moment, told of segment by segment, each before anything of it is taken. */
export class Seal {
  readonly #slots: Slots;
  readonly #onRange: (part: SlotRange) => void;
  readonly #last: Segment;
  readonly #to: number;
  /** The next one to be told of. */
  #next: Segment | undefined;

  constructor(slots: Slots, onRange: (part: SlotRange) => void) {
    this.#slots = slots;
    this.#onRange = onRange;
    this.#last = slots.last;
    this.#to = slots.to;
    this.#next = slots.first;
  }

  /** What stands in a segment is about to be taken. */
  beforeTake(segment: Segment): void {
    if (segment === this.#next) this.advance();
  }

  /** Nobody is told any more. */
  end(): void {
    if (this.#slots.seal === this) this.#slots.seal = undefined;
    this.#next = undefined;
  }

  /** Tells of one segment; whether there are more. */
  advance(): boolean {
    const segment = this.#next;
    if (segment === undefined) return false;
    const { slots } = segment;
    const from = segment === this.#slots.first ? this.#slots.from : 0;
    const isLast = segment === this.#last;
    const end = isLast ? this.#to : slots.indexOf(SEGMENT_END, from);
    this.#next = isLast ? undefined : segment.next;
    if (isLast && this.#slots.seal === this) this.#slots.seal = undefined;
    this.#onRange([slots, from, end < 0 ? slots.length : end]);
    return !isLast;
  }
}
