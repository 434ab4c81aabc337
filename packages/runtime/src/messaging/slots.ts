// First-in, first-out storage of messages: adjacent slots in reused segments. Hot path: guarded by bench:peers.

const SEGMENT_SLOTS = 512;
/** Number of slots of a small first segment, enough for one or two messages. */
const MIN_SEGMENT_SLOTS = 8;
/** Ratio of a segment's length to the length of the small segment before it. */
const SEGMENT_GROWTH = 4;
/** Maximum number of unused segments in the pool. Further segments live until the next full garbage collection. */
const MAX_SPARE_SEGMENTS = 256;
/** Mark after the last message of a segment that has free slots left. */
const SEGMENT_END = { end: true };

export interface Segment {
  slots: unknown[];
  next: Segment | undefined;
}

const EMPTY_SLOTS: readonly unknown[] = Array.from({ length: SEGMENT_SLOTS }, () => undefined);

export class SegmentPool {
  readonly #segments: Segment[] = [];
  /** Unused segments beyond the maximum. They serve the next flood of messages, unless the memory is needed. */
  #overflow: WeakRef<Segment[]> | undefined;

  take(): Segment {
    return this.#segments.pop() ?? this.#overflow?.deref()?.pop() ?? { slots: EMPTY_SLOTS.slice(), next: undefined };
  }

  give(segment: Segment): void {
    segment.next = undefined;
    // A longer segment was created for a single message. A shorter one is a first segment.
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

/** Creates a small first segment. Many held actors have few messages, and whole segments would take too much memory. */
export function createFewSegment(): Segment {
  return createSmallSegment(MIN_SEGMENT_SLOTS);
}

/** A queue of slots. */
export class Slots {
  readonly #pool: SegmentPool;
  first: Segment;
  last: Segment;
  from = 0;
  to = 0;
  /** Whether the shared queue has a token for these slots. */
  hasToken = false;
  /** Reports the current contents before messages are taken. */
  seal: Seal | undefined = undefined;

  constructor(pool: SegmentPool, first = pool.take()) {
    this.#pool = pool;
    this.first = this.last = first;
  }

  /** Reserves `count` adjacent new slots in `last`. Returns the first one. */
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

  /** Whether no slot is left; otherwise the next message starts at `first.slots[from]`. */
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

  /** Returns the contents, one range per segment. */
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

/** Adjacent slots: `to` is the end, exclusive. */
export type SlotRange = readonly [slots: readonly unknown[], from: number, to: number];

/** Reports the contents of slots at one moment, a segment at a time. A segment is reported before it is taken. */
export class Seal {
  readonly #slots: Slots;
  readonly #onRange: (part: SlotRange) => void;
  readonly #last: Segment;
  readonly #to: number;
  /** The segment to report next. */
  #next: Segment | undefined;

  constructor(slots: Slots, onRange: (part: SlotRange) => void) {
    this.#slots = slots;
    this.#onRange = onRange;
    this.#last = slots.last;
    this.#to = slots.to;
    this.#next = slots.first;
  }

  /** Reports a segment whose slots are about to be taken, if it has not been reported yet. */
  beforeTake(segment: Segment): void {
    if (segment === this.#next) this.advance();
  }

  /** Stops reporting. */
  end(): void {
    if (this.#slots.seal === this) this.#slots.seal = undefined;
    this.#next = undefined;
  }

  /** Reports one segment. Returns whether more remain. */
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
