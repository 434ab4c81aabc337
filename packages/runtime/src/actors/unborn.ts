// Actors that others have heard of before they are here: who has spawned one may have told a third worker, whose message is faster, and the
// class of one may have to be loaded first. What is sent to it waits, behind the message that it begins with: from here, from those who were given its
// reference, as well as from elsewhere. Ids are given in order, so one that should be here and is not has been and is gone. If its creator has
// ended, or another worker was here when its creator spawned it, nobody waits for it any longer: it is lost.

import type { Eventual } from '@turntable/core';
import type { PlacedTimer } from '@turntable/heap';
import { Actor, creatorOf, displayed, ordinalOf } from './actor.ts';
import type { FarRef, FarRefClass } from '../references/far-ref.ts';
import type { Class } from '../host.ts';
import type { Link } from '../messaging/link.ts';
import { BEGIN } from '../messaging/message-kinds.ts';
import type { MessageQueue } from '../messaging/message-queue.ts';
import { ActorLostError, type RuntimeError } from '../runtime-error.ts';
import { RESTORE, wayOf } from './supervise.ts';
import type { TrackedCall } from '../messaging/answer/trail.ts';

/** What an actor begins with, once it is known. */
export interface Birth {
  of: { readonly type: Class; readonly ref: FarRef; readonly args: readonly unknown[] } | undefined;
  /** Whether it has lived before, on a worker that was lost. */
  isAnew: boolean;
}

/** What its creator has said of an actor whose class is to be found. */
export interface Coming {
  /** Of its class. */
  readonly address: string;
  readonly args: readonly unknown[];
  /** How its creator supervises it, as on the wire. */
  readonly supervised: number;
  /** Of who has said so: which life of which worker. */
  readonly creator: number;
}

/** A message of another worker that cannot be heeded yet; as it came. */
export interface Arrival {
  readonly link: Link;
  readonly kind: number;
  readonly number: number;
  readonly settles: number;
  readonly call: string | TrackedCall | undefined;
  readonly args: readonly unknown[];
}

/** An actor as it was. */
export interface Revivable {
  /** Unless it was still to be made. */
  readonly root: object | undefined;
  readonly birth: { readonly type: Class; readonly args: readonly unknown[] } | undefined;
  readonly ref: FarRef;
  readonly exports: number;
  readonly turns: number;
  readonly timers: readonly PlacedTimer[];
  /** What waited for native promises. */
  readonly waiting: readonly object[];
  /** What messages of others would have settled. */
  readonly eventuals: readonly Eventual[];
  /** Who has spawned it, if that was on this worker: it is what it was if that one is. */
  readonly by: Actor | undefined;
}

/** An actor of this worker, the reference to it, and what it was. */
export interface Known {
  readonly actor: Actor;
  readonly ref: FarRef | undefined;
  readonly revivable?: Revivable | undefined;
}

export interface UnbornState {
  readonly expected: readonly ExpectedState[];
  /** How far each creator has come. */
  readonly created: readonly (readonly [creator: number, ordinal: number])[];
  /** Up to which ordinal of a creator's those that are not here never will be, and why. */
  readonly over: readonly (readonly [creator: number, ordinal: number, why: string])[];
  /** Others that will never be here. */
  readonly failed: readonly (readonly [id: number, failure: RuntimeError])[];
}

/** An actor that is still to come. */
export interface ExpectedState {
  readonly actor: Actor;
  /** The target of the message that it begins with. */
  readonly birth: Birth;
  readonly ref: FarRef | undefined;
  readonly coming: Coming | undefined;
  readonly messages: readonly Arrival[];
}

interface Expected {
  readonly actor: Actor;
  readonly birth: Birth;
  ref: FarRef | undefined;
  /** Once its creator has said what it is. */
  coming: Coming | undefined;
  /** What it was in a snapshot, if it may be that again. Never in one itself: none begins while there is any. */
  revivable: Revivable | undefined;
  readonly messages: Arrival[];
}

export class Unborn {
  readonly #here: number;
  readonly #queue: MessageQueue<Actor>;
  readonly #phase: () => number;
  readonly #expected = new Map<number, Expected>();
  /** How far each creator has come. */
  readonly #created: number[] = [];
  /** Up to which ordinal of a creator's those that are not here never will be, and why. */
  readonly #over: { readonly ordinal: number; readonly why: string }[] = [];
  /** Others that will never be here. */
  readonly #failed = new Map<number, RuntimeError>();
  readonly #heed: (id: number, message: Arrival) => void;

  /** `heed`: a message has waited long enough for the actor. */
  constructor(
    here: number,
    queue: MessageQueue<Actor>,
    phase: () => number,
    heed: (id: number, message: Arrival) => void,
  ) {
    this.#here = here;
    this.#phase = phase;
    this.#queue = queue;
    this.#heed = heed;
  }

  /** Why the worker has ended whose place this one has. */
  get before(): string {
    return this.#over[this.#here]?.why ?? 'its worker has ended';
  }

  get size(): number {
    return this.#expected.size;
  }

  /** Whether it is still to come. */
  has(id: number): boolean {
    if (this.#expected.has(id)) return true;
    const creator = creatorOf(id);
    return creator !== this.#here && ordinalOf(id) > (this.#created[creator] ?? 0);
  }

  failure(id: number): RuntimeError | undefined {
    const failure = this.#failed.get(id);
    if (failure !== undefined) return failure;
    const over = this.#over[creatorOf(id)];
    // What runs on a worker outside of all actors is always there.
    if (over === undefined || ordinalOf(id) === 0 || ordinalOf(id) > over.ordinal) return undefined;
    return new ActorLostError(`actor ${displayed(id)} is lost: ${over.why}`);
  }

  /** Of what a creator has given ids to, up to an ordinal, nothing will come any more but what it has announced. */
  over(creator: number, ordinal: number, why: string): void {
    this.#over[creator] = { ordinal, why };
    this.#created[creator] = Math.max(this.#created[creator] ?? 0, ordinal);
    for (const [id, expected] of this.#expected) {
      if (expected.coming !== undefined || creatorOf(id) !== creator || ordinalOf(id) > ordinal) continue;
      expected.actor.failure = this.failure(id);
      this.#begin(id, expected);
    }
  }

  /** What its creator has said of it, until it is here. */
  coming(id: number): Coming | undefined {
    return this.#expected.get(id)?.coming;
  }

  /** The actor it will be. */
  actor(id: number): Actor {
    return this.#expect(id).actor;
  }

  /** An actor that has been made is the one that is expected. */
  expectAgain(actor: Actor, ref: FarRef | undefined, revivable?: Revivable): void {
    if (this.#expected.has(actor.id)) return;
    const expected = this.#expect(actor.id, actor);
    expected.ref = ref;
    expected.revivable = revivable;
  }

  /** Whether any may be what they were in a snapshot, and nobody has said whether they are to be. */
  get areRevivable(): boolean {
    for (const { revivable } of this.#expected.values()) if (revivable !== undefined) return true;
    return false;
  }

  revivable(id: number): Revivable | undefined {
    return this.#expected.get(id)?.revivable;
  }

  /** Those that are what they were if the ones are that have spawned them. */
  get children(): { readonly actor: Actor; readonly by: Actor }[] {
    return [...this.#expected.values()].flatMap(({ actor, revivable }) =>
      revivable?.by === undefined ? [] : [{ actor, by: revivable.by }],
    );
  }

  /** It will never be what it was. */
  forsake(id: number): void {
    const expected = this.#expect(id);
    expected.actor.failure = this.failure(id);
    this.#begin(id, expected);
  }

  /** The reference it will have. */
  ref(id: number, type: FarRefClass): FarRef {
    const expected = this.#expect(id);
    return (expected.ref ??= new type(expected.actor, 0, undefined));
  }

  /** Until it is here. */
  wait(id: number, message: Arrival): void {
    this.#expect(id).messages.push(message);
  }

  /** Its creator has said so; until `born` or `fail`, messages still wait. */
  announced(id: number, coming: Coming): Actor {
    const creator = creatorOf(id);
    const expected = this.#expect(id);
    expected.coming = coming;
    if (wayOf(coming.supervised) !== RESTORE) expected.revivable = undefined;
    this.#created[creator] = Math.max(this.#created[creator] ?? 0, ordinalOf(id));
    return expected.actor;
  }

  /** Its creator has said that it is to be what it was; if that is known, it is here when `begin` has been called with it. */
  revived(id: number, begin: (revivable: Revivable) => void): boolean {
    const expected = this.#expect(id);
    const { revivable } = expected;
    if (revivable === undefined) return false;
    begin(revivable);
    this.#begin(id, expected);
    return true;
  }

  /** `known` is given the reference to it, before what waited is sent. */
  born(
    id: number,
    refClass: FarRefClass,
    type: Class,
    args: readonly unknown[],
    isAnew: boolean,
    known: (ref: FarRef) => void,
  ): void {
    const ref = this.ref(id, refClass);
    const expected = this.#expect(id);
    expected.birth.of = { type, ref, args };
    expected.birth.isAnew = isAnew;
    known(ref);
    this.#begin(id, expected);
  }

  fail(id: number, failure: RuntimeError): void {
    const expected = this.#expect(id);
    expected.actor.failure = failure;
    this.#failed.set(id, failure);
    this.#begin(id, expected);
  }

  read(): UnbornState {
    const created: [number, number][] = [];
    const over: [number, number, string][] = [];
    this.#created.forEach((ordinal, creator) => created.push([creator, ordinal]));
    this.#over.forEach(({ ordinal, why }, creator) => over.push([creator, ordinal, why]));
    return {
      expected: [...this.#expected.values()].map(({ actor, birth, ref, coming, messages }) => ({
        actor,
        birth,
        ref,
        coming,
        messages: [...messages],
      })),
      created,
      over,
      failed: [...this.#failed],
    };
  }

  /** In the place of all that was expected. Classes that were to be found are not looked for by that. */
  write({ expected, created, over, failed }: UnbornState): void {
    this.#expected.clear();
    this.#failed.clear();
    this.#created.length = this.#over.length = 0;
    for (const { actor, birth, ref, coming, messages } of expected) {
      // Another one: what still comes of the earlier search is not for it.
      const again = coming === undefined ? undefined : { ...coming };
      const revivable = undefined;
      this.#expected.set(actor.id, { actor, birth, ref, coming: again, revivable, messages: [...messages] });
    }
    for (const [creator, ordinal] of created) this.#created[creator] = ordinal;
    for (const [creator, ordinal, why] of over) this.#over[creator] = { ordinal, why };
    for (const [id, failure] of failed) this.#failed.set(id, failure);
  }

  #begin(id: number, { actor, messages }: Expected): void {
    this.#expected.delete(id);
    this.#queue.takeUp(actor);
    for (const message of messages) this.#heed(id, message);
  }

  #expect(id: number, known?: Actor): Expected {
    let expected = this.#expected.get(id);
    if (expected === undefined) {
      const actor = known ?? new Actor(id, this.#here, `actor ${displayed(id)}`);
      // It is in no snapshot before.
      actor.writtenIn = this.#phase();
      const birth: Birth = { of: undefined, isAnew: false };
      expected = { actor, birth, ref: undefined, coming: undefined, revivable: undefined, messages: [] };
      this.#expected.set(id, expected);
      this.#queue.addSignal(actor, actor, birth, BEGIN);
      this.#queue.putAside(actor);
    }
    return expected;
  }
}
