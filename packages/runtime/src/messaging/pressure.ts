// Back-pressure between actors: a sender to an actor with more waiting messages than its mark has no turns until half of them are handled, unless the
// sender is over its own mark or holds others: two floods would wait for each other. Beyond an actor's limit messages are refused. Messages tell other
// workers which senders to hold.

import type { Actor } from '../actors/actor.ts';
import type { MessageQueue } from './message-queue.ts';
import { RuntimeError } from '../runtime-error.ts';

export class Pressure {
  readonly #queue: MessageQueue<Actor>;
  readonly #main: Actor;
  /** Those on whose account others are held. */
  readonly #pressing = new Set<Actor>();
  readonly #tell: (worker: number, actor: Actor, isOn: boolean) => void;

  /** `tell`: a worker, about an actor here. */
  constructor(queue: MessageQueue<Actor>, main: Actor, tell: (worker: number, actor: Actor, isOn: boolean) => void) {
    this.#queue = queue;
    this.#main = main;
    this.#tell = tell;
  }

  /** `from` sends to an actor that has as much as it wants; answers why it must not, if so. */
  on(from: Actor, to: Actor): RuntimeError | undefined {
    if (to.waiting >= to.limit) return full(to);
    // It could not catch up.
    this.#queue.letGo(to);
    if (from === this.#main || from === to || from.isHeld || from.waiting >= from.mark) return undefined;
    // Others are held until it has caught up.
    if (from.held !== undefined || from.heldWorkers !== undefined) return undefined;
    this.#queue.hold(from);
    (to.held ??= []).push(from);
    this.#pressing.add(to);
    return undefined;
  }

  /** The same of a sender on another worker. */
  onFrom(worker: number, to: Actor): RuntimeError | undefined {
    if (to.waiting >= to.limit) return full(to);
    this.#queue.letGo(to);
    const workers = (to.heldWorkers ??= []);
    if (!workers.includes(worker)) {
      workers.push(worker);
      this.#pressing.add(to);
      this.#tell(worker, to, true);
    }
    return undefined;
  }

  /** Those on whose account others are held, and those others. */
  get pressed(): Actor[] {
    return [...this.#pressing].flatMap((actor) => [actor, ...(actor.held ?? [])]);
  }

  /** It is among them again. */
  pressAgain(actor: Actor): void {
    if (actor.held !== undefined || actor.heldWorkers !== undefined) this.#pressing.add(actor);
  }

  /** An actor has had a turn, and others are held on its account. */
  turned(actor: Actor): void {
    if (actor.waiting <= actor.mark / 2) this.off(actor);
  }

  off(actor: Actor): void {
    const { held = [], heldWorkers = [] } = actor;
    actor.held = actor.heldWorkers = undefined;
    this.#pressing.delete(actor);
    for (const each of held) this.#queue.letGo(each);
    for (const worker of heldWorkers) this.#tell(worker, actor, false);
  }
}

function full(actor: Actor): RuntimeError {
  return new RuntimeError(
    'TT_MAILBOX_FULL',
    `${actor.waiting} messages wait for ${actor.name}, as many as may; send it less at a time, or spawn it with a higher limit`,
  );
}
