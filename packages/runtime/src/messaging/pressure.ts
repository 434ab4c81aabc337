// Back-pressure between actors: a sender to an actor with more waiting messages than its mark has no turns until half of them are handled, unless the
// sender is over its own mark or holds others: two floods would wait for each other. Beyond an actor's limit messages are refused. Messages tell other
// workers which senders to hold.

import type { ActorCell } from '../actors/actor-cell.ts';
import type { MessageQueue } from './message-queue.ts';
import { RuntimeError } from '../runtime-error.ts';

export class Pressure {
  readonly #queue: MessageQueue<ActorCell>;
  readonly #main: ActorCell;
  /** Those on whose account others are held. */
  readonly #pressing = new Set<ActorCell>();
  readonly #notifyWorker: (worker: number, actor: ActorCell, isOn: boolean) => void;

  /** `tell`: a worker, about an actor here. */
  constructor(
    queue: MessageQueue<ActorCell>,
    main: ActorCell,
    notifyWorker: (worker: number, actor: ActorCell, isOn: boolean) => void,
  ) {
    this.#queue = queue;
    this.#main = main;
    this.#notifyWorker = notifyWorker;
  }

  /** `from` sends to an actor that has as much as it wants; answers why it must not, if so. */
  checkSend(sender: ActorCell, recipient: ActorCell): RuntimeError | undefined {
    if (recipient.waiting >= recipient.limit) return mailboxFullError(recipient);
    // It could not catch up.
    this.#queue.release(recipient);
    if (sender === this.#main || sender === recipient || sender.isHeld || sender.waiting >= sender.mark)
      return undefined;
    // Others are held until it has caught up.
    if (sender.heldSenders !== undefined || sender.heldWorkers !== undefined) return undefined;
    this.#queue.hold(sender);
    (recipient.heldSenders ??= []).push(sender);
    this.#pressing.add(recipient);
    return undefined;
  }

  /** The same of a sender on another worker. */
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

  /** Those on whose account others are held, and those others. */
  get pressed(): ActorCell[] {
    return [...this.#pressing].flatMap((actor) => [actor, ...(actor.heldSenders ?? [])]);
  }

  /** It is among them again. */
  restore(actor: ActorCell): void {
    if (actor.heldSenders !== undefined || actor.heldWorkers !== undefined) this.#pressing.add(actor);
  }

  /** An actor has had a turn, and others are held on its account. */
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
    `${actor.waiting} messages wait for ${actor.name}, as many as may; send it less at a time, or spawn it with a higher limit`,
  );
}
