// For the run index: where the message of each turn comes from, a task of this worker or a message of another one. Messages do not say; but an actor handles
// them in the order in which they were queued, so their origins are kept beside them in the same order.
import type { ActorCell } from '../actors/actor-cell.ts';
import type { Link } from '../messaging/link.ts';
import type { MessageQueue } from '../messaging/message-queue.ts';
import type { EarlyMessage } from '../actors/pending-actors.ts';

/** Where a message comes from. Of this worker, `number` is that of the task; of another one that of the message. 0 if it is not known. */
export interface MessageOrigin {
  readonly worker: number;
  readonly epoch: number;
  readonly number: number;
}

/** How many messages have been sent to another worker, and taken from it, by this life of this one. */
export interface MessageCounts {
  readonly worker: number;
  readonly epoch: number;
  readonly sent: number;
  readonly taken: number;
}

interface QueuedOrigins {
  /** That were there before anybody looked. */
  unknownCount: number;
  readonly origins: MessageOrigin[];
  /** Of the first that is still there. */
  firstIndex: number;
}

/** Origins that are done with are let go of so many at a time. */
const COMPACT_AFTER = 256;

export class MessageOrigins {
  readonly #currentTask: () => MessageOrigin | undefined;
  readonly #links: () => readonly Link[];
  readonly #queued = new Map<ActorCell, QueuedOrigins>();
  readonly #early = new WeakMap<EarlyMessage, MessageOrigin>();
  /** A message of its is being taken. */
  #incoming: Link | undefined;
  /** What goes on is about a message that was taken before; undefined if nobody knows which. */
  #resumed: { readonly origin: MessageOrigin | undefined } | undefined;
  /** So far, to actors of this worker. */
  sent = 0;

  /** @param currentTask the task that runs, if one does */
  constructor(
    queue: MessageQueue<ActorCell>,
    links: () => readonly Link[],
    currentTask: () => MessageOrigin | undefined,
  ) {
    this.#currentTask = currentTask;
    this.#links = links;
    queue.observe((recipient, sender) => this.#onQueued(recipient, sender));
  }

  #onQueued(recipient: ActorCell, sender: ActorCell | undefined): void {
    const origin = this.#currentOrigin();
    if (this.#incoming === undefined && (sender === undefined || sender.id >= 0)) this.sent++;
    let queued = this.#queued.get(recipient);
    if (queued === undefined) {
      queued = { unknownCount: recipient.waiting, origins: [], firstIndex: 0 };
      this.#queued.set(recipient, queued);
    }
    queued.origins.push(origin);
  }

  #currentOrigin(): MessageOrigin {
    if (this.#resumed !== undefined) return this.#resumed.origin ?? UNKNOWN;
    const link = this.#incoming;
    if (link === undefined) return this.#currentTask() ?? UNKNOWN;
    return { worker: link.worker, epoch: link.epoch, number: link.inbox.taken };
  }

  /** A turn of it begins: where the message comes from that it is about. */
  originOfNext(actor: ActorCell): MessageOrigin {
    const queued = this.#queued.get(actor);
    if (queued === undefined) return UNKNOWN;
    if (queued.unknownCount > 0) {
      queued.unknownCount--;
      return UNKNOWN;
    }
    const { origins } = queued;
    const origin = origins[queued.firstIndex++] ?? UNKNOWN;
    if (queued.firstIndex === origins.length) this.#queued.delete(actor);
    else if (queued.firstIndex === COMPACT_AFTER) {
      origins.splice(0, COMPACT_AFTER);
      queued.firstIndex = 0;
    }
    return origin;
  }

  /** Of what waits for an actor, in that order. */
  waitingFor(actor: ActorCell): readonly MessageOrigin[] {
    const { unknownCount = 0, origins = [], firstIndex = 0 } = this.#queued.get(actor) ?? {};
    return [...Array.from({ length: unknownCount }, () => UNKNOWN), ...origins.slice(firstIndex)];
  }

  /** A message of another worker is taken, and nothing else until `rests`. */
  beginMessage(worker: number): void {
    this.#incoming = this.#links().find((link) => link.worker === worker);
  }

  endMessage(): void {
    this.#incoming = undefined;
  }

  /** A message that is being taken is for who is not here yet. */
  holdEarly(message: EarlyMessage): void {
    this.#early.set(message, this.#currentOrigin());
  }

  /** It is taken now, or another one that was under way in the snapshot which this began with, of which nobody knows who has sent it. */
  resume(message: EarlyMessage | undefined, run: () => void): void {
    const previous = this.#resumed;
    this.#resumed = { origin: message && this.#early.get(message) };
    try {
      run();
    } finally {
      this.#resumed = previous;
    }
  }

  messageCounts(): MessageCounts[] {
    return this.#links().map(({ worker, epoch, outbox, inbox }) => ({
      worker,
      epoch,
      sent: outbox.sent,
      taken: inbox.taken,
    }));
  }
}

const UNKNOWN: MessageOrigin = { worker: -1, epoch: 0, number: 0 };
