// Actors that others have heard of before they are here: who has spawned one may have told a third worker, whose message is faster, and the
// class of one may have to be loaded first. What is sent to it waits, behind the message that it begins with: from here, from those who were given its
// reference, as well as from elsewhere. Ids are given in order, so one that should be here and is not has been and is gone.

import { Actor, creatorOf, MOST_WORKERS } from './actor.ts';
import type { FarRef, FarRefClass } from './far-ref.ts';
import type { Class } from './host.ts';
import { BEGIN } from './message-kinds.ts';
import type { MessageQueue } from './message-queue.ts';
import type { RuntimeError } from './runtime-error.ts';

/** What an actor begins with, once it is known. */
export interface Birth {
  of: { readonly type: Class; readonly ref: FarRef; readonly args: readonly unknown[] } | undefined;
}

interface Expected {
  readonly actor: Actor;
  readonly birth: Birth;
  ref: FarRef | undefined;
  readonly messages: (() => void)[];
}

export class Unborn {
  readonly #here: number;
  readonly #queue: MessageQueue<Actor>;
  readonly #expected = new Map<number, Expected>();
  /** How far each creator has come. */
  readonly #created: number[] = [];
  /** Those that will never be here, and why. */
  readonly #failed = new Map<number, RuntimeError>();

  constructor(here: number, queue: MessageQueue<Actor>) {
    this.#here = here;
    this.#queue = queue;
  }

  get size(): number {
    return this.#expected.size;
  }

  /** Whether it is still to come. */
  has(id: number): boolean {
    if (this.#expected.has(id)) return true;
    const creator = creatorOf(id);
    return creator !== this.#here && Math.floor(id / MOST_WORKERS) > (this.#created[creator] ?? 0);
  }

  failure(id: number): RuntimeError | undefined {
    return this.#failed.get(id);
  }

  /** The actor it will be. */
  actor(id: number): Actor {
    return this.#expect(id).actor;
  }

  /** A reference to one that is gone already says so to whoever sends something. */
  ref(id: number, type: FarRefClass): FarRef {
    if (!this.has(id)) {
      const gone = new Actor(id, this.#here, `actor ${id}`);
      gone.failure = this.#failed.get(id);
      return new type(gone, 0, undefined);
    }
    const expected = this.#expect(id);
    return (expected.ref ??= new type(expected.actor, 0, undefined));
  }

  /** `send` once it is here. */
  wait(id: number, send: () => void): void {
    this.#expect(id).messages.push(send);
  }

  /** Its creator has said so; until `born` or `fail`, messages still wait. */
  announced(id: number): Actor {
    const creator = creatorOf(id);
    const { actor } = this.#expect(id);
    this.#created[creator] = Math.max(this.#created[creator] ?? 0, Math.floor(id / MOST_WORKERS));
    return actor;
  }

  /** `known` is given the reference to it, before what waited is sent. */
  born(id: number, refClass: FarRefClass, type: Class, args: readonly unknown[], known: (ref: FarRef) => void): void {
    const ref = this.ref(id, refClass);
    const expected = this.#expect(id);
    expected.birth.of = { type, ref, args };
    known(ref);
    this.#begin(id, expected);
  }

  fail(id: number, failure: RuntimeError): void {
    const expected = this.#expect(id);
    expected.actor.failure = failure;
    this.#failed.set(id, failure);
    this.#begin(id, expected);
  }

  #begin(id: number, { actor, messages }: Expected): void {
    this.#expected.delete(id);
    this.#queue.takeUp(actor);
    for (const send of messages) send();
  }

  #expect(id: number): Expected {
    let expected = this.#expected.get(id);
    if (expected === undefined) {
      const actor = new Actor(id, this.#here, `actor ${id}`);
      const birth: Birth = { of: undefined };
      expected = { actor, birth, ref: undefined, messages: [] };
      this.#expected.set(id, expected);
      this.#queue.add(actor, actor, birth, BEGIN, undefined, 0, undefined, undefined, undefined);
      this.#queue.putAside(actor);
    }
    return expected;
  }
}
