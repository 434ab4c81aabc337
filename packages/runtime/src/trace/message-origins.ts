// Origins of messages, for the run index. The message of each turn was sent by a task of this worker or arrived from
// another worker. Messages do not carry their origins, but an actor handles messages in queue order, so the origins are
// kept in the same order.
import type { ActorCell } from '../actors/actor-cell.ts';
import type { Link } from '../messaging/link.ts';
import type { MessageQueue } from '../messaging/message-queue.ts';
import type { EarlyMessage } from '../actors/pending-actors.ts';

/** Origin of a message. `number`: that of the task on this worker, or of the other worker's message; 0 if unknown. */
export interface MessageOrigin {
  readonly worker: number;
  readonly epoch: number;
  readonly number: number;
}

/** Numbers of messages sent to another worker and taken from it, in this worker's epoch. */
export interface MessageCounts {
  readonly worker: number;
  readonly epoch: number;
  readonly sent: number;
  readonly taken: number;
}

interface QueuedOrigins {
  /** Number of messages that were queued before tracking started. */
  unknownCount: number;
  readonly origins: MessageOrigin[];
  /** Index of the first origin that is still needed. */
  firstIndex: number;
}

/** Origins that are no longer needed are removed in batches of this size. */
const COMPACT_AFTER = 256;

export class MessageOrigins {
  readonly #currentTask: () => MessageOrigin | undefined;
  readonly #links: () => readonly Link[];
  readonly #queued = new Map<ActorCell, QueuedOrigins>();
  readonly #early = new WeakMap<EarlyMessage, MessageOrigin>();
  /** The link whose message is being taken. */
  #incoming: Link | undefined;
  /** Set while an earlier message is processed, whose origin may be unknown. */
  #resumed: { readonly origin: MessageOrigin | undefined } | undefined;
  /** Number of messages sent to actors of this worker. */
  sent = 0;

  /** @param currentTask the running task, if any */
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

  /** Removes and returns the origin of the message whose turn begins. */
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

  /** Origins of the messages queued for an actor, in order. */
  waitingFor(actor: ActorCell): readonly MessageOrigin[] {
    const { unknownCount = 0, origins = [], firstIndex = 0 } = this.#queued.get(actor) ?? {};
    return [...Array.from({ length: unknownCount }, () => UNKNOWN), ...origins.slice(firstIndex)];
  }

  /** Marks the start of taking a message of another worker. `endMessage` marks the end. */
  beginMessage(worker: number): void {
    this.#incoming = this.#links().find((link) => link.worker === worker);
  }

  endMessage(): void {
    this.#incoming = undefined;
  }

  /** Keeps the origin of a message whose recipient does not exist yet. */
  holdEarly(message: EarlyMessage): void {
    this.#early.set(message, this.#currentOrigin());
  }

  /** Processes a message kept by `holdEarly`, or one in flight in the restored snapshot, whose origin is unknown. */
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
