// Actors that others have heard of before they are here: who has spawned one may have told a third worker, whose message is faster, and the
// class of one may have to be loaded first. What is sent to it waits. Ids are given in order, so one that should be here and is not
// has been and is gone.

import { Actor, creatorOf, MOST_WORKERS } from './actor.ts';
import type { FarRef, FarRefClass } from './far-ref.ts';
import type { RuntimeError } from './runtime-error.ts';

interface Expected {
  readonly actor: Actor;
  ref: FarRef | undefined;
  readonly messages: (() => void)[];
}

export class Unborn {
  readonly #here: number;
  readonly #expected = new Map<number, Expected>();
  /** How far each creator has come. */
  readonly #created: number[] = [];
  /** Those that will never be here, and why. */
  readonly #failed = new Map<number, RuntimeError>();

  constructor(here: number) {
    this.#here = here;
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

  ref(id: number, type: FarRefClass): FarRef {
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

  /** `begin` is given the reference to it; what waited follows. */
  born(id: number, type: FarRefClass, begin: (ref: FarRef) => void): void {
    const ref = this.ref(id, type);
    const { messages } = this.#expect(id);
    this.#expected.delete(id);
    begin(ref);
    for (const send of messages) send();
  }

  fail(id: number, failure: RuntimeError): void {
    const { actor, messages } = this.#expect(id);
    actor.failure = failure;
    this.#failed.set(id, failure);
    this.#expected.delete(id);
    for (const send of messages) send();
  }

  #expect(id: number): Expected {
    let expected = this.#expected.get(id);
    if (expected === undefined) {
      expected = { actor: new Actor(id, this.#here, `actor ${id}`), ref: undefined, messages: [] };
      this.#expected.set(id, expected);
    }
    return expected;
  }
}
