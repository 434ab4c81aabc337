// The messages of a worker's actors in one queue, in the order of their turns, which keeps the order between each two
// actors. Messages are flat slots in reused segments (measured in bench/prototype/messages.mjs). An actor with many
// messages gets a mailbox for further ones. Each token in the queue delivers a share of the mailbox, so that a flood
// does not delay other actors. Messages to a held actor are parked when their turn arrives, and delivered first when
// the actor is released. Hot path: guarded by bench:peers.

import type { QueueEntry, QueueState, QueueSeal, QueueName } from './queue-state.ts';
import { createFewSegment, SegmentPool, Seal, Slots, type SlotRange } from './slots.ts';

/** An actor as a recipient of the queue's messages. */
export interface Recipient {
  /** Number of queued messages. */
  waiting: number;
  mailbox: object | undefined;
  /** Parked messages, and whether further messages must be parked: the actor is held, or has parked messages left. */
  parked: object | undefined;
  isParked: boolean;
  isHeld: boolean;
}

// Slots before the arguments: recipient, header and call, and except for a `tell` also target, reply target and sender.
// Storing an object costs more than storing a number, and more still if the object is young.
const TELL_HEADER_SLOTS = 3;
const FULL_HEADER_SLOTS = 6;
/** Flag in the header of a message other than a `tell`. The rest of the header is twice the number of arguments. */
const FULL_FLAG = 1;
/** Maximum number of messages of one actor in the shared queue. Further messages go to the actor's mailbox. */
const MAX_SHARED_MESSAGES = 1024;
/** Maximum number of messages that one token delivers. */
const MESSAGES_PER_TOKEN = 64;
/** Headers of tokens, which have two slots. A token is for a share of the mailbox, or of the parked messages. */
const MAILBOX_TOKEN = -1;
const PARKED_TOKEN = -2;
const TOKEN_SLOTS = 2;
export const NO_ARGS: readonly unknown[] = [];

export interface MessageReceiver<R extends Recipient> {
  /** A message to the actor's root, without an answer, with up to three arguments. */
  deliverTell(recipient: R, call: string, count: number, a: unknown, b: unknown, c: unknown): void;
  /** Any other message. More than three arguments are passed in `args`. */
  deliver(
    recipient: R,
    target: unknown,
    call: unknown,
    replyTo: unknown,
    sender: R,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    args: readonly unknown[],
  ): void;
}

/** State of the loop that runs the queue: awake while turns run or are scheduled. */
export interface Pump {
  isAwake: boolean;
}

export function argumentList(
  count: number,
  a: unknown,
  b: unknown,
  c: unknown,
  args: readonly unknown[],
): readonly unknown[] {
  return count > 3 ? args : [a, b, c].slice(0, count);
}

export class MessageQueue<R extends Recipient> {
  readonly #pool = new SegmentPool();
  readonly #shared = new Slots(this.#pool);
  readonly #receiver: MessageReceiver<R>;
  readonly #separated = new Set<R>();
  #size = 0;

  constructor(receiver: MessageReceiver<R>) {
    this.#receiver = receiver;
  }

  /** In a replay: calls `onAdd` before each message is added. Replaces methods, so that other threads pay nothing. */
  observe(onAdd: (recipient: R, sender: R | undefined) => void): void {
    const { tell, add, addMany, addOutcome } = MessageQueue.prototype;
    this.tell = (recipient, ...rest) => {
      onAdd(recipient as R, undefined);
      tell.call(this as unknown as MessageQueue<Recipient>, recipient, ...rest);
    };
    this.add = (sender, recipient, ...rest) => {
      onAdd(recipient as R, sender as R);
      add.call(this as unknown as MessageQueue<Recipient>, sender, recipient, ...rest);
    };
    this.addMany = (sender, recipient, ...rest) => {
      onAdd(recipient as R, sender as R);
      addMany.call(this as unknown as MessageQueue<Recipient>, sender, recipient, ...rest);
    };
    this.addOutcome = (sender, recipient, ...rest) => {
      onAdd(recipient as R, sender as R);
      addOutcome.call(this as unknown as MessageQueue<Recipient>, sender, recipient, ...rest);
    };
  }

  get size(): number {
    return this.#size;
  }

  /** Queues a message to the actor's root, without an answer, with up to three arguments. */
  tell(recipient: R, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    const into = this.#slotsFor(recipient);
    const at = into.reserve(TELL_HEADER_SLOTS + count);
    const { slots } = into.last;
    slots[at] = recipient;
    slots[at + 1] = 2 * count;
    slots[at + 2] = call;
    if (count > 0) slots[at + 3] = a;
    if (count > 1) slots[at + 4] = b;
    if (count > 2) slots[at + 5] = c;
  }

  /** Queues a message with up to three arguments. */
  add(
    sender: R,
    recipient: R,
    target: unknown,
    call: unknown,
    replyTo: unknown,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
  ): void {
    const into = this.#slotsFor(recipient);
    const at = writeHeader(into, sender, recipient, target, call, replyTo, count);
    const { slots } = into.last;
    if (count > 0) slots[at] = a;
    if (count > 1) slots[at + 1] = b;
    if (count > 2) slots[at + 2] = c;
  }

  addSignal(sender: R, recipient: R, target: unknown, call: unknown): void {
    this.add(sender, recipient, target, call, undefined, 0, undefined, undefined, undefined);
  }

  /** Queues an outcome. `call`: `FULFIL` or `REJECT`; `replyTo`: the eventual. */
  addOutcome(sender: R, recipient: R, call: unknown, replyTo: unknown, value: unknown): void {
    const into = this.#slotsFor(recipient);
    const at = writeHeader(into, sender, recipient, undefined, call, replyTo, 1);
    into.last.slots[at] = value;
  }

  addMany(sender: R, recipient: R, target: unknown, call: unknown, replyTo: unknown, args: readonly unknown[]): void {
    const into = this.#slotsFor(recipient);
    const at = writeHeader(into, sender, recipient, target, call, replyTo, args.length);
    const { slots } = into.last;
    for (let i = 0; i < args.length; i++) slots[at + i] = args[i];
  }

  #slotsFor(recipient: R): Slots {
    this.#size++;
    recipient.waiting++;
    return recipient.mailbox !== undefined || recipient.waiting > MAX_SHARED_MESSAGES
      ? this.#mailboxFor(recipient)
      : this.#shared;
  }

  #mailboxFor(recipient: R): Slots {
    if (recipient.mailbox !== undefined) return recipient.mailbox as Slots;
    const mailbox = new Slots(this.#pool);
    recipient.mailbox = mailbox;
    this.#separated.add(recipient);
    this.#addToken(recipient, mailbox, MAILBOX_TOKEN);
    return mailbox;
  }

  #addToken(recipient: R, queued: Slots, token: number): void {
    if (queued.hasToken) return;
    queued.hasToken = true;
    const at = this.#shared.reserve(TOKEN_SLOTS);
    const { slots } = this.#shared.last;
    slots[at] = recipient;
    slots[at + 1] = token;
  }

  /** Whether nothing can be delivered. Parked messages without a token do not count. */
  isEmpty(): boolean {
    return this.#shared.isEmpty();
  }

  /** Stops the turns of an actor until `release`. */
  hold(recipient: R): void {
    recipient.isHeld = recipient.isParked = true;
  }

  release(recipient: R): void {
    if (!recipient.isHeld) return;
    recipient.isHeld = false;
    this.unpark(recipient);
  }

  /** Parks the messages of an actor until `unpark`. */
  park(recipient: R): void {
    recipient.isParked = true;
  }

  unpark(recipient: R): void {
    if (recipient.parked !== undefined) this.#addToken(recipient, recipient.parked as Slots, PARKED_TOKEN);
    else this.#resumeMailbox(recipient);
  }

  #resumeMailbox(recipient: R): void {
    recipient.isParked = false;
    if (recipient.mailbox !== undefined) this.#addToken(recipient, recipient.mailbox as Slots, MAILBOX_TOKEN);
  }

  /** Delivers up to `budget` messages. Returns whether any are left. */
  run(budget: number): boolean {
    const shared = this.#shared;
    for (let remaining = budget; remaining > 0 && !shared.isEmpty();) {
      const { slots } = shared.first;
      const recipient = slots[shared.from] as R;
      if (recipient.isParked) remaining -= this.#runParked(recipient, remaining);
      else if (slots[shared.from + 1] === MAILBOX_TOKEN) remaining -= this.#runMailbox(remaining);
      else {
        this.#deliverNext(shared);
        remaining--;
      }
    }
    return !shared.isEmpty();
  }

  /** Handles the next entry of an actor whose messages are parked. Returns the number of delivered messages. */
  #runParked(recipient: R, budget: number): number {
    const shared = this.#shared;
    const { slots } = shared.first;
    const at = shared.from;
    const header = slots[at + 1] as number;
    if (header < 0) {
      this.#takeToken();
      const queued = (header === MAILBOX_TOKEN ? recipient.mailbox : recipient.parked) as Slots;
      queued.hasToken = false;
      // The mailbox gets a new token after the parked messages.
      if (header === MAILBOX_TOKEN || recipient.isHeld) return 0;
      const count = this.#deliverShare(recipient, queued, budget);
      // The turns may have held the actor, and perhaps released it: then the parked messages have a token.
      if (recipient.isHeld || queued.hasToken) return count;
      if (!queued.isEmpty()) this.#addToken(recipient, queued, PARKED_TOKEN);
      else {
        queued.release();
        recipient.parked = undefined;
        if (recipient.mailbox === undefined) this.#separated.delete(recipient);
        this.#resumeMailbox(recipient);
      }
      return count;
    }
    const length = ((header & FULL_FLAG) === 0 ? TELL_HEADER_SLOTS : FULL_HEADER_SLOTS) + (header >> 1);
    const parked = (recipient.parked as Slots | undefined) ?? this.#createParked(recipient);
    const to = parked.reserve(length);
    for (let i = 0; i < length; i++) {
      parked.last.slots[to + i] = slots[at + i];
      slots[at + i] = undefined;
    }
    shared.from = at + length;
    return 0;
  }

  #createParked(recipient: R): Slots {
    const parked = new Slots(this.#pool, createFewSegment());
    recipient.parked = parked;
    this.#separated.add(recipient);
    return parked;
  }

  #runMailbox(budget: number): number {
    const recipient = this.#takeToken();
    const mailbox = recipient.mailbox as Slots;
    mailbox.hasToken = false;
    const count = this.#deliverShare(recipient, mailbox, budget);
    // If the turns held the actor, the mailbox has a token or gets one after the parked messages.
    if (recipient.isParked || mailbox.hasToken) return count;
    if (!mailbox.isEmpty()) this.#addToken(recipient, mailbox, MAILBOX_TOKEN);
    else {
      mailbox.release();
      recipient.mailbox = undefined;
      if (recipient.parked === undefined) this.#separated.delete(recipient);
    }
    return count;
  }

  #takeToken(): R {
    const shared = this.#shared;
    const { slots } = shared.first;
    const recipient = slots[shared.from] as R;
    slots[shared.from] = undefined;
    shared.from += TOKEN_SLOTS;
    return recipient;
  }

  #deliverShare(recipient: R, from: Slots, budget: number): number {
    const share = Math.min(budget, MESSAGES_PER_TOKEN);
    let remaining = share;
    while (remaining > 0 && !recipient.isHeld && !from.isEmpty()) {
      this.#deliverNext(from);
      remaining--;
    }
    return share - remaining;
  }

  #deliverNext(from: Slots): void {
    const { slots } = from.first;
    const at = from.from;
    const recipient = slots[at] as R;
    const header = slots[at + 1] as number;
    const call = slots[at + 2];
    const count = header >> 1;
    slots[at] = undefined;
    recipient.waiting--;
    this.#size--;
    if ((header & FULL_FLAG) !== 0) return this.#deliverNextFull(from, recipient, call, count);
    from.from = at + TELL_HEADER_SLOTS + count;
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
    this.#receiver.deliverTell(recipient, call as string, count, a, b, c);
  }

  #deliverNextFull(from: Slots, recipient: R, call: unknown, count: number): void {
    const { slots } = from.first;
    const at = from.from;
    const target = slots[at + 3];
    const replyTo = slots[at + 4];
    const sender = slots[at + 5] as R;
    const first = at + FULL_HEADER_SLOTS;
    // Cleared at once, since the call may be a large object.
    slots[at + 2] = slots[at + 3] = slots[at + 4] = slots[at + 5] = undefined;
    from.from = first + count;
    if (count > 3) {
      const args = slots.slice(first, first + count);
      slots.fill(undefined, first, first + count);
      return this.#receiver.deliver(
        recipient,
        target,
        call,
        replyTo,
        sender,
        count,
        undefined,
        undefined,
        undefined,
        args,
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
    this.#receiver.deliver(recipient, target, call, replyTo, sender, count, a, b, c, NO_ARGS);
  }

  /** Returns the queued messages. The counts of waiting messages belong to the actors. */
  getState(): QueueState<R> {
    const entries = (slots: object | undefined): QueueEntry<R>[] | undefined =>
      slots === undefined ? undefined : [...entriesOf<R>((slots as Slots).ranges())];
    const perRecipient = [...this.#separated].map((recipient) => ({
      recipient,
      mailbox: entries(recipient.mailbox),
      parked: entries(recipient.parked),
    }));
    return { shared: [...entriesOf<R>(this.#shared.ranges())], perRecipient };
  }

  get separated(): Iterable<R> {
    return this.#separated;
  }

  /** Reports all current messages in parts: the part that can be taken next at once, others before they are taken. */
  seal(onEntries: (entries: QueueEntry<R>[], queue: QueueName, recipient: R | undefined) => void): QueueSeal {
    const seals: Seal[] = [];
    const add = (slots: Slots, queue: QueueName, recipient: R | undefined): void => {
      const seal = new Seal(slots, (part) => onEntries([...entriesOf<R>([part])], queue, recipient));
      slots.seal = seal;
      seals.push(seal);
      seal.advance();
    };
    for (const recipient of this.#separated) {
      if (recipient.mailbox !== undefined) add(recipient.mailbox as Slots, 'mailbox', recipient);
      if (recipient.parked !== undefined) add(recipient.parked as Slots, 'parked', recipient);
    }
    add(this.#shared, 'shared', undefined);
    return {
      advance() {
        while (seals.at(-1)?.advance() === false) seals.pop();
        return seals.length > 0;
      },
      end() {
        for (const seal of seals) seal.end();
      },
    };
  }

  setState({ shared, perRecipient }: QueueState<R>): void {
    for (const recipient of this.#separated) recipient.mailbox = recipient.parked = undefined;
    this.#separated.clear();
    this.#shared.clear();
    this.#size = 0;
    for (const { recipient, mailbox, parked } of perRecipient) {
      this.#separated.add(recipient);
      if (mailbox !== undefined) this.#fill((recipient.mailbox = new Slots(this.#pool)), mailbox);
      if (parked !== undefined) this.#fill((recipient.parked = new Slots(this.#pool, createFewSegment())), parked);
    }
    this.#fill(this.#shared, shared);
  }

  #fill(into: Slots, entries: readonly QueueEntry<R>[]): void {
    for (const entry of entries) {
      const { recipient } = entry;
      if (entry.kind === 'mailbox') this.#addToken(recipient, recipient.mailbox as Slots, MAILBOX_TOKEN);
      else if (entry.kind === 'parked') this.#addToken(recipient, recipient.parked as Slots, PARKED_TOKEN);
      else {
        this.#size++;
        const { call, args } = entry;
        const at =
          entry.kind === 'tell'
            ? writeTellHeader(into, recipient, call, args.length)
            : writeHeader(into, entry.sender, recipient, entry.target, call, entry.replyTo, args.length);
        const { slots } = into.last;
        for (let i = 0; i < args.length; i++) slots[at + i] = args[i];
      }
    }
  }
}

function* entriesOf<R>(parts: readonly SlotRange[]): Iterable<QueueEntry<R>> {
  for (const [from, first, end] of parts) {
    for (let at = first; at < end;) {
      const recipient = from[at] as R;
      const header = from[at + 1] as number;
      if (header < 0) {
        yield { kind: header === MAILBOX_TOKEN ? 'mailbox' : 'parked', recipient };
        at += TOKEN_SLOTS;
        continue;
      }
      const isFull = (header & FULL_FLAG) !== 0;
      const argsStart = at + (isFull ? FULL_HEADER_SLOTS : TELL_HEADER_SLOTS);
      const next = argsStart + (header >> 1);
      const call = from[at + 2];
      const args = from.slice(argsStart, next);
      if (isFull) {
        const sender = from[at + 5] as R;
        yield { kind: 'send', recipient, call, args, target: from[at + 3], replyTo: from[at + 4], sender };
      } else yield { kind: 'tell', recipient, call: call as string, args };
      at = next;
    }
  }
}

/** Writes the slots before the arguments. Returns the slot of the first argument, in the last segment. */
function writeHeader(
  into: Slots,
  sender: unknown,
  recipient: unknown,
  target: unknown,
  call: unknown,
  replyTo: unknown,
  count: number,
): number {
  const at = into.reserve(FULL_HEADER_SLOTS + count);
  const { slots } = into.last;
  slots[at] = recipient;
  slots[at + 1] = 2 * count + FULL_FLAG;
  slots[at + 2] = call;
  slots[at + 3] = target;
  slots[at + 4] = replyTo;
  slots[at + 5] = sender;
  return at + FULL_HEADER_SLOTS;
}

/** Like `writeHeader`, for a `tell`. */
function writeTellHeader(into: Slots, recipient: unknown, call: unknown, count: number): number {
  const at = into.reserve(TELL_HEADER_SLOTS + count);
  const { slots } = into.last;
  slots[at] = recipient;
  slots[at + 1] = 2 * count;
  slots[at + 2] = call;
  return at + TELL_HEADER_SLOTS;
}
