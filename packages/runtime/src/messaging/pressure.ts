// Back-pressure between actors. A sender to an actor that has reached its mark is held: the sender has no turns until
// the actor's mailbox has shrunk to half the mark. A sender that has reached its own mark or holds others is not held,
// since two floods would deadlock. Beyond an actor's limit, messages are refused. Senders on other workers are held by
// messages to their workers.

import type { ActorCell } from '../actors/actor-cell.ts';
import type { MessageQueue } from './message-queue.ts';
import { RuntimeError } from '../runtime-error.ts';

export class Pressure {
  readonly #queue: MessageQueue<ActorCell>;
  readonly #main: ActorCell;
  /** Actors that hold senders. */
  readonly #pressing = new Set<ActorCell>();
  readonly #notifyWorker: (worker: number, actor: ActorCell, isOn: boolean) => void;

  /** @param notifyWorker makes a worker hold or release its senders to an actor of this worker */
  constructor(
    queue: MessageQueue<ActorCell>,
    main: ActorCell,
    notifyWorker: (worker: number, actor: ActorCell, isOn: boolean) => void,
  ) {
    this.#queue = queue;
    this.#main = main;
    this.#notifyWorker = notifyWorker;
  }

  /** Holds the sender to an actor that has reached its mark. Returns an error if the message must be refused. */
  checkSend(sender: ActorCell, recipient: ActorCell): RuntimeError | undefined {
    if (recipient.waiting >= recipient.limit) return mailboxFullError(recipient);
    // Released first, since a held recipient could not reduce its mailbox.
    this.#queue.release(recipient);
    if (sender === this.#main || sender === recipient || sender.isHeld || sender.waiting >= sender.mark)
      return undefined;
    // The sender holds others until it has reduced its own mailbox, so it must not be held.
    if (sender.heldSenders !== undefined || sender.heldWorkers !== undefined) return undefined;
    this.#queue.hold(sender);
    (recipient.heldSenders ??= []).push(sender);
    this.#pressing.add(recipient);
    return undefined;
  }

  /** Like `checkSend`, for a sender on another worker. */
  checkRemoteSend(worker: number, recipient: ActorCell): RuntimeError | undefined {
    if (recipient.waiting >= recipient.limit) return mailboxFullError(recipient);
    this.#queue.release(recipient);
    const workers = (recipient.heldWorkers ??= []);
    if (!workers.includes(worker)) {
      workers.push(worker);
      this.#pressing.add(recipient);
      this.#notifyWorker(worker, recipient, true);
    }
    return undefined;
  }

  /** Actors that hold senders, and the held senders. */
  get pressed(): ActorCell[] {
    return [...this.#pressing].flatMap((actor) => [actor, ...(actor.heldSenders ?? [])]);
  }

  /** Registers an actor of a snapshot again if it holds senders. */
  restore(actor: ActorCell): void {
    if (actor.heldSenders !== undefined || actor.heldWorkers !== undefined) this.#pressing.add(actor);
  }

  /** Releases senders if the actor has handled enough messages. Called after turns of actors that hold senders. */
  afterTurn(actor: ActorCell): void {
    if (actor.waiting <= actor.mark / 2) this.releaseSenders(actor);
  }

  releaseSenders(actor: ActorCell): void {
    const { heldSenders = [], heldWorkers = [] } = actor;
    actor.heldSenders = actor.heldWorkers = undefined;
    this.#pressing.delete(actor);
    for (const each of heldSenders) this.#queue.release(each);
    for (const worker of heldWorkers) this.#notifyWorker(worker, actor, false);
  }
}

function mailboxFullError(actor: ActorCell): RuntimeError {
  return new RuntimeError(
    'TT_MAILBOX_FULL',
    `the mailbox of ${actor.name} is full, because ${actor.waiting} messages wait; send fewer messages at a time, or spawn it with a higher mailbox.limit`,
  );
}
