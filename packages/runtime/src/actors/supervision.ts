// Actors of other workers that this worker supervises. Their class and arguments are kept here until they stop or fail, to make them again when their
// worker is lost. They keep their ids, so references to their roots stay valid. Lost messages are not sent again.

import type { ActorCell, MailboxOptions } from './actor-cell.ts';
import type { FarReference } from '../references/far-reference.ts';
import type { ActorConstructor } from '../scheduler-host.ts';

export interface SupervisedActor {
  readonly actor: ActorCell;
  readonly type: ActorConstructor;
  readonly args: readonly unknown[];
  readonly mailbox: MailboxOptions | undefined;
  /** How it is supervised, as a number. */
  readonly policy: number;
  /** Keeps it known here. */
  readonly ref: FarReference;
}

export class Supervision {
  /** In the order of their ids. */
  readonly #supervised = new Map<number, SupervisedActor>();

  add(supervised: SupervisedActor): void {
    this.#supervised.set(supervised.actor.id, supervised);
  }

  /** It is not made anew any more. */
  remove(id: number): void {
    this.#supervised.delete(id);
  }

  /** Of a worker that no other takes the place of. */
  removeAllOn(worker: number): void {
    for (const { actor } of this.ofWorker(worker)) this.remove(actor.id);
  }

  getState(): readonly SupervisedActor[] {
    return [...this.#supervised.values()];
  }

  /** In the place of all that are. */
  setState(supervised: readonly SupervisedActor[]): void {
    this.#supervised.clear();
    for (const each of supervised) this.add(each);
  }

  /** Of a worker. */
  ofWorker(worker: number): SupervisedActor[] {
    return [...this.#supervised.values()].filter(({ actor }) => actor.worker === worker);
  }
}
