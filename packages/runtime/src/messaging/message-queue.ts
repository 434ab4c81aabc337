// The messages of a worker's actors in one queue, in the order of their turns: so the order between each two actors is kept. Messages are flat slots in
// reused segments (measured in bench/prototype/messages.mjs). An actor with many messages is crowded: further ones go to its mailbox, and each token in the
// queue delivers some of them, so that a flood does not hold up other actors. Messages to a held actor are put aside when their turn comes, and
// delivered first when it is released. Hot path: guarded by bench:peers.

import type { QueueEntry, QueueState, Sealed, Where } from './queue-state.ts';
import { few, Pool, Seal, Slots, type Part } from './slots.ts';

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

// Slots before the arguments: recipient, kind and call for a `told` message; otherwise also target, settled eventual, and sender. Storing an object costs
// more than a number, more still if the object is young.
const TOLD_HEAD = 3;
const HEAD = 6;
/** What it is: twice the number of arguments, and one more unless it is told to a root. */
const WHOLE = 1;
/** So many messages may wait for an actor in the queue of all. */
const CROWD = 1024;
/** So many messages of a crowded actor stand behind a token. */
const SHARE = 64;
/** Or, of two slots: some of a mailbox, some of what was put aside. */
const TOKEN = -1;
const ASIDE = -2;
const TOKEN_LENGTH = 2;
export const NOTHING: readonly unknown[] = [];

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

/** Whether turns are running or about to. */
export interface Pump {
  isAwake: boolean;
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
  /** Those that have a mailbox of their own, or of whose messages some were put aside. */
  readonly #apart = new Set<R>();
  #size = 0;

  constructor(recipients: Recipients<R>) {
    this.#recipients = recipients;
  }

  /** In a replay: calls `added` before each message is added. Replaces the methods, so that other threads pay nothing. */
  watch(added: (recipient: R, sender: R | undefined) => void): void {
    const { tell, add, addMany, addOutcome } = MessageQueue.prototype;
    this.tell = (recipient, ...rest) => {
      added(recipient as R, undefined);
      tell.call(this as unknown as MessageQueue<Recipient>, recipient, ...rest);
    };
    this.add = (sender, recipient, ...rest) => {
      added(recipient as R, sender as R);
      add.call(this as unknown as MessageQueue<Recipient>, sender, recipient, ...rest);
    };
    this.addMany = (sender, recipient, ...rest) => {
      added(recipient as R, sender as R);
      addMany.call(this as unknown as MessageQueue<Recipient>, sender, recipient, ...rest);
    };
    this.addOutcome = (sender, recipient, ...rest) => {
      added(recipient as R, sender as R);
      addOutcome.call(this as unknown as MessageQueue<Recipient>, sender, recipient, ...rest);
    };
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

  /** A message without arguments that settles nothing. */
  addSignal(sender: R, recipient: R, target: unknown, call: unknown): void {
    this.add(sender, recipient, target, call, undefined, 0, undefined, undefined, undefined);
  }

  /** The outcome of what the recipient has asked: `call` says which, `settles` what waits for it. */
  addOutcome(sender: R, recipient: R, call: unknown, settles: unknown, value: unknown): void {
    const into = this.#slotsOf(recipient);
    const at = enter(into, sender, recipient, undefined, call, settles, 1);
    into.last.slots[at] = value;
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
    this.#apart.add(recipient);
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
        if (recipient.mailbox === undefined) this.#apart.delete(recipient);
        this.#caughtUp(recipient);
      }
      return count;
    }
    const length = ((what & WHOLE) === 0 ? TOLD_HEAD : HEAD) + (what >> 1);
    const aside = (recipient.aside as Slots | undefined) ?? this.#asideOf(recipient);
    const to = aside.place(length);
    for (let i = 0; i < length; i++) {
      aside.last.slots[to + i] = slots[at + i];
      slots[at + i] = undefined;
    }
    all.from = at + length;
    return 0;
  }

  #asideOf(recipient: R): Slots {
    const aside = new Slots(this.#pool, few());
    recipient.aside = aside;
    this.#apart.add(recipient);
    return aside;
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
      if (recipient.aside === undefined) this.#apart.delete(recipient);
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

  /** What waits; how much for whom is the recipients' own. */
  read(): QueueState<R> {
    const entries = (slots: object | undefined): QueueEntry<R>[] | undefined =>
      slots === undefined ? undefined : [...entriesOf<R>((slots as Slots).parts())];
    const apart = [...this.#apart].map((recipient) => ({
      recipient,
      mailbox: entries(recipient.mailbox),
      aside: entries(recipient.aside),
    }));
    return { all: [...entriesOf<R>(this.#all.parts())], apart };
  }

  /** Those of whose messages some stand elsewhere. */
  get apart(): Iterable<R> {
    return this.#apart;
  }

  /** What waits at this moment is told of, some at a time: what may be taken next at once, all else before it is taken. */
  seal(tell: (entries: QueueEntry<R>[], where: Where, recipient: R | undefined) => void): Sealed {
    const seals: Seal[] = [];
    const add = (slots: Slots, where: Where, recipient: R | undefined): void => {
      const seal = new Seal(slots, (part) => tell([...entriesOf<R>([part])], where, recipient));
      slots.seal = seal;
      seals.push(seal);
      seal.goOn();
    };
    for (const recipient of this.#apart) {
      if (recipient.mailbox !== undefined) add(recipient.mailbox as Slots, 'mailbox', recipient);
      if (recipient.aside !== undefined) add(recipient.aside as Slots, 'aside', recipient);
    }
    add(this.#all, 'all', undefined);
    return {
      goOn() {
        while (seals.at(-1)?.goOn() === false) seals.pop();
        return seals.length > 0;
      },
      end() {
        for (const seal of seals) seal.end();
      },
    };
  }

  /** In the place of what waits now. */
  write({ all, apart }: QueueState<R>): void {
    for (const recipient of this.#apart) recipient.mailbox = recipient.aside = undefined;
    this.#apart.clear();
    this.#all.clear();
    this.#size = 0;
    for (const { recipient, mailbox, aside } of apart) {
      this.#apart.add(recipient);
      if (mailbox !== undefined) this.#fill((recipient.mailbox = new Slots(this.#pool)), mailbox);
      if (aside !== undefined) this.#fill((recipient.aside = new Slots(this.#pool, few())), aside);
    }
    this.#fill(this.#all, all);
  }

  #fill(into: Slots, entries: readonly QueueEntry<R>[]): void {
    for (const entry of entries) {
      const { recipient } = entry;
      if (entry.what === 'mailbox') this.#list(recipient, recipient.mailbox as Slots, TOKEN);
      else if (entry.what === 'aside') this.#list(recipient, recipient.aside as Slots, ASIDE);
      else {
        this.#size++;
        const { call, args } = entry;
        const at =
          entry.what === 'told'
            ? enterTold(into, recipient, call, args.length)
            : enter(into, entry.sender, recipient, entry.target, call, entry.settles, args.length);
        const { slots } = into.last;
        for (let i = 0; i < args.length; i++) slots[at + i] = args[i];
      }
    }
  }
}

function* entriesOf<R>(parts: readonly Part[]): Iterable<QueueEntry<R>> {
  for (const [from, first, end] of parts) {
    for (let at = first; at < end;) {
      const recipient = from[at] as R;
      const what = from[at + 1] as number;
      if (what < 0) {
        yield { what: what === TOKEN ? 'mailbox' : 'aside', recipient };
        at += TOKEN_LENGTH;
        continue;
      }
      const isWhole = (what & WHOLE) !== 0;
      const behind = at + (isWhole ? HEAD : TOLD_HEAD);
      const next = behind + (what >> 1);
      const call = from[at + 2];
      const args = from.slice(behind, next);
      if (isWhole) {
        const sender = from[at + 5] as R;
        yield { what: 'sent', recipient, call, args, target: from[at + 3], settles: from[at + 4], sender };
      } else yield { what: 'told', recipient, call: call as string, args };
      at = next;
    }
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

/** The same, of a message to a root that nobody asks about. */
function enterTold(into: Slots, recipient: unknown, call: unknown, count: number): number {
  const at = into.place(TOLD_HEAD + count);
  const { slots } = into.last;
  slots[at] = recipient;
  slots[at + 1] = 2 * count;
  slots[at + 2] = call;
  return at + TOLD_HEAD;
}
