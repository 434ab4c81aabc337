// Actors of other workers that this worker supervises. Their class and arguments are kept here until they stop or fail, to make them again when their
// worker is lost. They keep their ids, so references to their roots stay valid. Lost messages are not sent again.

import type { Actor, Mailbox } from './actor.ts';
import type { FarRef } from '../references/far-ref.ts';
import type { Class } from '../host.ts';

export interface Supervised {
  readonly actor: Actor;
  readonly type: Class;
  readonly args: readonly unknown[];
  readonly mailbox: Mailbox | undefined;
  /** How it is supervised, as a number. */
  readonly way: number;
  /** Keeps it known here. */
  readonly ref: FarRef;
}

export class Supervision {
  /** In the order of their ids. */
  readonly #supervised = new Map<number, Supervised>();

  add(supervised: Supervised): void {
    this.#supervised.set(supervised.actor.id, supervised);
  }

  /** It is not made anew any more. */
  end(id: number): void {
    this.#supervised.delete(id);
  }

  /** Of a worker that no other takes the place of. */
  endAll(worker: number): void {
    for (const { actor } of this.of(worker)) this.end(actor.id);
  }

  read(): readonly Supervised[] {
    return [...this.#supervised.values()];
  }

  /** In the place of all that are. */
  write(supervised: readonly Supervised[]): void {
    this.#supervised.clear();
    for (const each of supervised) this.add(each);
  }

  /** Of a worker. */
  of(worker: number): Supervised[] {
    return [...this.#supervised.values()].filter(({ actor }) => actor.worker === worker);
  }
}
