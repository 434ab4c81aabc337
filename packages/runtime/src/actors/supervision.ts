// The actors of other workers that this worker supervises, each with its class and arguments until it stops or fails.
// When their worker is lost, its successor creates them again. They keep their ids, so references to their roots stay
// valid. Lost messages are not sent again.

import type { ActorCell, MailboxOptions } from './actor-cell.ts';
import type { FarReference } from '../references/far-reference.ts';
import type { ActorConstructor } from '../scheduler-host.ts';

export interface SupervisedActor {
  readonly actor: ActorCell;
  readonly type: ActorConstructor;
  readonly args: readonly unknown[];
  readonly mailbox: MailboxOptions | undefined;
  /** Number of the supervision policy. */
  readonly policy: number;
  /** Keeps the reference counted while the actor is supervised. */
  readonly ref: FarReference;
}

export class Supervision {
  /** Supervised actors by id, in spawn order. */
  readonly #supervised = new Map<number, SupervisedActor>();

  add(supervised: SupervisedActor): void {
    this.#supervised.set(supervised.actor.id, supervised);
  }

  remove(id: number): void {
    this.#supervised.delete(id);
  }

  /** Ends the supervision of all actors of a worker without a successor. */
  removeAllOn(worker: number): void {
    for (const { actor } of this.ofWorker(worker)) this.remove(actor.id);
  }

  getState(): readonly SupervisedActor[] {
    return [...this.#supervised.values()];
  }

  setState(supervised: readonly SupervisedActor[]): void {
    this.#supervised.clear();
    for (const each of supervised) this.add(each);
  }

  ofWorker(worker: number): SupervisedActor[] {
    return [...this.#supervised.values()].filter(({ actor }) => actor.worker === worker);
  }
}
