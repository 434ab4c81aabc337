// For the run index: where the message of each turn comes from, a task of this worker or a message of another one. Messages do not say; but an actor handles
// them in the order in which they were queued, so their origins are kept beside them in the same order.
import type { Actor } from '../actors/actor.ts';
import type { Link } from '../messaging/link.ts';
import type { MessageQueue } from '../messaging/message-queue.ts';
import type { Arrival } from '../actors/unborn.ts';

/** Where a message comes from. Of this worker, `number` is that of the stretch; of another one that of the message. 0 if it is not known. */
export interface Origin {
  readonly worker: number;
  readonly life: number;
  readonly number: number;
}

/** How many messages have been sent to another worker, and taken from it, by this life of this one. */
export interface Exchange {
  readonly worker: number;
  readonly life: number;
  readonly sent: number;
  readonly taken: number;
}

interface Waiting {
  /** That were there before anybody looked. */
  unknown: number;
  readonly origins: Origin[];
  /** Of the first that is still there. */
  first: number;
}

/** Origins that are done with are let go of so many at a time. */
const SOME = 256;

export class Origins {
  readonly #here: () => Origin | undefined;
  readonly #links: () => readonly Link[];
  readonly #waiting = new Map<Actor, Waiting>();
  readonly #held = new WeakMap<Arrival, Origin>();
  /** A message of its is being taken. */
  #taking: Link | undefined;
  /** What goes on is about a message that was taken before; undefined if nobody knows which. */
  #goingOn: { readonly origin: Origin | undefined } | undefined;
  /** So far, to actors of this worker. */
  sent = 0;

  /** @param here the stretch that runs, if one does */
  constructor(queue: MessageQueue<Actor>, links: () => readonly Link[], here: () => Origin | undefined) {
    this.#here = here;
    this.#links = links;
    queue.watch((recipient, sender) => this.#added(recipient, sender));
  }

  #added(recipient: Actor, sender: Actor | undefined): void {
    const origin = this.#origin();
    if (this.#taking === undefined && (sender === undefined || sender.id >= 0)) this.sent++;
    let waiting = this.#waiting.get(recipient);
    if (waiting === undefined) {
      waiting = { unknown: recipient.waiting, origins: [], first: 0 };
      this.#waiting.set(recipient, waiting);
    }
    waiting.origins.push(origin);
  }

  #origin(): Origin {
    if (this.#goingOn !== undefined) return this.#goingOn.origin ?? UNKNOWN;
    const link = this.#taking;
    if (link === undefined) return this.#here() ?? UNKNOWN;
    return { worker: link.worker, life: link.life, number: link.inbox.taken };
  }

  /** A turn of it begins: where the message comes from that it is about. */
  next(actor: Actor): Origin {
    const waiting = this.#waiting.get(actor);
    if (waiting === undefined) return UNKNOWN;
    if (waiting.unknown > 0) {
      waiting.unknown--;
      return UNKNOWN;
    }
    const { origins } = waiting;
    const origin = origins[waiting.first++] ?? UNKNOWN;
    if (waiting.first === origins.length) this.#waiting.delete(actor);
    else if (waiting.first === SOME) {
      origins.splice(0, SOME);
      waiting.first = 0;
    }
    return origin;
  }

  /** Of what waits for an actor, in that order. */
  waitingFor(actor: Actor): readonly Origin[] {
    const { unknown = 0, origins = [], first = 0 } = this.#waiting.get(actor) ?? {};
    return [...Array.from({ length: unknown }, () => UNKNOWN), ...origins.slice(first)];
  }

  /** A message of another worker is taken, and nothing else until `rests`. */
  takes(worker: number): void {
    this.#taking = this.#links().find((link) => link.worker === worker);
  }

  rests(): void {
    this.#taking = undefined;
  }

  /** A message that is being taken is for who is not here yet. */
  waits(arrival: Arrival): void {
    this.#held.set(arrival, this.#origin());
  }

  /** It is taken now, or another one that was under way in the snapshot which this began with, of which nobody knows who has sent it. */
  goesOn(arrival: Arrival | undefined, run: () => void): void {
    const before = this.#goingOn;
    this.#goingOn = { origin: arrival && this.#held.get(arrival) };
    try {
      run();
    } finally {
      this.#goingOn = before;
    }
  }

  exchanges(): Exchange[] {
    return this.#links().map(({ worker, life, outbox, inbox }) => ({
      worker,
      life,
      sent: outbox.sent,
      taken: inbox.taken,
    }));
  }
}

const UNKNOWN: Origin = { worker: -1, life: 0, number: 0 };
