// The messages of a worker's actors in the order in which their turns come: flat slots in segments that are used again, no object a message
// (measured in bench/prototype/messages.mjs). Messages of all actors stand in one queue, so the order of every pair of actors is kept
// by itself. An actor for which many wait is crowded: what comes after them goes to a mailbox of its own until that is empty, and a
// token in the queue stands for some of it at a time, so that a flood of one actor does not hold up the others. What comes for an actor that is held
// is put aside when its turn would be, in order, and comes before all else when the actor is let go.
// Hot path: guarded by bench/prototype.

/** The actor as its queue knows it. */
export interface Recipient {
  /** Messages that wait for it. */
  waiting: number;
  mailbox: object | undefined;
  /** What was put aside, and whether messages have to be: it is held, or has not caught up yet. */
  aside: object | undefined;
  isAside: boolean;
  isHeld: boolean;
}

const SEGMENT = 512;
/** Slots that are put aside for a recipient at first: one message, or two. */
const FEW = 8;
/** The next segment of what is put aside is so many times as long. */
const GROWTH = 4;
/**
 * A message that is told to an actor's root: recipient, what it is, what to call, arguments. Any other has a target, what to settle and its
 * sender before its arguments. A store of an object costs more than one of a number, more still if the object is young.
 */
const TOLD_HEAD = 3;
const HEAD = 6;
/** What it is: twice the number of arguments, and one more unless it is told to a root. */
const WHOLE = 1;
/** Segments that are kept for later; more only until the collector goes through the whole heap. */
const SPARE = 256;
/** So many messages may wait for an actor in the queue of all. */
const CROWD = 1024;
/** So many messages of a crowded actor stand behind a token. */
const SHARE = 64;
/** Or, of two slots: some of a mailbox, some of what was put aside. */
const TOKEN = -1;
const ASIDE = -2;
const TOKEN_LENGTH = 2;
/** Where a segment ends before its last slot. */
const END = { end: true };
export const NOTHING: readonly unknown[] = [];

interface Segment {
  slots: unknown[];
  next: Segment | undefined;
}

const blank: readonly unknown[] = Array.from({ length: SEGMENT }, () => undefined);

class Pool {
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

/** For the few messages of one of many that are held: a whole segment each would be most of the memory of them all. */
function small(length: number): Segment {
  return { slots: blank.slice(0, length), next: undefined };
}

/** Slots, first in, first out. */
class Slots {
  readonly #pool: Pool;
  first: Segment;
  last: Segment;
  from = 0;
  to = 0;
  /** Whether a token stands for it. */
  isListed = false;

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
      this.#pool.give(first);
    }
  }

  release(): void {
    this.#pool.give(this.first);
  }
}

/** Takes messages. */
export interface Recipients<R extends Recipient> {
  /** To its root, and nobody asks what comes of it; with up to three arguments. */
  told(recipient: R, call: string, count: number, a: unknown, b: unknown, c: unknown): void;
  /** Up to three arguments by themselves, more as a list. */
  deliver(
    recipient: R,
    target: unknown,
    call: unknown,
    settles: unknown,
    sender: R,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void;
}

/** What was sent with a message, in one list. */
export function listOf(
  count: number,
  a: unknown,
  b: unknown,
  c: unknown,
  many: readonly unknown[],
): readonly unknown[] {
  return count > 3 ? many : [a, b, c].slice(0, count);
}

export class MessageQueue<R extends Recipient> {
  readonly #pool = new Pool();
  readonly #all = new Slots(this.#pool);
  readonly #recipients: Recipients<R>;
  #size = 0;

  constructor(recipients: Recipients<R>) {
    this.#recipients = recipients;
  }

  /** Messages that wait, of all actors. */
  get size(): number {
    return this.#size;
  }

  /** To the actor's root, from whomever, and nobody asks what comes of it; with up to three arguments. */
  tell(recipient: R, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    const into = this.#slotsOf(recipient);
    const at = into.place(TOLD_HEAD + count);
    const { slots } = into.last;
    slots[at] = recipient;
    slots[at + 1] = 2 * count;
    slots[at + 2] = call;
    if (count > 0) slots[at + 3] = a;
    if (count > 1) slots[at + 4] = b;
    if (count > 2) slots[at + 5] = c;
  }

  /** A message from `sender`, with up to three arguments; `count` says how many there are. */
  add(
    sender: R,
    recipient: R,
    target: unknown,
    call: unknown,
    settles: unknown,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
  ): void {
    const into = this.#slotsOf(recipient);
    const at = enter(into, sender, recipient, target, call, settles, count);
    const { slots } = into.last;
    if (count > 0) slots[at] = a;
    if (count > 1) slots[at + 1] = b;
    if (count > 2) slots[at + 2] = c;
  }

  addMany(sender: R, recipient: R, target: unknown, call: unknown, settles: unknown, args: readonly unknown[]): void {
    const into = this.#slotsOf(recipient);
    const at = enter(into, sender, recipient, target, call, settles, args.length);
    const { slots } = into.last;
    for (let i = 0; i < args.length; i++) slots[at + i] = args[i];
  }

  /** Where its next message goes. */
  #slotsOf(recipient: R): Slots {
    this.#size++;
    recipient.waiting++;
    return recipient.mailbox !== undefined || recipient.waiting > CROWD ? this.#crowded(recipient) : this.#all;
  }

  #crowded(recipient: R): Slots {
    if (recipient.mailbox !== undefined) return recipient.mailbox as Slots;
    const mailbox = new Slots(this.#pool);
    recipient.mailbox = mailbox;
    this.#list(recipient, mailbox, TOKEN);
    return mailbox;
  }

  #list(recipient: R, what: Slots, token: number): void {
    if (what.isListed) return;
    what.isListed = true;
    const at = this.#all.place(TOKEN_LENGTH);
    const { slots } = this.#all.last;
    slots[at] = recipient;
    slots[at + 1] = token;
  }

  /** Whether nothing is to be delivered or put aside. */
  isEmpty(): boolean {
    return this.#all.isEmpty();
  }

  /** It has no turns until it is let go. */
  hold(recipient: R): void {
    recipient.isHeld = recipient.isAside = true;
  }

  letGo(recipient: R): void {
    if (!recipient.isHeld) return;
    recipient.isHeld = false;
    this.takeUp(recipient);
  }

  /** What comes for it is put aside until it is taken up. */
  putAside(recipient: R): void {
    recipient.isAside = true;
  }

  takeUp(recipient: R): void {
    if (recipient.aside !== undefined) this.#list(recipient, recipient.aside as Slots, ASIDE);
    else this.#caughtUp(recipient);
  }

  #caughtUp(recipient: R): void {
    recipient.isAside = false;
    if (recipient.mailbox !== undefined) this.#list(recipient, recipient.mailbox as Slots, TOKEN);
  }

  /** Delivers up to `budget` messages; whether any are left. */
  run(budget: number): boolean {
    const all = this.#all;
    for (let left = budget; left > 0 && !all.isEmpty();) {
      const { slots } = all.first;
      const recipient = slots[all.from] as R;
      if (recipient.isAside) left -= this.#beside(recipient, left);
      else if (slots[all.from + 1] === TOKEN) left -= this.#some(left);
      else {
        this.#next(all);
        left--;
      }
    }
    return !all.isEmpty();
  }

  /** The next entry is of a recipient whose messages are put aside; answers how many were delivered. */
  #beside(recipient: R, budget: number): number {
    const all = this.#all;
    const { slots } = all.first;
    const at = all.from;
    const what = slots[at + 1] as number;
    if (what < 0) {
      this.#takeToken();
      const stands = (what === TOKEN ? recipient.mailbox : recipient.aside) as Slots;
      stands.isListed = false;
      // The mailbox comes behind what was put aside.
      if (what === TOKEN || recipient.isHeld) return 0;
      const count = this.#deliverSome(recipient, stands, budget);
      // Held, or held and let go again meanwhile: then it is listed.
      if (recipient.isHeld || stands.isListed) return count;
      if (!stands.isEmpty()) this.#list(recipient, stands, ASIDE);
      else {
        stands.release();
        recipient.aside = undefined;
        this.#caughtUp(recipient);
      }
      return count;
    }
    const length = ((what & WHOLE) === 0 ? TOLD_HEAD : HEAD) + (what >> 1);
    const aside = (recipient.aside as Slots | undefined) ?? new Slots(this.#pool, small(FEW));
    recipient.aside = aside;
    const to = aside.place(length);
    for (let i = 0; i < length; i++) {
      aside.last.slots[to + i] = slots[at + i];
      slots[at + i] = undefined;
    }
    all.from = at + length;
    return 0;
  }

  /** Some of what waits in a mailbox; answers how many. */
  #some(budget: number): number {
    const recipient = this.#takeToken();
    const mailbox = recipient.mailbox as Slots;
    mailbox.isListed = false;
    const count = this.#deliverSome(recipient, mailbox, budget);
    // Held meanwhile, it is listed again when it has caught up, or is already.
    if (recipient.isAside || mailbox.isListed) return count;
    if (!mailbox.isEmpty()) this.#list(recipient, mailbox, TOKEN);
    else {
      mailbox.release();
      recipient.mailbox = undefined;
    }
    return count;
  }

  #takeToken(): R {
    const all = this.#all;
    const { slots } = all.first;
    const recipient = slots[all.from] as R;
    slots[all.from] = undefined;
    all.from += TOKEN_LENGTH;
    return recipient;
  }

  #deliverSome(recipient: R, from: Slots, budget: number): number {
    const share = Math.min(budget, SHARE);
    let left = share;
    while (left > 0 && !recipient.isHeld && !from.isEmpty()) {
      this.#next(from);
      left--;
    }
    return share - left;
  }

  #next(from: Slots): void {
    const { slots } = from.first;
    const at = from.from;
    const recipient = slots[at] as R;
    const what = slots[at + 1] as number;
    const call = slots[at + 2];
    const count = what >> 1;
    slots[at] = undefined;
    recipient.waiting--;
    this.#size--;
    if ((what & WHOLE) !== 0) return this.#nextWhole(from, recipient, call, count);
    from.from = at + TOLD_HEAD + count;
    let a: unknown;
    let b: unknown;
    let c: unknown;
    if (count > 0) {
      a = slots[at + 3];
      slots[at + 3] = undefined;
    }
    if (count > 1) {
      b = slots[at + 4];
      slots[at + 4] = undefined;
    }
    if (count > 2) {
      c = slots[at + 5];
      slots[at + 5] = undefined;
    }
    this.#recipients.told(recipient, call as string, count, a, b, c);
  }

  #nextWhole(from: Slots, recipient: R, call: unknown, count: number): void {
    const { slots } = from.first;
    const at = from.from;
    const target = slots[at + 3];
    const settles = slots[at + 4];
    const sender = slots[at + 5] as R;
    const first = at + HEAD;
    // What is called may be an object of its own.
    slots[at + 2] = slots[at + 3] = slots[at + 4] = slots[at + 5] = undefined;
    from.from = first + count;
    if (count > 3) {
      const many = slots.slice(first, first + count);
      slots.fill(undefined, first, first + count);
      return this.#recipients.deliver(
        recipient,
        target,
        call,
        settles,
        sender,
        count,
        undefined,
        undefined,
        undefined,
        many,
      );
    }
    let a: unknown;
    let b: unknown;
    let c: unknown;
    if (count > 0) {
      a = slots[first];
      slots[first] = undefined;
    }
    if (count > 1) {
      b = slots[first + 1];
      slots[first + 1] = undefined;
    }
    if (count > 2) {
      c = slots[first + 2];
      slots[first + 2] = undefined;
    }
    this.#recipients.deliver(recipient, target, call, settles, sender, count, a, b, c, NOTHING);
  }
}

/** Answers where the arguments go, in the last segment. */
function enter(
  into: Slots,
  sender: unknown,
  recipient: unknown,
  target: unknown,
  call: unknown,
  settles: unknown,
  count: number,
): number {
  const at = into.place(HEAD + count);
  const { slots } = into.last;
  slots[at] = recipient;
  slots[at + 1] = 2 * count + WHOLE;
  slots[at + 2] = call;
  slots[at + 3] = target;
  slots[at + 4] = settles;
  slots[at + 5] = sender;
  return at + HEAD;
}
